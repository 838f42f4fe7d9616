// All rules of a user: one's own without further rights, others' where the server tells.
import { useEffect, useState } from 'preact/hooks'
import { call, get } from '../../api/http.ts'
import type { Json } from '../../api/objects.ts'
import { has, user as signedIn } from '../../api/session.ts'
import { messageOf } from '../../lib/message.ts'
import { address, setQuery } from '../../lib/router.ts'
import { Button, Empty, Input, Notice, Panel } from '../../ui/parts.tsx'
import { type Grant, GrantTable, type Rule, ruleText } from './grants.tsx'

interface Found {
  readonly grants: readonly Grant[]
  readonly rules: readonly Rule[]
  readonly incomplete: string
}

export function Mine() {
  const { user = '', groups = '', namespace = 'default' } = address.value.query
  const [found, setFound] = useState<Found | undefined>(undefined)
  const [failure, setFailure] = useState('')
  const ask = () => {
    setFailure('')
    // Who may not read roles and bindings still has rights.
    const asked = (has('access') ? grantsOf(user, groups, namespace) : ownRules(namespace)).catch((error: unknown) =>
      user === '' ? ownRules(namespace) : Promise.reject(error),
    )
    asked.then(setFound, (error: unknown) => setFailure(messageOf(error)))
  }
  useEffect(ask, [])
  const set = (key: string) => (value: string) => setQuery({ [key]: value })
  return (
    <div class="stack">
      <form
        class="row end"
        onSubmit={(event) => {
          event.preventDefault()
          ask()
        }}
      >
        {has('access') && (
          <Input label="User or service account" placeholder={signedIn.value} value={user} onInput={set('user')} wide />
        )}
        {has('access') && <Input label="Groups" value={groups} onInput={set('groups')} />}
        <Input label="Namespace" value={namespace} onInput={set('namespace')} />
        <Button type="submit" look="primary">
          Show
        </Button>
      </form>
      {failure !== '' && <Notice tone="bad">{failure}</Notice>}
      {found?.incomplete && <Notice tone="warn">{found.incomplete}</Notice>}
      {found !== undefined && (
        <Panel title={`What ${user || signedIn.value} may do in ${namespace || 'the cluster'}`} flush>
          {found.grants.length + found.rules.length === 0 && <Empty>Nothing.</Empty>}
          {found.grants.length > 0 && <GrantTable grants={found.grants} />}
          {found.rules.length > 0 && (
            <ul class="body">
              {found.rules.map((rule, index) => (
                <li key={index}>
                  <code>{ruleText(rule)}</code>
                </li>
              ))}
            </ul>
          )}
        </Panel>
      )}
    </div>
  )
}

async function grantsOf(user: string, groups: string, namespace: string): Promise<Found> {
  const query = new URLSearchParams()
  if (user !== '') query.set('user', user)
  if (user !== '') for (const group of groups.split(/[\s,]+/).filter(Boolean)) query.append('groups', group)
  if (namespace !== '') query.set('namespace', namespace)
  const { items, notes = [] } = await get<{ items: Grant[]; notes?: string[] }>(`/console/v1/access/rules?${query}`)
  return { grants: items, rules: [], incomplete: notes.join('; ') }
}

async function ownRules(namespace: string): Promise<Found> {
  const { body } = await call<Json>('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
    method: 'POST',
    body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } },
  })
  const { resourceRules = [], nonResourceRules = [], incomplete, evaluationError } = body.status
  return {
    grants: [],
    rules: [...resourceRules, ...nonResourceRules],
    incomplete: incomplete ? (evaluationError ?? 'There may be more.') : '',
  }
}
