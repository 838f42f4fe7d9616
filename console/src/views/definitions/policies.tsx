// Policies and webhooks as writes meet them: what they match, how they were asked, what they refused last.
import { useObjects } from '../../api/live.ts'
import type { ApiObject, Json } from '../../api/objects.ts'
import type { Freshness } from '../../api/reflector.ts'
import { has } from '../../api/session.ts'
import { type StreamLine, useFollowed } from '../../api/stream.ts'
import { href } from '../../lib/router.ts'
import { ageOf, duration } from '../../lib/time.ts'
import { FreshnessBadge } from '../../ui/freshness.tsx'
import { Badge, Empty, Notice, Panel } from '../../ui/parts.tsx'
import { Matches } from './matches.tsx'
import { policyGroup as group, PolicyLink } from './policy-link.tsx'

interface MatchRule {
  readonly operations?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
}

interface Denial {
  readonly time: string
  readonly request?: number
  readonly user?: string
  readonly operation: string
  readonly resource: string
  readonly namespace?: string
  readonly name?: string
  readonly message: string
}

interface Policy {
  readonly kind: string
  readonly name: string
  readonly webhook?: string
  readonly failurePolicy?: string
  readonly address?: string
  readonly rules: readonly MatchRule[]
  readonly bindings: readonly { readonly name: string; readonly actions?: readonly string[] }[]
  readonly asked?: number
  readonly denied?: number
  readonly errors?: number
  readonly totalMs?: number
  readonly denials: readonly Denial[]
}

export function Policies() {
  const { policies, failure, hidden, state } = has('policies') ? useAskedPolicies() : useListedPolicies()
  if (failure !== '') return <Notice tone="bad">{failure}</Notice>
  return (
    <div class="stack">
      {has('policies') && <Matches />}
      <div class="row">
        <FreshnessBadge state={state} />
      </div>
      {policies.length === 0 && state.phase === 'live' && <Empty>There are no policies and no webhooks.</Empty>}
      {policies.map((policy) => (
        <PolicyPanel key={`${policy.kind} ${policy.name} ${policy.webhook ?? ''}`} policy={policy} />
      ))}
      {hidden > 0 && <p class="quiet">{hidden} kinds of them you may not list.</p>}
    </div>
  )
}

function PolicyPanel({ policy }: { readonly policy: Policy }) {
  const { kind, failurePolicy = 'Fail', asked, denied = 0, errors = 0, totalMs = 0 } = policy
  return (
    <Panel
      title={
        <span class="row">
          <PolicyLink policy={policy} />
          <span class="quiet">{kind}</span>
        </span>
      }
      actions={
        <span class="row">
          {asked !== undefined && (
            <Badge>
              asked {asked} times{asked > 0 ? `, ${duration(totalMs / asked)} each` : ''}
            </Badge>
          )}
          {denied > 0 && <Badge tone="bad">{denied} refused</Badge>}
          {errors > 0 && <Badge tone="warn">{errors} errors</Badge>}
        </span>
      }
    >
      <div class="stack tight">
        {policy.rules.map((rule) => (
          <code key={JSON.stringify(rule)} class="wrap">
            {ruleText(rule)}
          </code>
        ))}
        <p class="quiet">
          {policy.address && <>{policy.address} · </>}
          {failurePolicy === 'Ignore'
            ? 'If it cannot be asked, requests pass'
            : 'If it cannot be asked, requests are refused'}
          {kind.includes('Policy') &&
            ` · ${policy.bindings.length === 0 ? 'without a binding: it does nothing' : `bound by ${policy.bindings.map(bindingText).join(', ')}`}`}
        </p>
        <Denials denials={policy.denials} />
      </div>
    </Panel>
  )
}

const bindingText = ({ name, actions = [] }: Policy['bindings'][number]): string =>
  actions.length === 0 ? name : `${name} (${actions.join(', ')})`

const named = (list: readonly string[] = []): string => list.map((each) => (each === '' ? 'core' : each)).join(', ')

const ruleText = ({ operations, apiGroups, apiVersions, resources }: MatchRule): string =>
  `${named(operations)} · ${named(resources)} in ${named(apiGroups)} ${named(apiVersions)}`

function Denials({ denials }: { readonly denials: readonly Denial[] }) {
  if (denials.length === 0) return null
  return (
    <div class="scroll-x">
      <table class="plain-table">
        <caption class="visually-hidden">Last refusals</caption>
        <tbody>
          {denials.map((denial) => (
            <tr key={`${denial.time} ${denial.request}`}>
              <td class="number">
                {denial.request === undefined ? (
                  ageOf(denial.time)
                ) : (
                  <a href={href(['requests', String(denial.request)])}>{ageOf(denial.time)} ago</a>
                )}
              </td>
              <td>{denial.user}</td>
              <td>
                {denial.operation} {denial.resource} {[denial.namespace, denial.name].filter(Boolean).join('/')}
              </td>
              <td>{denial.message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface Found {
  readonly policies: readonly Policy[]
  readonly failure: string
  readonly hidden: number
  readonly state: Freshness
}

function useAskedPolicies(): Found {
  const { line, state } = useFollowed<StreamLine & { items: Policy[]; hidden: number }>('/console/v1/policies', {
    type: 'POLICIES',
  })
  const failure = state.phase === 'refused' ? state.why : ''
  return { policies: line?.items ?? [], hidden: line?.hidden ?? 0, failure, state }
}

/** For servers that do not tell: the objects themselves. */
function useListedPolicies(): Found {
  const policies = useObjects(`/apis/${group}/v1/validatingadmissionpolicies`)
  const bindings = useObjects(`/apis/${group}/v1/validatingadmissionpolicybindings`)
  const hooks = useObjects(`/apis/${group}/v1/validatingwebhookconfigurations`)
  const mutating = useObjects(`/apis/${group}/v1/mutatingwebhookconfigurations`)
  const listed = policies.objects.map(
    ({ metadata, spec }): Policy => ({
      kind: 'ValidatingAdmissionPolicy',
      name: metadata.name,
      failurePolicy: spec?.failurePolicy,
      rules: spec?.matchConstraints?.resourceRules ?? [],
      bindings: bindings.objects
        .filter((binding) => binding.spec?.policyName === metadata.name)
        .map((binding) => ({ name: binding.metadata.name, actions: binding.spec?.validationActions ?? [] })),
      denials: [],
    }),
  )
  const hooked = [...hooks.objects, ...mutating.objects].flatMap(webhooksOf)
  return { policies: [...listed, ...hooked], failure: '', hidden: 0, state: policies.state }
}

const webhooksOf = (configuration: ApiObject): Policy[] =>
  (configuration['webhooks'] ?? []).map((hook: Json) => ({
    kind: configuration.kind,
    name: configuration.metadata.name,
    webhook: hook.name,
    failurePolicy: hook.failurePolicy,
    address:
      hook.clientConfig?.url ?? `service ${hook.clientConfig?.service?.namespace}/${hook.clientConfig?.service?.name}`,
    rules: hook.rules ?? [],
    bindings: [],
    denials: [],
  }))
