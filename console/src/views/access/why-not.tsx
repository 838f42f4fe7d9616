// Whether somebody may do something, and what says so or is missing.
import { useEffect, useState } from 'preact/hooks'
import { call, get } from '../../api/http.ts'
import type { Json } from '../../api/objects.ts'
import { has } from '../../api/session.ts'
import { messageOf } from '../../lib/message.ts'
import { Badge, Facts, Notice, Panel } from '../../ui/parts.tsx'
import { type Grant, GrantLine } from './grants.tsx'
import { type Question, QuestionForm, queryOf, questionNow } from './question.tsx'

interface Explanation {
  readonly user: { readonly name: string; readonly groups: readonly string[] }
  readonly allowed: boolean
  readonly decision: string
  readonly reason?: string
  readonly grants: readonly Grant[]
  readonly closest: readonly { readonly missing: readonly string[]; readonly grant: Grant }[]
  readonly missingRoles?: readonly Json[]
}

export function WhyNot() {
  const [answer, setAnswer] = useState<Explanation | undefined>(undefined)
  const [failure, setFailure] = useState('')
  const ask = () => {
    setFailure('')
    const question = questionNow()
    // Where the bindings cannot be read, the decision still can.
    const asked = has('access')
      ? get<Explanation>(`/console/v1/access/explain?${queryOf(question)}`).catch(() => review(question))
      : review(question)
    asked.then(setAnswer, (error: unknown) => {
      setAnswer(undefined)
      setFailure(messageOf(error))
    })
  }
  useEffect(ask, [])
  return (
    <div class="stack">
      <QuestionForm withUser action="Ask" onAsk={ask} />
      {failure !== '' && <Notice tone="bad">{failure}</Notice>}
      {answer !== undefined && <Answer answer={answer} />}
    </div>
  )
}

function Answer({ answer }: { readonly answer: Explanation }) {
  const { user, allowed, decision, reason, grants, closest } = answer
  return (
    <Panel title={<Badge tone={allowed ? 'ok' : 'bad'}>{allowed ? 'allowed' : 'not allowed'}</Badge>}>
      <div class="stack">
        <Facts
          items={[
            ['User', user.name],
            ['Groups', user.groups.join(', ')],
            ['Decision', decision],
            ...(reason ? [['Reason', reason] as const] : []),
          ]}
        />
        {grants.map((grant, index) => (
          <GrantLine key={index} grant={grant} />
        ))}
        {!allowed && closest.length > 0 && <h2>What comes closest</h2>}
        {!allowed &&
          closest.map(({ missing, grant }, index) => (
            <p key={index}>
              <Badge tone="warn">another {missing.join(' and ')}</Badge> <GrantLine grant={grant} />
            </p>
          ))}
        {!allowed && closest.length === 0 && <p class="quiet">No binding gives this user anything like it.</p>}
      </div>
    </Panel>
  )
}

/** For servers that cannot explain: the reviews that every cluster has. */
async function review(question: Question): Promise<Explanation> {
  const { user, groups, verb, group, resource, subresource, namespace, name, path } = question
  const attributes =
    path === ''
      ? { resourceAttributes: { verb, group, resource, subresource, namespace, name } }
      : { nonResourceAttributes: { verb, path } }
  const own = user === ''
  const kind = own ? 'SelfSubjectAccessReview' : 'SubjectAccessReview'
  const { body } = await call<Json>(`/apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`, {
    method: 'POST',
    body: { apiVersion: 'authorization.k8s.io/v1', kind, spec: own ? attributes : { user, groups, ...attributes } },
  })
  const { allowed = false, denied = false, reason = '' } = body.status
  const decision = allowed ? 'allow' : denied ? 'deny' : 'no opinion'
  return { user: { name: own ? 'you' : user, groups }, allowed, decision, reason, grants: [], closest: [] }
}
