/**
 * Defaults of pods, their containers and volumes that depend on other fields.
 * Mirrors pkg/apis/core/v1: SetDefaults_Pod, SetDefaults_PodSpec, SetDefaults_Container,
 * SetDefaults_EphemeralContainer, SetDefaults_Volume.
 */

import { carryWritings } from '../../api/given-writing.ts'
import { memoizeInterned } from '../../api/interned.ts'
import { compareTexts, keysOf } from '../../api/key-lists.ts'
import { isHeavy, listInSteps, mapInSteps, sortInSteps } from '../../api/large-values.ts'
import { Quantity } from '../../api/quantity.ts'
import type { Steps } from '../../lib/in-turns.ts'
import { mapItems } from '../../lib/map-items.ts'
import type {
  Container,
  EphemeralContainer,
  ImageVolumeSource,
  Pod,
  PodSpec,
  PodStatus,
  PodTemplateSpec,
  ResourceRequirements,
  Volume,
} from '../types/core-v1.ts'
import type { ObjectMeta } from '../types/meta-v1.ts'
import { imageTag } from './image-tag.ts'
import { type DefaultingContext, fill, rule, ruleInSteps, type TypeRules, unitedInSteps } from './rule.ts'

type Amounts = Record<string, string>

const pullPolicy = (image: string): string => (imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent')

const defaultContainer = <T extends Container | EphemeralContainer>(container: T): T =>
  fill<Container | EphemeralContainer>(container, {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: container.imagePullPolicy ?? pullPolicy(container.image ?? ''),
  }) as T

function defaultVolume(volume: Volume, { enabled }: DefaultingContext): Volume {
  const hasSource = Object.keys(volume).some((key) => key !== 'name')
  if (!hasSource) return { ...volume, emptyDir: {} }
  if (volume.image === undefined || !enabled('ImageVolume')) return volume
  const image = fill<ImageVolumeSource>(volume.image, { pullPolicy: pullPolicy(volume.image.reference ?? '') })
  return image === volume.image ? volume : { ...volume, image }
}

function* defaultPod(pod: Pod, { enabled }: DefaultingContext): Steps<Pod> {
  const metadata = withoutInitAnnotations(pod.metadata)
  let { spec } = pod
  // Less than no time is taken for the least; in templates it stays as it is.
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec = { ...spec, terminationGracePeriodSeconds: 1 }
  spec = yield* changeContainers(spec, requestAllLimits)
  if (enabled('PodLevelResources') && spec.resources !== undefined) {
    const resources = yield* podResources(spec, spec.resources, enabled('release:podLevelRules'))
    if (resources !== spec.resources) spec = { ...spec, resources }
  }
  if (spec.hostNetwork === true) spec = yield* changeContainers(spec, openAllHostPorts)
  return spec === pod.spec && metadata === pod.metadata ? pod : { ...pod, metadata, spec }
}

/** Init containers, and how they are, from before there were fields for them. They mean nothing any more. */
const initAnnotations: ReadonlySet<string> = new Set([
  'pod.beta.kubernetes.io/init-containers',
  'pod.alpha.kubernetes.io/init-containers',
  'pod.beta.kubernetes.io/init-container-statuses',
  'pod.alpha.kubernetes.io/init-container-statuses',
])

function withoutInitAnnotations(metadata: ObjectMeta): ObjectMeta {
  const { annotations, ...rest } = metadata
  if (annotations === undefined || !Object.keys(annotations).some((key) => initAnnotations.has(key))) return metadata
  const kept = Object.entries(annotations).filter(([key]) => !initAnnotations.has(key))
  return kept.length === 0 ? rest : { ...metadata, annotations: Object.fromEntries(kept) }
}

function defaultTemplate(template: PodTemplateSpec): PodTemplateSpec {
  const metadata = withoutInitAnnotations(template.metadata)
  return metadata === template.metadata ? template : { ...template, metadata }
}

/** Two names of one field: the older follows the newer. */
function sameAccount(spec: PodSpec): PodSpec {
  const { serviceAccountName = '', serviceAccount = '' } = spec
  const name = serviceAccountName === '' ? serviceAccount : serviceAccountName
  if (name === '' || (name === serviceAccountName && name === serviceAccount)) return spec
  return { ...spec, serviceAccountName: name, serviceAccount: name }
}

/** One address and all of them: the first of all is the one, and the one wins where they differ. */
function sameIps(status: PodStatus): PodStatus {
  const { podIP = '', podIPs = [] } = status
  const first = podIPs[0]?.ip ?? ''
  if (first === podIP) return status
  if (podIP === '') return { ...status, podIP: first }
  return { ...status, podIPs: [{ ip: podIP }] }
}

/** Changes the containers that run and those that come first. */
function* changeContainers(spec: PodSpec, changeAll: (containers: Container[]) => Steps<Container[]>): Steps<PodSpec> {
  let changed = spec
  for (const list of ['containers', 'initContainers'] as const) {
    const given = spec[list]
    if (!given) continue
    const containers = yield* changeAll(given)
    if (containers === given) continue
    changed = { ...changed }
    changed[list] = containers
  }
  return changed
}

/** What is limited and not requested is requested up to its limit. */
function requestLimits(container: Container): Container {
  const { limits, requests } = container.resources
  if (limits === undefined) return container
  const missing = Object.keys(limits).filter((name) => requests === undefined || !Object.hasOwn(requests, name))
  if (requests !== undefined && missing.length === 0) return container
  const ordered = inOrder({ ...limits, ...requests })
  carryWritings(ordered, [requests ?? {}, limits])
  return { ...container, resources: { ...container.resources, requests: ordered } }
}

/** The same of a container whose limits may be very many. */
function* requestHeavyLimits(container: Container): Steps<Container> {
  const { limits, requests } = container.resources
  if (!isHeavy(container.resources) || limits === undefined) return requestLimits(container)
  const all = yield* unitedInSteps([limits, requests])
  const names = [...keysOf(all)]
  if (requests !== undefined && names.length === keysOf(requests).length) return container
  const inOrderOfNames = yield* sortInSteps(names, compareTexts)
  const ordered = (yield* mapInSteps(inOrderOfNames, (i) => all[inOrderOfNames[i] as string])) as Amounts
  yield
  carryWritings(ordered, [requests ?? {}, limits])
  return { ...container, resources: { ...container.resources, requests: ordered } }
}

function* requestAllLimits(containers: Container[]): Steps<Container[]> {
  if (!isHeavy(containers)) return requestLightLimits(containers)
  const changed: Container[] = []
  for (const container of containers) {
    yield
    changed.push(yield* requestHeavyLimits(container))
  }
  return changed.some((container, i) => container !== containers[i]) ? changed : containers
}

/** As maps are written: what comes in order stays as it is when it is brought into form. */
const inOrder = (amounts: Amounts): Amounts =>
  Object.fromEntries(Object.entries(amounts).sort(([a], [b]) => (a < b ? -1 : 1)))

function openHostPorts(container: Container): Container {
  if (container.ports === undefined) return container
  const ports = mapItems(container.ports, (port) => (port.hostPort ? port : { ...port, hostPort: port.containerPort }))
  return ports === container.ports ? container : { ...container, ports }
}

const requestLightLimits = memoizeInterned('requested-limits', (containers: Container[]) =>
  mapItems(containers, requestLimits),
)
const openPortsOfAll = memoizeInterned('open-host-ports', (containers: Container[]) =>
  mapItems(containers, openHostPorts),
)

function* openAllHostPorts(containers: Container[]): Steps<Container[]> {
  yield
  return openPortsOfAll(containers)
}

const isHugePages = (name: string): boolean => name.startsWith('hugepages-')
const isPodLevel = (name: string): boolean => name === 'cpu' || name === 'memory' || isHugePages(name)

/**
 * Limits of huge pages come from the containers, since v1.34 of those alone that are not requested; then requests from the containers
 * and from the pod's own limits.
 */
function* podResources(
  spec: PodSpec,
  resources: ResourceRequirements,
  unrequested: boolean,
): Steps<ResourceRequirements> {
  const { limits = {}, requests = {} } = resources
  if (keysOf(limits).length === 0 && keysOf(requests).length === 0) return resources
  const getsLimit = (name: string): boolean => isHugePages(name) && !(unrequested && Object.hasOwn(requests, name))
  const allLimits = yield* addMissing(limits, yield* total(spec, 'limits', getsLimit))
  if (keysOf(allLimits).length === 0) return resources
  const requested = yield* total(spec, 'requests', (name) => isPodLevel(name) && !isHugePages(name))
  const limited = (yield* listInSteps(keysOf(allLimits), (name) => [name, allLimits[name] as string] as const)).filter(
    ([name]) => isPodLevel(name),
  )
  const allRequests = yield* addMissing(requests, [...requested, ...limited])
  if (allLimits === resources.limits && allRequests === resources.requests) return resources
  const filled = keysOf(allRequests).length === 0 ? {} : { requests: allRequests }
  return { ...resources, limits: allLimits, ...filled }
}

type Amount = readonly [name: string, amount: string]

/** Of two of one name the first. */
function* addMissing(amounts: Amounts, more: readonly Amount[]): Steps<Amounts> {
  const missing = new Map<string, string>()
  let count = 0
  for (const [name, amount] of more) {
    if (++count % amountsPerStep === 0) yield
    if (!Object.hasOwn(amounts, name) && !missing.has(name)) missing.set(name, amount)
  }
  if (missing.size === 0) return amounts
  const names = [...missing.keys()]
  return yield* unitedInSteps([amounts, (yield* mapInSteps(names, (i) => missing.get(names[i] as string))) as Amounts])
}

const amountsPerStep = 256

/** What the containers need together: the sum, or the most that initialization needs at one time. */
function* total(spec: PodSpec, part: 'limits' | 'requests', isCounted: (name: string) => boolean): Steps<Amount[]> {
  const running = new Totals()
  const sidecars = new Totals()
  const peak = new Totals()
  function* each({ resources }: Container, count: (name: string, amount: Quantity) => void): Steps<void> {
    const counted = keysOf(resources[part] ?? {}).filter(isCounted)
    yield* listInSteps(counted, (name) => count(name, Quantity.parse(resources[part]?.[name] as string)))
  }
  for (const container of spec.containers ?? []) yield* each(container, (name, amount) => running.add(name, amount))
  for (const container of spec.initContainers ?? []) {
    const isSidecar = container.restartPolicy === 'Always'
    yield* each(container, (name, amount) => {
      if (isSidecar) running.add(name, amount)
      peak.raise(name, isSidecar ? sidecars.add(name, amount) : sidecars.of(name).add(amount))
    })
  }
  yield* listInSteps([...peak], ([name, amount]) => running.raise(name, amount))
  return yield* listInSteps([...running], ([name, amount]) => [name, amount.toString()] as const)
}

class Totals extends Map<string, Quantity> {
  of(name: string): Quantity {
    return this.get(name) ?? Quantity.zero
  }

  /** Returns the sum. */
  add(name: string, amount: Quantity): Quantity {
    const sum = this.of(name).add(amount)
    this.set(name, sum)
    return sum
  }

  raise(name: string, amount: Quantity): void {
    const known = this.get(name)
    if (known === undefined || known.compare(amount) < 0) this.set(name, amount)
  }
}

export const podDefaults: Readonly<Record<string, TypeRules>> = {
  'core.v1.Container': { after: rule<Container>(defaultContainer) },
  'core.v1.EphemeralContainer': { after: rule<EphemeralContainer>(defaultContainer) },
  'core.v1.Volume': { after: rule<Volume>(defaultVolume) },
  'core.v1.Pod': { before: ruleInSteps<Pod>(defaultPod) },
  'core.v1.PodSpec': { before: rule<PodSpec>(sameAccount) },
  'core.v1.PodTemplateSpec': { before: rule<PodTemplateSpec>(defaultTemplate) },
  'core.v1.PodStatus': { before: rule<PodStatus>(sameIps) },
}
