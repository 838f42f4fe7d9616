/**
 * Defaults of pods, their containers and volumes that depend on other fields.
 * Mirrors pkg/apis/core/v1: SetDefaults_Pod, SetDefaults_PodSpec, SetDefaults_Container,
 * SetDefaults_EphemeralContainer, SetDefaults_Volume.
 */

import { carryWritings } from '../../api/given-writing.ts'
import { memoizeInterned } from '../../api/interned.ts'
import { copyObject, type JsonObject, setKey } from '../../api/json.ts'
import { Quantity } from '../../api/quantity.ts'
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
import { type DefaultingContext, fill, rule, type TypeRules } from './rule.ts'

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

function defaultPod(pod: Pod, { enabled }: DefaultingContext): Pod {
  const metadata = withoutInitAnnotations(pod.metadata)
  let { spec } = pod
  // Less than no time is taken for the least; in templates it stays as it is.
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec = { ...spec, terminationGracePeriodSeconds: 1 }
  spec = requestAllLimits(spec)
  if (enabled('PodLevelResources') && spec.resources !== undefined) {
    const resources = podResources(spec, spec.resources, enabled('release:podLevelRules'))
    if (resources !== spec.resources) spec = { ...spec, resources }
  }
  if (spec.hostNetwork === true) spec = openAllHostPorts(spec)
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
function eachContainer(change: (container: Container) => Container): (spec: PodSpec) => PodSpec {
  const changeAll = memoizeInterned('pod-rule-containers', (containers: Container[]) => mapItems(containers, change))
  return (spec) => {
    let changed = spec
    for (const list of ['containers', 'initContainers'] as const) {
      const given = spec[list]
      if (!given) continue
      const containers = changeAll(given)
      if (containers === given) continue
      changed = { ...changed }
      changed[list] = containers
    }
    return changed
  }
}

/** What is limited and not requested is requested up to its limit. */
function requestLimits(container: Container): Container {
  const { limits, requests } = container.resources
  if (limits === undefined) return container
  const all = addMissing(requests ?? {}, Object.entries(limits))
  if (all === requests) return container
  const ordered = inOrder(all)
  carryWritings(ordered, [requests ?? {}, limits])
  return { ...container, resources: { ...container.resources, requests: ordered } }
}

function addMissing(amounts: Amounts, more: Iterable<readonly [string, string]>): Amounts {
  let all = amounts
  for (const [name, amount] of more) {
    if (Object.hasOwn(all, name)) continue
    if (all === amounts) all = copyObject(amounts)
    setKey(all as JsonObject, name, amount)
  }
  return all
}

/** As maps are written: what comes in order stays as it is when it is brought into form. */
const inOrder = (amounts: Amounts): Amounts =>
  Object.fromEntries(Object.entries(amounts).sort(([a], [b]) => (a < b ? -1 : 1)))

function openHostPorts(container: Container): Container {
  if (container.ports === undefined) return container
  const ports = mapItems(container.ports, (port) => (port.hostPort ? port : { ...port, hostPort: port.containerPort }))
  return ports === container.ports ? container : { ...container, ports }
}

const requestAllLimits = eachContainer(requestLimits)
const openAllHostPorts = eachContainer(openHostPorts)

const isHugePages = (name: string): boolean => name.startsWith('hugepages-')
const isPodLevel = (name: string): boolean => name === 'cpu' || name === 'memory' || isHugePages(name)

/**
 * Limits of huge pages come from the containers, since v1.34 of those alone that are not requested; then requests from the containers
 * and from the pod's own limits.
 */
function podResources(spec: PodSpec, resources: ResourceRequirements, unrequested: boolean): ResourceRequirements {
  const { limits = {}, requests = {} } = resources
  if (Object.keys(limits).length === 0 && Object.keys(requests).length === 0) return resources
  const getsLimit = (name: string): boolean => isHugePages(name) && !(unrequested && Object.hasOwn(requests, name))
  const hugePages = total(spec, 'limits').filter(([name]) => getsLimit(name))
  const allLimits = addMissing(limits, hugePages)
  if (Object.keys(allLimits).length === 0) return resources
  const requested = total(spec, 'requests').filter(([name]) => isPodLevel(name) && !isHugePages(name))
  const limited = Object.entries(allLimits).filter(([name]) => isPodLevel(name))
  const allRequests = addMissing(requests, [...requested, ...limited])
  if (allLimits === resources.limits && allRequests === resources.requests) return resources
  const filled = Object.keys(allRequests).length === 0 ? {} : { requests: allRequests }
  return { ...resources, limits: allLimits, ...filled }
}

/** What the containers need together: the sum, or the most that initialization needs at one time. */
function total(spec: PodSpec, part: 'limits' | 'requests'): [string, string][] {
  const running = new Map<string, Quantity>()
  for (const { resources } of spec.containers ?? []) addAll(running, resources[part])
  const sidecars = new Map<string, Quantity>()
  const peak = new Map<string, Quantity>()
  for (const { resources, restartPolicy } of spec.initContainers ?? []) {
    const isSidecar = restartPolicy === 'Always'
    if (isSidecar) {
      addAll(running, resources[part])
      addAll(sidecars, resources[part])
    }
    const now = new Map(sidecars)
    if (!isSidecar) addAll(now, resources[part])
    raise(peak, now)
  }
  raise(running, peak)
  return [...running].map(([name, amount]) => [name, amount.toString()])
}

function addAll(sum: Map<string, Quantity>, amounts: Amounts | undefined): void {
  for (const [name, amount] of Object.entries(amounts ?? {})) {
    sum.set(name, (sum.get(name) ?? Quantity.zero).add(Quantity.parse(amount)))
  }
}

function raise(most: Map<string, Quantity>, amounts: ReadonlyMap<string, Quantity>): void {
  for (const [name, amount] of amounts) {
    const known = most.get(name)
    if (known === undefined || known.compare(amount) < 0) most.set(name, amount)
  }
}

export const podDefaults: Readonly<Record<string, TypeRules>> = {
  'core.v1.Container': { after: rule<Container>(defaultContainer) },
  'core.v1.EphemeralContainer': { after: rule<EphemeralContainer>(defaultContainer) },
  'core.v1.Volume': { after: rule<Volume>(defaultVolume) },
  'core.v1.Pod': { before: rule<Pod>(defaultPod) },
  'core.v1.PodSpec': { before: rule<PodSpec>(sameAccount) },
  'core.v1.PodTemplateSpec': { before: rule<PodTemplateSpec>(defaultTemplate) },
  'core.v1.PodStatus': { before: rule<PodStatus>(sameIps) },
}
