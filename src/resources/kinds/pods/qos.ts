/** The quality of service that a pod's requests and limits of processor and memory earn it. */
import { keysOf } from '../../../api/key-lists.ts'
import { Quantity } from '../../../api/quantity.ts'
import type { PodSpec, ResourceRequirements } from '../../../catalog/types/core-v1.ts'
import { amountOf } from './resource-requirements.ts'

export type QosClass = 'BestEffort' | 'Burstable' | 'Guaranteed'

const computeResources = ['cpu', 'memory'] as const

export function qosClassOf(spec: PodSpec, podLevelResources: boolean): QosClass {
  const ofPod = podLevelResources ? spec.resources : undefined
  const all =
    ofPod === undefined
      ? [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => resources)
      : [ofPod]
  const requests = new Map<string, Quantity>()
  const limits = new Map<string, Quantity>()
  let guaranteed = true
  for (const resources of all) {
    add(requests, resources?.requests)
    const found = add(limits, resources?.limits)
    const counts = ofPod === undefined || keysOf(ofPod.limits ?? {}).length > 0
    if (counts && found < computeResources.length) guaranteed = false
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort'
  if (!guaranteed || requests.size !== limits.size) return 'Burstable'
  for (const [name, request] of requests) {
    const limit = limits.get(name)
    if (limit === undefined || limit.compare(request) !== 0) return 'Burstable'
  }
  return 'Guaranteed'
}

/** Adds the amounts that are more than nothing; says how many there were. */
function add(sums: Map<string, Quantity>, list: ResourceRequirements['limits']): number {
  if (list === undefined) return 0
  let found = 0
  for (const name of computeResources) {
    const text = list[name]
    if (text === undefined) continue
    const amount = amountOf(text)
    if (amount.sign() <= 0) continue
    found++
    sums.set(name, (sums.get(name) ?? Quantity.zero).add(amount))
  }
  return found
}
