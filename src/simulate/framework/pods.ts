/**
 * What controllers ask of pods.
 * Mirrors pkg/api/v1/pod: IsPodReady, IsPodAvailable. Mirrors pkg/controller: IsPodActive, ActivePodsWithRanks.
 */
import { millisOfInstant, parseTime } from '../../api/time.ts'
import type { Pod, PodCondition } from '../../catalog/types/core-v1.ts'
import type { Index } from './informer.ts'
import { controllerOf } from './owners.ts'

/** Pods by the uid of their controller; those without one by their namespace. */
export const byController: Index<Pod> = {
  name: 'controller',
  keys: (pod) => [controllerOf(pod)?.uid ?? orphansOf(pod.metadata.namespace ?? '')],
}

/** The value under which `byController` has the pods of a namespace that have no controller. */
export const orphansOf = (namespace: string): string => `/${namespace}`

export const byNode: Index<Pod> = { name: 'node', keys: ({ spec }) => [spec.nodeName] }

export const millisOf = (time: string): number => millisOfInstant(parseTime(time))

export function podCondition(pod: Pod, type: string): PodCondition | undefined {
  return pod.status.conditions?.find((condition) => condition.type === type)
}

export const isReady = (pod: Pod): boolean => podCondition(pod, 'Ready')?.status === 'True'

export const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined

export const isFinished = ({ status }: Pod): boolean => status.phase === 'Succeeded' || status.phase === 'Failed'

export const isActive = (pod: Pod): boolean => !isFinished(pod) && !isTerminating(pod)

/** Milliseconds until a ready pod is available, 0 when it is, infinite when unknown; undefined when it is not ready. */
export function untilAvailable(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  const ready = podCondition(pod, 'Ready')
  if (ready?.status !== 'True') return undefined
  if (minReadySeconds === 0) return 0
  // Unknown without a timestamp.
  if (ready.lastTransitionTime == null) return Number.POSITIVE_INFINITY
  return Math.max(0, millisOf(ready.lastTransitionTime) + minReadySeconds * 1000 - now)
}

export const isAvailable = (pod: Pod, minReadySeconds: number, now: number): boolean =>
  untilAvailable(pod, minReadySeconds, now) === 0

/** The least time until one of the pods that are ready becomes available; undefined when none will by itself. */
export function nextAvailability(pods: readonly Pod[], minReadySeconds: number, now: number): number | undefined {
  if (minReadySeconds === 0) return undefined
  let least = Number.POSITIVE_INFINITY
  for (const pod of pods) least = Math.min(least, untilAvailable(pod, minReadySeconds, now) || Number.POSITIVE_INFINITY)
  return least === Number.POSITIVE_INFINITY ? undefined : least
}

const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }
const phaseRank = ({ status }: Pod): number => phaseOrder[status.phase ?? ''] ?? 0

const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost'

function deletionCost({ metadata }: Pod): number {
  const text = metadata.annotations?.[deletionCostAnnotation] ?? ''
  return /^(?:0|-?[1-9]\d*)$/.test(text) && Math.abs(Number(text)) <= 2 ** 31 - 1 ? Number(text) : 0
}

/** Times in classes of doubling age, so that no pod is spared for being a little older. */
function ageClass(time: number, now: number): number {
  const age = Math.floor((now - time) / 1000)
  return age <= 0 ? -1 : Math.floor(Math.log2(age))
}

const readyTime = (pod: Pod): number => {
  const time = podCondition(pod, 'Ready')?.lastTransitionTime
  return time == null ? 0 : millisOf(time)
}

const maxRestarts = ({ status }: Pod): number =>
  Math.max(0, ...(status.containerStatuses ?? []).map(({ restartCount }) => restartCount))

/** The pods to delete first, first. `related` are all pods that count for who shares a node. */
export function inDeletionOrder(pods: readonly Pod[], related: readonly Pod[], now: number): Pod[] {
  const onNode = new Map<string, number>()
  for (const pod of related) {
    const node = pod.spec.nodeName ?? ''
    if (node !== '' && isReady(pod) && isActive(pod)) onNode.set(node, (onNode.get(node) ?? 0) + 1)
  }
  const rank = (pod: Pod): number => onNode.get(pod.spec.nodeName ?? '') ?? 0
  return [...pods].sort((a, b) => {
    const isAssigned = Number((a.spec.nodeName ?? '') !== '') - Number((b.spec.nodeName ?? '') !== '')
    return (
      isAssigned ||
      phaseRank(a) - phaseRank(b) ||
      Number(isReady(a)) - Number(isReady(b)) ||
      deletionCost(a) - deletionCost(b) ||
      rank(b) - rank(a) ||
      (isReady(a) ? ageClass(readyTime(a), now) - ageClass(readyTime(b), now) : 0) ||
      maxRestarts(b) - maxRestarts(a) ||
      ageClass(createdAt(a), now) - ageClass(createdAt(b), now) ||
      (nameOf(a) < nameOf(b) ? -1 : 1)
    )
  })
}

const nameOf = ({ metadata }: Pod): string => metadata.name ?? ''

export function createdAt({ metadata }: Pick<Pod, 'metadata'>): number {
  return metadata.creationTimestamp === null ? 0 : millisOf(metadata.creationTimestamp)
}
