/** `/console/v1/policies`: policies and webhooks, what they match, and whom they refused of late. */
import { equivalentForms } from '../../admission/cluster-forms.ts'
import { matchingForm, type Rule, type RuleTarget } from '../../admission/matching/rules.ts'
import { compileSelector } from '../../admission/matching/selectors.ts'
import type { Policy, PolicyBinding, PolicySpec } from '../../admission/policy/policy-objects.ts'
import type { Webhook } from '../../admission/webhook/webhook.ts'
import type { AdmissionOperation } from '../../api/admission.ts'
import type { JsonObject } from '../../api/json.ts'
import type { LabelSelectorObject } from '../../api/label-selector.ts'
import type { KubeObject, StringMap } from '../../api/object.ts'
import type { RequestContext } from '../../api/request-context.ts'
import { badRequest, notFound } from '../../api/status-error.ts'
import { pushAll } from '../../lib/push-all.ts'
import { answerJson } from '../answers.ts'
import { answerState } from '../every-second.ts'
import { Query } from '../query.ts'
import { ReaderRights } from '../requests/reader-rights.ts'
import { Rights } from '../rights.ts'
import type { ConsoleServices, Endpoint } from '../services.ts'
import { isoTime } from '../session-endpoints.ts'
import type { PolicyCounts, PolicyStatistics } from './policy-statistics.ts'

const group = 'admissionregistration.k8s.io'
const operations: ReadonlySet<string> = new Set(['CREATE', 'UPDATE', 'DELETE', 'CONNECT'])

type MatchResources = NonNullable<PolicySpec['matchConstraints']>

interface WebhookObject extends JsonObject {
  name: string
  rules?: Rule[]
  matchPolicy?: string
  namespaceSelector?: LabelSelectorObject
  objectSelector?: LabelSelectorObject
  matchConditions?: { name: string; expression: string }[]
  failurePolicy?: string
  timeoutSeconds?: number
  clientConfig?: Webhook['client']
}

/** A policy or one webhook of a configuration, as both are matched. */
interface Listed {
  readonly kind: string
  readonly name: string
  readonly webhook?: string
  readonly resources: MatchResources
  readonly conditions: number
  /** Of a policy: each with what it narrows. */
  readonly bindings: readonly PolicyBinding[] | undefined
  readonly facts: object
  readonly counts: PolicyCounts
}

