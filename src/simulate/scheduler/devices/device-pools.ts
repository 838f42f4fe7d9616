/** The devices that a node can reach, by pool. Mirrors dynamic-resource-allocation/structured: GatherPools. */

import type { NodeSelector as NodeSelectorObject } from '../../../catalog/types/core-v1.ts'
import type { BasicDevice, ResourceSliceSpec } from '../../../catalog/types/resource-v1beta1.ts'
import type { ResourceSlice } from '../../objects.ts'
import type { NodeInfo } from '../node-info.ts'
import { nodeSelector } from '../node-selector.ts'

export interface DevicePool {
  readonly driver: string
  readonly name: string
  /** Of the newest generation. */
  readonly slices: readonly ResourceSliceSpec[]
  /** Slices are still missing. */
  readonly isIncomplete: boolean
  /** Why it cannot be used. */
  readonly fault: string | undefined
}

interface Reach {
  readonly nodeName?: string
  readonly allNodes?: boolean
  readonly nodeSelector?: NodeSelectorObject
}

export function reaches({ nodeName = '', allNodes, nodeSelector: selector }: Reach, node: NodeInfo): boolean {
  if (nodeName !== '') return nodeName === node.name
  if (allNodes === true) return true
  return selector !== undefined && nodeSelector(selector)(node)
}

/** `partitionable` as the gate DRAPartitionableDevices says; without it, slices that need it are left out. */
export function poolsFor(node: NodeInfo, slices: readonly ResourceSlice[], partitionable: boolean): DevicePool[] {
  const pools = new Map<string, ResourceSliceSpec[]>()
  for (const { spec } of slices) {
    if (!partitionable && (spec.sharedCounters !== undefined || spec.perDeviceNodeSelection !== undefined)) continue
    if (!isReachable(spec, node)) continue
    const id = poolName(spec.driver, spec.pool.name)
    pools.set(id, withNewer(pools.get(id), spec))
  }
  return [...pools.values()].flatMap((list) => {
    const [first] = list
    if (first === undefined) return []
    const { driver, pool } = first
    const isIncomplete = list.length !== pool.resourceSliceCount
    return [{ driver, name: pool.name, slices: list, isIncomplete, fault: faultOf(list) }]
  })
}

export const poolName = (driver: string, pool: string): string => `${driver}/${pool}`

function isReachable(spec: ResourceSliceSpec, node: NodeInfo): boolean {
  if (spec.perDeviceNodeSelection !== true) return reaches(spec, node)
  return (spec.devices ?? []).some(({ basic }) => basic !== undefined && reaches(basic, node))
}

function withNewer(known: ResourceSliceSpec[] | undefined, spec: ResourceSliceSpec): ResourceSliceSpec[] {
  const generation = known?.[0]?.pool.generation
  if (known === undefined || generation === undefined || spec.pool.generation > generation) return [spec]
  return spec.pool.generation < generation ? known : [...known, spec]
}

function faultOf(slices: readonly ResourceSliceSpec[]): string | undefined {
  const names = new Set<string>()
  for (const { name } of slices.flatMap(({ devices }) => devices ?? [])) {
    if (names.has(name)) return `duplicate device name ${name}`
    names.add(name)
  }
  return undefined
}

/** Where a device may be used, as the selector of an allocation has it. */
export const reachOf = (slice: ResourceSliceSpec, device: BasicDevice): Reach =>
  slice.perDeviceNodeSelection === true ? device : slice
