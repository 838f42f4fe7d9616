// The form of a question about access; all of it is in the address, so that a link asks it again.
import { kinds } from '../../api/discovery.ts'
import { useObjects } from '../../api/live.ts'
import { metadataOnly } from '../../api/objects.ts'
import { address, setQuery } from '../../lib/router.ts'
import { Button, Input } from '../../ui/parts.tsx'
import { kindId } from '../kind-names.ts'

export interface Question {
  readonly user: string
  readonly groups: readonly string[]
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly path: string
}

const verbs = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'impersonate',
  'bind',
  'escalate',
  '*',
]

export function questionNow(): Question {
  const { user = '', groups = '', verb = 'get', what = 'pods', namespace = '', name = '' } = address.value.query
  const [kind = '', subresource = ''] = what.startsWith('/') ? [] : what.split('/')
  const dot = kind.indexOf('.')
  return {
    user,
    groups: groups.split(/[\s,]+/).filter(Boolean),
    verb,
    group: dot < 0 ? '' : kind.slice(dot + 1),
    resource: dot < 0 ? kind : kind.slice(0, dot),
    subresource,
    namespace,
    name,
    path: what.startsWith('/') ? what : '',
  }
}

/** As the endpoints take it. */
export function queryOf({ user, groups, ...question }: Question): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(question)) if (value !== '') query.set(key, value)
  if (user !== '') query.set('user', user)
  if (user !== '') for (const group of groups) query.append('groups', group)
  return query.toString()
}

interface FormProps {
  readonly withUser: boolean
  readonly action: string
  readonly onAsk: () => void
  readonly userHint?: string
}

export function QuestionForm({ withUser, action, onAsk, userHint = 'you' }: FormProps) {
  const { user = '', groups = '', verb = 'get', what = 'pods', namespace = '', name = '' } = address.value.query
  const namespaces = useObjects('/api/v1/namespaces', { accept: metadataOnly })
  const set = (key: string) => (value: string) => setQuery({ [key]: value })
  return (
    <form
      class="row end"
      onSubmit={(event) => {
        event.preventDefault()
        onAsk()
      }}
    >
      {withUser && (
        <Input label="User or service account" placeholder={userHint} value={user} onInput={set('user')} wide />
      )}
      {withUser && <Input label="Groups" value={groups} onInput={set('groups')} />}
      <Input label="Verb" value={verb} list={verbs} onInput={set('verb')} />
      <Input
        label="Resource, or a path"
        value={what}
        list={kinds.value.filter(({ preferred }) => preferred).map(kindId)}
        onInput={set('what')}
        wide
      />
      <Input
        label="Namespace"
        placeholder="all"
        value={namespace}
        list={namespaces.objects.map(({ metadata }) => metadata.name)}
        onInput={set('namespace')}
      />
      <Input label="Name" placeholder="any" value={name} onInput={set('name')} />
      <Button type="submit" look="primary">
        {action}
      </Button>
    </form>
  )
}
