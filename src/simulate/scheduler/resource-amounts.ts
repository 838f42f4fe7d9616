/**
 * What pods ask for and nodes have, as numbers: thousandths of a core, bytes, and whole units of anything else.
 * Mirrors component-helpers/resource: PodRequests, and pkg/scheduler/framework: Resource.
 */
import type { StringMap } from '../../api/object.ts'
import { Quantity } from '../../api/quantity.ts'
import type { Container, ContainerStatus } from '../../catalog/types/core-v1.ts'
import type { Pod } from '../objects.ts'

/** Counted for a container that asks for none, when nodes are scored. */
export const defaultMilliCpu = 100
export const defaultMemory = 200 * 1024 * 1024

export interface ResourceAmounts {
  milliCpu: number
  memory: number
  ephemeralStorage: number
  pods: number
  /** Extended resources, huge pages and the like. */
  scalars: Map<string, number> | undefined
}

export interface PodRequestOptions {
  /** Pod-level requests override the sum over containers (gate PodLevelResources). */
  readonly podLevel: boolean
  /** What a running container has counts where it is more (gate InPlacePodVerticalScaling). */
  readonly useStatus?: boolean
  /** Added to containers that do not name the resource. */
  readonly nonMissing?: StringMap
}

type Quantities = Map<string, Quantity>

export const noAmounts = (): ResourceAmounts => ({
  milliCpu: 0,
  memory: 0,
  ephemeralStorage: 0,
  pods: 0,
  scalars: undefined,
})

/** Neither computing, memory, storage nor anything else. */
export const isNothing = ({ milliCpu, memory, ephemeralStorage, scalars }: ResourceAmounts): boolean =>
  milliCpu === 0 && memory === 0 && ephemeralStorage === 0 && (scalars === undefined || scalars.size === 0)

export function cloneAmounts(amounts: ResourceAmounts): ResourceAmounts {
  const { milliCpu, memory, ephemeralStorage, pods, scalars } = amounts
  return { milliCpu, memory, ephemeralStorage, pods, scalars: scalars && new Map(scalars) }
}

export function addAmounts(target: ResourceAmounts, more: ResourceAmounts, sign: 1 | -1): void {
  target.milliCpu += sign * more.milliCpu
  target.memory += sign * more.memory
  target.ephemeralStorage += sign * more.ephemeralStorage
  if (more.scalars === undefined) return
  target.scalars ??= new Map()
  for (const [name, amount] of more.scalars) {
    target.scalars.set(name, (target.scalars.get(name) ?? 0) + sign * amount)
  }
}

export function amountsOfList(list: StringMap | undefined): ResourceAmounts {
  return amountsOfQuantities(quantitiesOf(list))
}

export function podRequests(pod: Pod, options: PodRequestOptions): ResourceAmounts {
  return amountsOfQuantities(requestedQuantities(pod, options))
}

function amountsOfQuantities(quantities: Quantities): ResourceAmounts {
  const amounts = noAmounts()
  for (const [name, quantity] of quantities) {
    if (name === 'cpu') amounts.milliCpu = quantity.milliValue()
    else if (name === 'memory') amounts.memory = quantity.value()
    else if (name === 'ephemeral-storage') amounts.ephemeralStorage = quantity.value()
    else if (name === 'pods') amounts.pods = quantity.value()
    else if (isScalarName(name)) {
      amounts.scalars ??= new Map()
      amounts.scalars.set(name, quantity.value())
    }
  }
  return amounts
}

/** Mirrors pkg/scheduler/util: IsScalarResourceName. */
function isScalarName(name: string): boolean {
  if (name.startsWith('hugepages-') || name.startsWith('attachable-volumes-')) return true
  return name.includes('kubernetes.io/') || (name.includes('/') && !name.startsWith('requests.'))
}

function requestedQuantities(pod: Pod, options: PodRequestOptions): Quantities {
  const { spec } = pod
  const total = containerRequests(pod, options)
  if (options.podLevel && hasPodLevelRequests(pod)) {
    for (const [name, quantity] of quantitiesOf(spec.resources?.requests)) {
      if (isPodLevelName(name)) total.set(name, quantity)
    }
  }
  addAll(total, quantitiesOf(spec.overhead))
  return total
}

const isPodLevelName = (name: string): boolean => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')

export const hasPodLevelRequests = ({ spec }: Pod): boolean =>
  Object.keys(spec.resources?.requests ?? {}).some(isPodLevelName)

/** Containers add up, init containers count by their highest, side-cars with all that come after them. */
function containerRequests(pod: Pod, options: PodRequestOptions): Quantities {
  const { containers, initContainers } = pod.spec
  const total: Quantities = new Map()
  for (const container of containers) addAll(total, requestsOf(container, pod, options))
  if (initContainers === undefined || initContainers.length === 0) return total
  const sidecars: Quantities = new Map()
  const highest: Quantities = new Map()
  for (const container of initContainers) {
    const own = requestsOf(container, pod, options)
    if (container.restartPolicy === 'Always') {
      addAll(sidecars, own)
      raise(highest, sidecars)
    } else {
      addAll(own, sidecars)
      raise(highest, own)
    }
  }
  addAll(total, sidecars)
  raise(total, highest)
  return total
}

function requestsOf(container: Container, pod: Pod, { useStatus, nonMissing }: PodRequestOptions): Quantities {
  const status = useStatus === true ? statusOf(container, pod) : undefined
  const own =
    status === undefined ? quantitiesOf(container.resources?.requests) : resizedRequests(container, pod, status)
  for (const [name, text] of Object.entries(nonMissing ?? {})) {
    if (!own.has(name)) own.set(name, Quantity.parse(text))
  }
  return own
}

/** What the kubelet reports counts for containers that run as long as the pod. */
function statusOf(container: Container, { spec, status }: Pod): ContainerStatus | undefined {
  const isSidecar = container.restartPolicy === 'Always'
  const isMain = spec.containers.includes(container)
  if (!isMain && !isSidecar) return undefined
  const list = isMain ? status?.containerStatuses : status?.initContainerStatuses
  const found = list?.find(({ name }) => name === container.name)
  return found?.resources === undefined ? undefined : found
}

/** The most of what it asks for, has, and was given; what it asks for does not count where it cannot be had. */
function resizedRequests(container: Container, { status }: Pod, running: ContainerStatus): Quantities {
  const pending = status?.conditions?.find(({ type }) => type === 'PodResizePending')
  const highest = pending?.reason === 'Infeasible' ? new Map() : quantitiesOf(container.resources?.requests)
  raise(highest, quantitiesOf(running.resources?.requests))
  raise(highest, quantitiesOf(running.allocatedResources))
  return highest
}

function quantitiesOf(list: StringMap | undefined): Quantities {
  const quantities: Quantities = new Map()
  for (const name in list) quantities.set(name, Quantity.parse(String(list[name])))
  return quantities
}

function addAll(target: Quantities, more: Quantities): void {
  for (const [name, quantity] of more) {
    const before = target.get(name)
    target.set(name, before === undefined ? quantity : before.add(quantity))
  }
}

function raise(target: Quantities, least: Quantities): void {
  for (const [name, quantity] of least) {
    const before = target.get(name)
    if (before === undefined || before.compare(quantity) < 0) target.set(name, quantity)
  }
}
