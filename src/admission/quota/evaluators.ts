/**
 * What objects of each resource use of a quota: pods by what they ask for, services and claims by kind, the rest by count.
 * Mirrors pkg/quota/v1/evaluator/core: podEvaluator, pvcEvaluator, serviceEvaluator, claimEvaluator.
 */
import type { AdmissionOperation, AdmissionRequest } from '../../api/admission.ts'
import { equalJson, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { Quantity } from '../../api/quantity.ts'
import type { PodObject } from '../../catalog/pod-object.ts'
import type {
  Container,
  PersistentVolumeClaim,
  PodSpec,
  ScopedResourceSelectorRequirement,
  ServiceSpec,
} from '../../catalog/types/core-v1.ts'
import { runToEnd, type Steps } from '../../lib/in-turns.ts'
import { isExtendedResource } from '../plugins/pod-rules.ts'
import { type Amounts, addQuantities, hasPodLevelAmounts, isBestEffort, podAmountsInSteps } from '../pod-resources.ts'

export interface Evaluator {
  /** Whether a write of this kind can change what is used. */
  handles(operation: AdmissionOperation, subresource: string): boolean
  /** Whether this one of them can. Absent: every one can. */
  concerns?(request: AdmissionRequest): boolean
  /** Whether objects of the resource count towards the name. */
  counts(name: string): boolean
  usage(object: KubeObject, now: number): Amounts
  /** The same of objects that may take long. Absent: none does. */
  usageInSteps?(object: KubeObject, now: number): Steps<Amounts>
  inScope(scope: ScopedResourceSelectorRequirement, object: KubeObject): boolean
  /** Whether the object is in other scopes than before. Absent: it never is. */
  changesScope?(previous: KubeObject, object: KubeObject): boolean
  /** What the object must say for these names to be counted, and does not. */
  missing?(names: readonly string[], object: KubeObject): string | undefined
}

const one = Quantity.of(1)
const countName = (group: string, resource: string): string =>
  `count/${group === '' ? resource : `${resource}.${group}`}`

/** Resources without quota: they are not persisted, or short-lived. */
const uncounted: ReadonlySet<string> = new Set([
  'bindings',
  'events',
  'events.events.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
])

/** Core resources that had a name of their own before everything could be counted. */
const namedCounts: ReadonlySet<string> = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'])

const evaluators = new Map<string, Evaluator>()
/** Custom resources come and go: beyond this many all are made anew. */
const maxEvaluators = 10_000

/** `otherGroups` serve the same objects: an object counts under the names of all of them. */
export function evaluatorOf(
  group: string,
  resource: string,
  otherGroups: readonly string[] = [],
): Evaluator | undefined {
  const name = group === '' ? resource : `${resource}.${group}`
  if (uncounted.has(name)) return undefined
  const key = otherGroups.length === 0 ? name : [name, ...otherGroups].join()
  let found = evaluators.get(key)
  if (found === undefined) {
    if (evaluators.size >= maxEvaluators) evaluators.clear()
    found = special.get(name) ?? objectCount([group, ...otherGroups], resource)
    evaluators.set(key, found)
  }
  return found
}

function objectCount(groups: readonly string[], resource: string): Evaluator {
  const names = groups.map((group) => countName(group, resource))
  if (groups.includes('') && namedCounts.has(resource)) names.push(resource)
  const usage: Amounts = new Map(names.map((name) => [name, one]))
  return {
    handles: (operation, subresource) => operation === 'CREATE' && subresource === '',
    counts: (name) => names.includes(name),
    usage: () => usage,
    inScope: () => false,
  }
}

const computeNames: ReadonlySet<string> = new Set(
  ['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
)
/** For these, each container must say what it wants. */
const explicitNames = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']

/** Where a container says it. */
function isSaid(name: string, { resources }: Pick<Container, 'resources'>): boolean {
  const list = name.startsWith('limits.') ? resources?.limits : resources?.requests
  return list !== undefined && Object.hasOwn(list, name.slice(name.indexOf('.') + 1))
}

const isHugePages = (name: string): boolean => name.startsWith('hugepages-')

function countsForPods(name: string): boolean {
  if (name === 'pods' || name === 'count/pods' || computeNames.has(name) || isHugePages(name)) return true
  if (!name.startsWith('requests.')) return false
  const rest = name.slice('requests.'.length)
  return isHugePages(rest) || isExtendedResource(rest)
}

function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const usage: Amounts = new Map()
  for (const [name, amount] of requests) {
    if (computeNames.has(name) || isHugePages(name)) usage.set(name, amount)
    if (computeNames.has(name) || isHugePages(name) || isExtendedResource(name)) usage.set(`requests.${name}`, amount)
  }
  for (const [name, amount] of limits) if (computeNames.has(name)) usage.set(`limits.${name}`, amount)
  return usage
}

/** Pods that ended, or that have outlived their deletion, use nothing but their place in the store. */
function isAlive({ metadata, status }: PodObject, now: number): boolean {
  const phase = status?.['phase']
  if (phase === 'Failed' || phase === 'Succeeded') return false
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata
  if (deletionTimestamp == null || deletionGracePeriodSeconds === undefined) return true
  return now <= Date.parse(deletionTimestamp) + Number(deletionGracePeriodSeconds) * 1000
}

function* podUsage(pod: PodObject, now: number): Steps<Amounts> {
  const usage: Amounts = new Map([['count/pods', one]])
  if (!isAlive(pod, now)) return usage
  usage.set('pods', one)
  const { spec, status } = pod
  const options = { overhead: true, status }
  const requests = yield* podAmountsInSteps(spec, 'requests', options)
  yield
  const limits = yield* podAmountsInSteps(spec, 'limits', options)
  yield
  addQuantities(usage, computeUsage(requests, limits))
  return usage
}

const pods: Evaluator = {
  handles: (operation, subresource) =>
    (subresource === '' && operation === 'CREATE') ||
    (operation === 'UPDATE' && (subresource === '' || subresource === 'resize')),
  /** Besides a resize, a pod that gets or loses its deadline: it is in other scopes then. */
  concerns: ({ operation, subresource, object, oldObject }) =>
    operation === 'CREATE' ||
    subresource !== '' ||
    hasDeadline((object as PodObject).spec) !== hasDeadline((oldObject as PodObject).spec),
  counts: countsForPods,
  usage: (object, now) => runToEnd(podUsage(object as PodObject, now)),
  usageInSteps: (object, now) => podUsage(object as PodObject, now),
  inScope: (scope, object) => podInScope(scope, object as PodObject),
  changesScope: (previous, object) =>
    hasDeadline((previous as PodObject).spec) !== hasDeadline((object as PodObject).spec),
  missing(names, object) {
    const required = explicitNames.filter((name) => names.includes(name))
    const { spec } = object as PodObject
    if (required.length === 0 || hasPodLevelAmounts(spec)) return undefined
    const lacking = new Map<string, Set<string>>()
    const { containers, initContainers = [] } = spec
    for (const container of [...(containers ?? []), ...initContainers]) {
      for (const name of required) {
        if (!isSaid(name, container)) lacking.set(name, (lacking.get(name) ?? new Set()).add(container.name))
      }
    }
    if (lacking.size === 0) return undefined
    const parts = [...lacking].sort().map(([name, who]) => `${name} for: ${[...who].sort().join(',')}`)
    return `must specify ${parts.join('; ')}`
  },
}

const hasDeadline = ({ activeDeadlineSeconds }: PodSpec): boolean => (activeDeadlineSeconds ?? -1) >= 0

function podInScope(
  { scopeName, operator = 'Exists', values = [] }: ScopedResourceSelectorRequirement,
  pod: PodObject,
): boolean {
  const { spec } = pod
  switch (scopeName) {
    case 'Terminating':
      return hasDeadline(spec)
    case 'NotTerminating':
      return !hasDeadline(spec)
    case 'BestEffort':
      return isBestEffort(pod)
    case 'NotBestEffort':
      return !isBestEffort(pod)
    case 'PriorityClass':
      return matchesName({ scopeName, operator, values }, spec.priorityClassName ?? '')
    case 'CrossNamespacePodAffinity':
      return hasCrossNamespaceAffinity(spec)
    default:
      return false
  }
}

/** An object that names nothing has no name that could be one of the values, not even an empty one. */
function matchesName({ operator, values = [] }: ScopedResourceSelectorRequirement, name: string): boolean {
  switch (operator) {
    case 'Exists':
      return name !== ''
    case 'DoesNotExist':
      return name === ''
    case 'In':
      return name !== '' && values.includes(name)
    case 'NotIn':
      return name === '' || !values.includes(name)
    default:
      return false
  }
}

function hasCrossNamespaceAffinity({ affinity }: PodSpec): boolean {
  const terms = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((rules) => [
    ...(rules?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(rules?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ])
  return terms.some((term) => (term?.namespaces?.length ?? 0) > 0 || term?.namespaceSelector != null)
}

const services: Evaluator = {
  handles: (operation, subresource) => subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'),
  counts: (name) => ['count/services', 'services', 'services.nodeports', 'services.loadbalancers'].includes(name),
  usage(object) {
    const { type, ports = [], allocateLoadBalancerNodePorts } = (object['spec'] ?? {}) as Partial<ServiceSpec>
    const isBalancer = type === 'LoadBalancer'
    const nodePorts =
      isBalancer && allocateLoadBalancerNodePorts === false
        ? ports.filter(({ nodePort }) => (nodePort ?? 0) !== 0).length
        : ports.length
    return new Map([
      ['count/services', one],
      ['services', one],
      ['services.nodeports', Quantity.of(isBalancer || type === 'NodePort' ? nodePorts : 0)],
      ['services.loadbalancers', Quantity.of(isBalancer ? 1 : 0)],
    ])
  },
  inScope: () => false,
}

const classSuffix = '.storageclass.storage.k8s.io/'

type Claim = KubeObject & Pick<PersistentVolumeClaim, 'spec' | 'status'>

const claims: Evaluator = {
  handles: (operation, subresource) =>
    operation === 'UPDATE'
      ? subresource === '' || subresource === 'status'
      : operation === 'CREATE' && subresource === '',
  counts: (name) =>
    ['count/persistentvolumeclaims', 'persistentvolumeclaims', 'requests.storage'].includes(name) ||
    name.endsWith(`${classSuffix}persistentvolumeclaims`) ||
    name.endsWith(`${classSuffix}requests.storage`),
  usage(object) {
    const { metadata, spec, status } = object as Claim
    const storageClass =
      metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec.storageClassName ?? ''
    const usage: Amounts = new Map([
      ['count/persistentvolumeclaims', one],
      ['persistentvolumeclaims', one],
    ])
    if (storageClass !== '') usage.set(`${storageClass}${classSuffix}persistentvolumeclaims`, one)
    const asked = spec.resources?.requests?.['storage']
    if (asked === undefined) return usage
    const [request, allocated] = [asked, status?.allocatedResources?.['storage'] ?? asked].map((text) =>
      Quantity.parse(text).roundUp(0),
    ) as [Quantity, Quantity]
    const storage = allocated.compare(request) > 0 ? allocated : request
    usage.set('requests.storage', storage)
    if (storageClass !== '') usage.set(`${storageClass}${classSuffix}requests.storage`, storage)
    return usage
  },
  inScope({ scopeName, operator = 'Exists', values = [] }, object) {
    if (scopeName !== 'VolumeAttributesClass') return false
    const names = attributesClasses(object as Claim)
    return (names.length === 0 ? [''] : names).some((name) => matchesName({ scopeName, operator, values }, name))
  },
  changesScope: (previous, object) =>
    !equalJson(attributesClasses(previous as Claim), attributesClasses(object as Claim)),
}

/** Those that a claim asks for, has, and is being moved to. */
const attributesClasses = ({ spec, status }: Claim): string[] =>
  [
    spec.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter((name) => name !== undefined && name !== '') as string[]

const deviceSuffix = '.deviceclass.resource.k8s.io/devices'
const claimCount = 'count/resourceclaims.resource.k8s.io'

const resourceClaims: Evaluator = {
  handles: (operation, subresource) => subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'),
  counts: (name) => name === claimCount || name.endsWith(deviceSuffix),
  usage(object) {
    const usage: Amounts = new Map([[claimCount, one]])
    const devices = (object['spec'] as JsonObject | undefined)?.['devices'] as JsonObject | undefined
    for (const request of (devices?.['requests'] ?? []) as JsonObject[]) addQuantities(usage, devicesOf(request))
    return usage
  },
  inScope: () => false,
}

/** The most devices that one request can end up with; of alternatives each class counts at its largest. */
function devicesOf(request: JsonObject): Amounts {
  const alternatives = (request['firstAvailable'] ?? []) as JsonObject[]
  const choices =
    alternatives.length > 0 ? alternatives : [((request['exactly'] as JsonObject) ?? request) as JsonObject]
  const most: Amounts = new Map()
  for (const choice of choices) {
    const name = choice['deviceClassName']
    if (typeof name !== 'string' || name === '') continue
    const count = choice['allocationMode'] === 'All' ? 32 : Number(choice['count'] ?? 1)
    const before = most.get(name + deviceSuffix)?.value() ?? 0
    most.set(name + deviceSuffix, Quantity.of(Math.max(count, before)))
  }
  return most
}

const special: ReadonlyMap<string, Evaluator> = new Map([
  ['pods', pods],
  ['services', services],
  ['persistentvolumeclaims', claims],
  ['resourceclaims.resource.k8s.io', resourceClaims],
])

/** The resource that a name of a quota counts. Undefined: it is not known by its name alone. */
export function resourceCountedBy(name: string): { readonly group: string; readonly resource: string } | undefined {
  if (name.startsWith('count/')) {
    const full = name.slice('count/'.length)
    const dot = full.indexOf('.')
    return dot < 0 ? { group: '', resource: full } : { group: full.slice(dot + 1), resource: full.slice(0, dot) }
  }
  if (namedCounts.has(name)) return { group: '', resource: name }
  for (const [key, evaluator] of special) {
    if (!evaluator.counts(name)) continue
    const dot = key.indexOf('.')
    return dot < 0 ? { group: '', resource: key } : { group: key.slice(dot + 1), resource: key.slice(0, dot) }
  }
  return undefined
}
