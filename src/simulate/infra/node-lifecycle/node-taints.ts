/** The taints that follow from a node's conditions. Mirrors pkg/controller/nodelifecycle: Controller.doNoScheduleTaintingPass. */
import type { Taint } from '../../../catalog/types/core-v1.ts'
import type { Node } from '../../objects.ts'
import { readyOf } from './node-health.ts'

const notReadyKey = 'node.kubernetes.io/not-ready'
const unreachableKey = 'node.kubernetes.io/unreachable'
const unschedulableKey = 'node.kubernetes.io/unschedulable'

/** By condition, then by its status. */
const conditionTaints: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: notReadyKey, Unknown: unreachableKey },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
}

const ownKeys = new Set([unschedulableKey, ...Object.values(conditionTaints).flatMap((keys) => Object.values(keys))])

const isOwn = ({ key, effect }: Taint): boolean => effect === 'NoSchedule' && ownKeys.has(key)

/** The node's taints with those of its conditions; undefined when it has them. */
export function withNoScheduleTaints({ spec, status }: Node, now: string): Taint[] | undefined {
  const wanted = (status?.conditions ?? []).flatMap(({ type, status: value }) => {
    const key = Object.hasOwn(conditionTaints, type) ? conditionTaints[type]?.[value] : undefined
    return key === undefined ? [] : [key]
  })
  if (spec?.unschedulable === true) wanted.push(unschedulableKey)
  const taints = spec?.taints ?? []
  const missing = wanted.filter((key) => !taints.some((taint) => isOwn(taint) && taint.key === key))
  const stale = taints.filter((taint) => isOwn(taint) && !wanted.includes(taint.key))
  if (missing.length === 0 && stale.length === 0) return undefined
  const added = [...new Set(missing)].map((key): Taint => ({ key, effect: 'NoSchedule', timeAdded: now }))
  return [...taints.filter((taint) => !stale.includes(taint)), ...added]
}

const isEviction = ({ key, effect }: Taint): boolean =>
  effect === 'NoExecute' && (key === notReadyKey || key === unreachableKey)

export const evictionTaintKey = (node: Node): string | undefined => {
  const status = readyOf(node)?.status
  return status === 'False' ? notReadyKey : status === 'Unknown' ? unreachableKey : undefined
}

export const hasEvictionTaint = ({ spec }: Node): boolean => (spec?.taints ?? []).some(isEviction)

/** The node's taints with this one alone of the two that evict, or with none; undefined when that is so. */
export function withEvictionTaint({ spec }: Node, key: string | undefined, now: string): Taint[] | undefined {
  const taints = spec?.taints ?? []
  const present = taints.filter(isEviction)
  const isSame = key === undefined ? present.length === 0 : present.length === 1 && present[0]?.key === key
  if (isSame) return undefined
  const others = taints.filter((taint) => !isEviction(taint))
  return key === undefined ? others : [...others, { key, effect: 'NoExecute', timeAdded: now }]
}

const copiedLabels = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
] as const

/** The beta labels follow the stable ones; undefined when they do. */
export function withCopiedLabels({ metadata }: Node): Record<string, string> | undefined {
  const labels = metadata.labels ?? {}
  const copies = copiedLabels.flatMap(([from, to]) => {
    const value = labels[from]
    return value === undefined || labels[to] === value ? [] : [[to, value] as const]
  })
  return copies.length === 0 ? undefined : { ...labels, ...Object.fromEntries(copies) }
}
