/** The effective resource requests of a pod: containers are summed, init containers count by their maximum, sidecars run beside both. */
import { entriesOf } from '../api/key-lists.ts'
import type { StringMap } from '../api/object.ts'
import { Quantity } from '../api/quantity.ts'
import type { Container, ContainerStatus, PodSpec, PodStatus } from '../catalog/types/core-v1.ts'
import { runToEnd, type Steps } from '../lib/in-turns.ts'

/** Amounts by resource name. */
export type Amounts = Map<string, Quantity>

export function amountsOf(list: StringMap | undefined): Amounts {
  return runToEnd(amountsInSteps(list, new Map()))
}

/** Names of resources in a step. */
const namesOfStep = 500

/** `known`: amounts by their texts, of which a pod has few. */
function* amountsInSteps(list: StringMap | undefined, known: Map<string, Quantity>): Steps<Amounts> {
  const amounts: Amounts = new Map()
  if (list === undefined) return amounts
  for (const [name, given] of entriesOf(list)) {
    const text = String(given)
    const amount = known.get(text) ?? Quantity.parse(text)
    known.set(text, amount)
    amounts.set(name, amount)
    if (amounts.size % namesOfStep === 0) yield
  }
  return amounts
}

export function addQuantities(target: Amounts, more: Amounts): void {
  runToEnd(addInSteps(target, more))
}

function* addInSteps(target: Amounts, more: Amounts): Steps<void> {
  let count = 0
  for (const [name, amount] of more) {
    if (++count % namesOfStep === 0) yield
    const before = target.get(name)
    target.set(name, before === undefined ? amount : before.add(amount))
  }
}

function raiseAmounts(target: Amounts, least: Amounts): void {
  for (const [name, amount] of least) raiseAmount(target, name, amount)
}

function raiseAmount(target: Amounts, name: string, least: Quantity): void {
  const before = target.get(name)
  if (before === undefined || before.compare(least) < 0) target.set(name, least)
}

type ResourceSide = 'requests' | 'limits'

export interface PodAmountOptions {
  /** Adds what the runtime itself takes. */
  readonly overhead?: boolean
  /** Of a pod that may be resized: what its containers have counts where it is more than what they ask for. */
  readonly status?: PodStatus | undefined
}

/** Containers in a step: a pod may have thousands. */
export const containersOfStep = 256

/**
 * The sum over a pod's containers, but for what the pod asks for as a whole. What a gate switches off is not kept in pods: what is there counts.
 * Mirrors component-helpers/resource: PodRequests, PodLimits.
 */
export function* podAmountsInSteps(spec: PodSpec, part: ResourceSide, options: PodAmountOptions = {}): Steps<Amounts> {
  const { overhead = false } = options
  const reports = reportsOf(options.status)
  const known = new Map<string, Quantity>()
  const total: Amounts = new Map()
  for (const [i, container] of (spec.containers ?? []).entries()) {
    if (i % containersOfStep === containersOfStep - 1) yield
    yield* addInSteps(total, yield* amountsIn(container, part, { reports, known }))
  }
  const sidecars: Amounts = new Map()
  const highest: Amounts = new Map()
  for (const [i, container] of (spec.initContainers ?? []).entries()) {
    if (i % containersOfStep === containersOfStep - 1) yield
    const isSidecar = container.restartPolicy === 'Always'
    const own = yield* amountsIn(container, part, { reports: isSidecar ? reports : undefined, known })
    if (isSidecar) addQuantities(sidecars, own)
    // Of other names the side-cars have as much as before, and that counts already.
    for (const [name, amount] of own) {
      const running = sidecars.get(name)
      raiseAmount(highest, name, isSidecar ? (running ?? amount) : running === undefined ? amount : amount.add(running))
    }
  }
  addQuantities(total, sidecars)
  raiseAmounts(total, highest)
  for (const [name, amount] of amountsOf(spec.resources?.[part])) if (isPodLevelName(name)) total.set(name, amount)
  if (overhead) addOverhead(total, amountsOf(spec.overhead), part)
  return total
}

/** The same in one go. */
export const podAmounts = (spec: PodSpec, part: ResourceSide, options?: PodAmountOptions): Amounts =>
  runToEnd(podAmountsInSteps(spec, part, options))

interface ContainerReports {
  readonly byName: ReadonlyMap<string, ContainerStatus>
  /** The node cannot give what is asked for: it does not count. */
  readonly isInfeasible: boolean
}

/** What a status says of the resources that containers have. */
function reportsOf(status: PodStatus | undefined): ContainerReports | undefined {
  if (status === undefined) return undefined
  const byName = new Map<string, ContainerStatus>()
  for (const statuses of [status.initContainerStatuses, status.containerStatuses]) {
    for (const each of statuses ?? [])
      if (each.resources !== undefined && !byName.has(each.name)) byName.set(each.name, each)
  }
  const pending = status.conditions?.find(({ type }) => type === 'PodResizePending')
  return { byName, isInfeasible: pending?.reason === 'Infeasible' }
}

/** What a container asks for, or has. */
function* amountsIn(
  { name, resources }: Container,
  part: ResourceSide,
  { reports, known }: { readonly reports: ContainerReports | undefined; readonly known: Map<string, Quantity> },
): Steps<Amounts> {
  const asked = yield* amountsInSteps(resources?.[part], known)
  const reported = reports?.byName.get(name)
  if (reported === undefined) return asked
  const amounts: Amounts = reports?.isInfeasible === true ? new Map() : asked
  raiseAmounts(amounts, amountsOf(reported.resources?.[part]))
  if (part === 'requests') raiseAmounts(amounts, amountsOf(reported.allocatedResources))
  return amounts
}

const isPodLevelName = (name: string): boolean => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')

/** Whether the pod says as a whole what it asks for: its containers need not. */
export const hasPodLevelAmounts = ({ resources }: PodSpec): boolean =>
  [resources?.requests, resources?.limits].some((list) => Object.keys(list ?? {}).some(isPodLevelName))

/** An amount that nothing limits, or that is limited to none, stays as it is. */
function addOverhead(total: Amounts, overhead: Amounts, part: ResourceSide): void {
  for (const [name, amount] of overhead) {
    const before = total.get(name)
    if (part === 'limits' && (before === undefined || before.isZero())) continue
    total.set(name, before === undefined ? amount : before.add(amount))
  }
}

/** Asks for neither computing nor memory. Mirrors pkg/apis/core/v1/helper/qos: GetPodQOS. */
export function isBestEffort({ spec, status }: { readonly spec: PodSpec; readonly status?: PodStatus }): boolean {
  if (status?.qosClass) return status.qosClass === 'BestEffort'
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
  const all = spec.resources === undefined ? containers.map(({ resources }) => resources) : [spec.resources]
  const lists = all.flatMap((resources) => [resources?.requests, resources?.limits])
  return !lists.some((list) =>
    ['cpu', 'memory'].some((name) => list?.[name] !== undefined && Quantity.parse(list[name]).sign() > 0),
  )
}
