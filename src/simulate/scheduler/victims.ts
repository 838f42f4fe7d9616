/** Which pods would have to go for another to fit, and where that hurts least. Mirrors plugins/defaultpreemption, framework/preemption. */
import { LabelSelector, selectorOfObject } from '../../api/label-selector.ts'
import type { PodDisruptionBudget } from '../objects.ts'
import { addPod, type Cycle, type FilterRuns, removePod } from './cycle.ts'
import type { NodeInfo } from './node-info.ts'
import { nameOf, namespaceOf } from './objects.ts'
import type { PodInfo } from './pod-info.ts'
import { type Status, unresolvable } from './status.ts'

const noVictims = unresolvable('', 'No preemption victims found for incoming pod')

export interface PreemptionCandidate {
  readonly node: string
  /** The most important first. */
  readonly victims: readonly PodInfo[]
  /** How many of them a disruption budget protects. */
  readonly violations: number
}

export interface Budget {
  readonly namespace: string
  readonly selector: LabelSelector
  readonly allowed: number
  /** Pods whose disruption counts already. */
  isDisrupted(name: string): boolean
}

export function budgetOf(budget: PodDisruptionBudget): Budget {
  const disrupted = budget.status?.disruptedPods ?? {}
  return {
    namespace: namespaceOf(budget),
    selector: readSelector(budget),
    allowed: budget.status?.disruptionsAllowed ?? 0,
    isDisrupted: (name) => Object.hasOwn(disrupted, name),
  }
}

/** A budget without a selector, or with an empty one, protects nothing here. */
function readSelector({ spec }: PodDisruptionBudget): LabelSelector {
  try {
    const selector = selectorOfObject(spec?.selector)
    return selector.isEmpty() ? LabelSelector.nothing : selector
  } catch {
    return LabelSelector.nothing
  }
}

export interface DryRun {
  readonly cycle: Cycle
  readonly budgets: readonly Budget[]
  readonly now: number
}

/** The fewest pods of lower priority that have to go; or why that does not help. `node` and `runs` are clones. */
export function selectVictims(
  node: NodeInfo,
  runs: FilterRuns,
  { cycle, budgets, now }: DryRun,
): PreemptionCandidate | Status {
  const potential = [...node.pods.values()].filter(({ priority }) => priority < cycle.info.priority)
  if (potential.length === 0) return noVictims
  for (const pod of potential) removePod(runs, pod, node)
  const status = cycle.filterWithNominated(runs, node)
  if (status !== undefined) return status
  const sorted = potential.toSorted(byImportance(now))
  const [violating, others] = splitByBudgets(sorted, budgets)
  const victims: PodInfo[] = []
  const reprieve = (pod: PodInfo): boolean => {
    addPod(runs, pod, node)
    if (cycle.filterWithNominated(runs, node) === undefined) return true
    removePod(runs, pod, node)
    victims.push(pod)
    return false
  }
  const violations = violating.filter((pod) => !reprieve(pod)).length
  for (const pod of others) reprieve(pod)
  return { node: node.name, victims: victims.toSorted(byImportance(now)), violations }
}

/** Pods that no budget can spare any more come first; both lists keep their order. */
function splitByBudgets(pods: readonly PodInfo[], budgets: readonly Budget[]): [PodInfo[], PodInfo[]] {
  const left = budgets.map(({ allowed }) => allowed)
  const violating: PodInfo[] = []
  const others: PodInfo[] = []
  for (const pod of pods) {
    let isViolated = false
    for (const [i, budget] of budgets.entries()) {
      if (!protects(budget, pod)) continue
      left[i] = (left[i] ?? 0) - 1
      if (left[i] < 0) isViolated = true
    }
    if (isViolated) violating.push(pod)
    else others.push(pod)
  }
  return [violating, others]
}

const protects = ({ namespace, selector, isDisrupted }: Budget, { pod, labels }: PodInfo): boolean =>
  labels !== undefined && namespace === namespaceOf(pod) && selector.matches(labels) && !isDisrupted(nameOf(pod))

/** A pod that has not started yet started now. */
const startOf = ({ pod }: PodInfo, now: number): number => {
  const text = pod.status?.startTime
  return text === undefined ? now : Date.parse(text)
}

const byImportance =
  (now: number) =>
  (a: PodInfo, b: PodInfo): number =>
    b.priority - a.priority || startOf(a, now) - startOf(b, now)

/** By one measure after the other, until one is best; the first of those that remain. */
export function leastHarm(candidates: readonly PreemptionCandidate[], now: number): PreemptionCandidate | undefined {
  const measures: ((candidate: PreemptionCandidate) => number)[] = [
    ({ violations }) => -violations,
    ({ victims }) => -(victims[0]?.priority ?? 0),
    ({ victims }) => -victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0),
    ({ victims }) => -victims.length,
    ({ victims }) => earliestStart(victims, now),
  ]
  let remaining = candidates
  for (const measure of measures) {
    if (remaining.length <= 1) break
    const highest = remaining.reduce((most, each) => Math.max(most, measure(each)), Number.NEGATIVE_INFINITY)
    remaining = remaining.filter((each) => measure(each) === highest)
  }
  return remaining[0]
}

/** Of the most important victims. */
function earliestStart(victims: readonly PodInfo[], now: number): number {
  const highest = victims[0]?.priority
  return victims
    .filter(({ priority }) => priority === highest)
    .reduce((earliest, pod) => Math.min(earliest, startOf(pod, now)), Number.POSITIVE_INFINITY)
}