const policyKinds = [
  ['ValidatingAdmissionPolicy', 'validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
  ['MutatingAdmissionPolicy', 'mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'],
] as const
const webhookKinds = [
  ['MutatingWebhookConfiguration', 'mutatingwebhookconfigurations'],
  ['ValidatingWebhookConfiguration', 'validatingwebhookconfigurations'],
] as const

export function policiesEndpoints(services: ConsoleServices, statistics: PolicyStatistics): Endpoint[] {
  return [
    { path: '/console/v1/policies', methods: { GET: (context) => answerPolicies(context, services, statistics) } },
    {
      path: '/console/v1/policies/matches',
      methods: { GET: (context) => answerMatches(context, services, statistics) },
    },
  ]
}

function answerPolicies(
  context: RequestContext,
  services: ConsoleServices,
  statistics: PolicyStatistics,
): Promise<void> {
  const follows = new Query(context, ['follow']).flag('follow')
  return answerState(context, services, {
    type: 'POLICIES',
    follows,
    async look() {
      statistics.look()
      const { listed, hidden } = await allListed(context, services, statistics)
      const rights = new ReaderRights(services.authorizer, context.user)
      const items: object[] = []
      for (const each of listed) items.push(await shown(each, rights))
      return { items, hidden }
    },
  })
}

async function shown(
  { kind, name, webhook, resources, bindings, facts, counts }: Listed,
  rights: ReaderRights,
): Promise<object> {
  const denials: object[] = []
  for (const { record, operation, name: object, message } of counts.denials) {
    const info = record.context?.info
    const withheld = await rights.withheld(record)
    denials.push({
      time: isoTime(record.time),
      request: record.id,
      user: record.context?.user.name,
      operation,
      group: info?.group,
      resource: info?.resource,
      namespace: info?.namespace,
      name: info?.name || (withheld === undefined ? object : ''),
      message: withheld === undefined ? message : `(withheld: ${withheld})`,
    })
  }
  return {
    kind,
    name,
    ...(webhook === undefined ? {} : { webhook }),
    ...facts,
    rules: resources.resourceRules ?? [],
    bindings: (bindings ?? []).map(({ metadata, spec }) => ({
      name: metadata.name ?? '',
      actions: spec.validationActions ?? [],
    })),
    asked: counts.asked,
    denied: counts.denied,
    errors: counts.errors,
    totalMs: Math.round(counts.totalMs * 1000) / 1000,
    denials,
  }
}

interface AllListed {
  readonly listed: readonly Listed[]
  /** Resources that the user may not list. */
  readonly hidden: number
}

async function allListed(
  context: RequestContext,
  { registries, authorizer }: ConsoleServices,
  statistics: PolicyStatistics,
): Promise<AllListed> {
  const rights = new Rights(authorizer, context)
  let hidden = 0
  const objects = async (resource: string): Promise<readonly KubeObject[]> => {
    if (registries.get(group, resource) === undefined) return []
    if (await rights.may({ verb: 'list', group, resource, namespace: '' })) {
      return [...(await registries.source(group, resource)).list()]
    }
    hidden++
    return []
  }
  const listed: Listed[] = []
  for (const [kind, resource, bindingResource] of policyKinds) {
    const bindings = (await objects(bindingResource)) as readonly PolicyBinding[]
    for (const policy of (await objects(resource)) as readonly Policy[]) {
      listed.push(listedPolicy(kind, policy, { bindings, statistics }))
    }
  }
  for (const [kind, resource] of webhookKinds) {
    for (const configuration of await objects(resource))
      pushAll(listed, listedWebhooks(kind, configuration, statistics))
  }
  return { listed, hidden }
}

function listedPolicy(
  kind: string,
  { metadata, spec }: Policy,
  { bindings, statistics }: { readonly bindings: readonly PolicyBinding[]; readonly statistics: PolicyStatistics },
): Listed {
  const name = metadata.name ?? ''
  return {
    kind,
    name,
    resources: spec.matchConstraints ?? {},
    conditions: spec.matchConditions?.length ?? 0,
    bindings: bindings.filter((binding) => binding.spec.policyName === name),
    facts: { failurePolicy: spec.failurePolicy ?? 'Fail' },
    counts: statistics.of('policy', name),
  }
}

function listedWebhooks(kind: string, { metadata, webhooks }: KubeObject, statistics: PolicyStatistics): Listed[] {
  return ((webhooks ?? []) as WebhookObject[]).map((each) => ({
    kind,
    name: metadata.name ?? '',
    webhook: each.name,
    resources: {
      ...(each.rules === undefined ? {} : { resourceRules: each.rules }),
      ...(each.matchPolicy === undefined ? {} : { matchPolicy: each.matchPolicy }),
      ...(each.namespaceSelector === undefined ? {} : { namespaceSelector: each.namespaceSelector }),
      ...(each.objectSelector === undefined ? {} : { objectSelector: each.objectSelector }),
    },
    conditions: each.matchConditions?.length ?? 0,
    bindings: undefined,
    facts: {
      failurePolicy: each.failurePolicy ?? 'Fail',
      timeoutSeconds: each.timeoutSeconds ?? 10,
      address: addressOf(each.clientConfig ?? {}),
    },
    counts: statistics.of('webhook', each.name),
  }))
}

function addressOf({ url, service }: Webhook['client']): string {
  if (service === undefined) return url ?? ''
  return `https://${service.name}.${service.namespace}.svc:${service.port ?? 443}${service.path ?? ''}`
}

async function answerMatches(
  context: RequestContext,
  services: ConsoleServices,
  statistics: PolicyStatistics,
): Promise<void> {
  const query = new Query(context, ['operation', 'group', 'version', 'resource', 'subresource', 'namespace', 'name'])
  const operation = query.needed('operation')
  if (!operations.has(operation)) throw badRequest(`operation must be one of ${[...operations].join(', ')}`)
  const resource = { group: query.text('group'), version: query.text('version'), resource: query.needed('resource') }
  const registry = services.registries.get(resource.group, resource.resource)
  if (registry === undefined) throw notFound(resource, '')
  const version = resource.version || (registry.definition.versions[0]?.version ?? '')
  const namespace = query.text('namespace')
  const name = query.optional('name')
  const target: RuleTarget = {
    operation: operation as AdmissionOperation,
    resource: { ...resource, version },
    subresource: query.text('subresource'),
    isNamespaced: namespace !== '',
    ...(name === undefined ? {} : { name }),
  }
  const { listed, hidden } = await allListed(context, services, statistics)
  const labels = await namespaceLabels(services, resource, namespace, name)
  const kind = { group: resource.group, version, kind: registry.definition.kind }
  const forms = equivalentForms(() => services.registries)
  const matches = (resources: MatchResources): boolean =>
    matchingForm(resources.resourceRules ?? [], target, {
      kind,
      equivalent: resources.matchPolicy !== 'Exact',
      forms,
      excluded: resources.excludeResourceRules ?? [],
    }) !== undefined &&
    (labels === undefined || compileSelector(resources.namespaceSelector).matches(labels))
  const items = listed.map((each) => matchOf(each, matches))
  answerJson(context, { items: items.filter(({ matches: isMatch }) => isMatch), hidden })
}

interface PolicyMatch {
  readonly kind: string
  readonly name: string
  readonly webhook?: string
  readonly matches: boolean
  readonly conditional: readonly string[]
}

function matchOf(
  { kind, name, webhook, resources, conditions, bindings }: Listed,
  matches: (resources: MatchResources) => boolean,
): PolicyMatch {
  // A binding without rules is about everything that its policy is about.
  const narrowed = (binding: PolicyBinding): boolean => {
    const own = binding.spec.matchResources
    return (
      own === undefined ||
      matches({ ...own, resourceRules: own.resourceRules?.length ? own.resourceRules : [anything] })
    )
  }
  const applying = bindings?.filter(narrowed)
  const selectors = [resources, ...(applying ?? []).map(({ spec }) => spec.matchResources ?? {})]
  const hasSelector = selectors.some(({ objectSelector }) => !compileSelector(objectSelector).isEmpty())
  return {
    kind,
    name,
    ...(webhook === undefined ? {} : { webhook }),
    matches: matches(resources) && applying?.length !== 0,
    conditional: [...(hasSelector ? ['object selector'] : []), ...(conditions > 0 ? ['match conditions'] : [])],
  }
}

const anything: Rule = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*', '*/*'] }

/** What namespace selectors look at; undefined for what belongs to no namespace: that matches any. */
async function namespaceLabels(
  { registries }: ConsoleServices,
  resource: { readonly group: string; readonly resource: string },
  namespace: string,
  name: string | undefined,
): Promise<StringMap | undefined> {
  const isNamespace = resource.group === '' && resource.resource === 'namespaces'
  const wanted = isNamespace ? (name ?? '') : namespace
  if (wanted === '') return undefined
  return (await registries.source('', 'namespaces')).get('', wanted)?.metadata.labels ?? {}
}
