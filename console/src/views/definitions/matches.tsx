// Which policies and webhooks a write would meet.
import { useEffect, useState } from 'preact/hooks'
import { kinds, preferredKind } from '../../api/discovery.ts'
import { get } from '../../api/http.ts'
import { messageOf } from '../../lib/message.ts'
import { flagParam, param } from '../../lib/router.ts'
import { Badge, Button, Input, Notice, Panel, Select } from '../../ui/parts.tsx'
import { kindId } from '../kind-names.ts'
import { PolicyLink } from './policy-link.tsx'

interface Match {
  readonly kind: string
  readonly name: string
  readonly webhook?: string
  readonly matches: boolean
  readonly conditional?: readonly string[]
}

export function Matches() {
  const [operation, setOperation] = param('operation', 'CREATE')
  const [what, setWhat] = param('what', 'pods')
  const [namespace, setNamespace] = param('namespace', 'default')
  const [asked, setAsked] = flagParam('ask')
  const [found, setFound] = useState<readonly Match[] | undefined>(undefined)
  const [failure, setFailure] = useState('')
  const ask = () => {
    setFailure('')
    setAsked(true)
    const dot = what.indexOf('.')
    const [resource, group] = dot < 0 ? [what, ''] : [what.slice(0, dot), what.slice(dot + 1)]
    const kind = preferredKind(group, resource)
    if (kind === undefined) return setFailure(`the server has no ${what}`)
    const query = {
      operation,
      group,
      version: kind.version,
      resource,
      namespace: kind.namespaced && namespace !== '' ? namespace : undefined,
    }
    get<{ items: Match[] }>('/console/v1/policies/matches', { query }).then(
      ({ items }) => setFound(items),
      (error: unknown) => setFailure(messageOf(error)),
    )
  }
  useEffect(() => {
    if (asked) ask()
  }, [])
  return (
    <Panel title="What would a write meet?">
      <div class="stack">
        <form
          class="row end"
          onSubmit={(event) => {
            event.preventDefault()
            ask()
          }}
        >
          <Select
            label="Operation"
            value={operation}
            options={['CREATE', 'UPDATE', 'DELETE', 'CONNECT']}
            onChange={setOperation}
          />
          <Input
            label="Resource"
            value={what}
            list={kinds.value.filter(({ preferred }) => preferred).map(kindId)}
            onInput={setWhat}
            wide
          />
          <Input label="Namespace" value={namespace} onInput={setNamespace} />
          <Button type="submit">Ask</Button>
        </form>
        {failure !== '' && <Notice tone="bad">{failure}</Notice>}
        {found !== undefined && (
          <ul>
            {found.filter(({ matches }) => matches).length === 0 && <li class="quiet">None of them.</li>}
            {found
              .filter(({ matches }) => matches)
              .map((match) => (
                <li key={`${match.kind} ${match.name} ${match.webhook ?? ''}`} class="row">
                  <PolicyLink policy={match} />
                  <span class="quiet">{match.kind}</span>
                  {(match.conditional ?? []).length > 0 && (
                    <Badge tone="warn">depends on {match.conditional?.join(', ')}</Badge>
                  )}
                </li>
              ))}
          </ul>
        )}
      </div>
    </Panel>
  )
}
