/** What the claims of a pod would be given on a node. Mirrors dynamic-resource-allocation/structured: Allocator. */

import type { NodeSelector as NodeSelectorObject, NodeSelectorRequirement } from '../../../catalog/types/core-v1.ts'
import type {
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
} from '../../../catalog/types/resource-v1beta1.ts'
import type { DeviceClass, ResourceClaim, ResourceSlice } from '../../objects.ts'
import type { NodeInfo } from '../node-info.ts'
import { nameOf, schedulingKey } from '../objects.ts'
import type { Lister } from '../plugin.ts'
import { type DevicePool, poolName, poolsFor, reachOf } from './device-pools.ts'
import { choicesOf, fullName, type Request, type ResolvedRequest } from './device-requests.ts'
import { type ClaimResult, DeviceSearch, type FoundDevice, maxResults, type SearchOptions } from './device-search.ts'
import type { DeviceSelectors } from './device-selectors.ts'

/** Devices looked at for one pod, on all nodes. */
const maxSteps = 100_000

export interface AllocatorOptions {
  readonly claims: readonly ResourceClaim[]
  readonly classes: Lister<DeviceClass>
  readonly slices: readonly ResourceSlice[]
  readonly selectors: DeviceSelectors
  gate(name: string): boolean
  isAllocated(id: string): boolean
}

export class DeviceAllocator {
  readonly #options: AllocatorOptions
  #steps = 0

  constructor(options: AllocatorOptions) {
    this.#options = options
  }

  /** In the order of the claims; undefined where not all can be met. Throws where the claims make no sense. */
  allocate(node: NodeInfo): AllocationResult[] | undefined {
    const { claims, gate, slices, isAllocated } = this.#options
    const pools = poolsFor(node, slices, gate('DRAPartitionableDevices'))
    const searched = claims.map((claim) => ({ claim, choices: this.#resolved(claim, pools) }))
    const search = new DeviceSearch({
      node,
      pools,
      claims: searched,
      usesTaints: gate('DRADeviceTaints'),
      usesCounters: gate('DRAPartitionableDevices'),
      isAllocated,
      selects: (...question) => this.#selects(...question),
      spend: () => this.#spend(),
    })
    const results = search.run()
    return results?.map((result, i) => allocationOf(searched[i]?.claim, searched[i]?.choices ?? [], result))
  }

  #spend(): void {
    if (++this.#steps > maxSteps) throw new Error(`no allocation was found among ${maxSteps} possibilities`)
  }

  #resolved(claim: ResourceClaim, pools: readonly DevicePool[]): ResolvedRequest[][] {
    const choices = choicesOf(claim)
    const resolved = choices.map(({ alternatives }) => alternatives.map((each) => this.#resolve(claim, each, pools)))
    const fewest = resolved.reduce((sum, list) => sum + Math.min(...list.map(countOf)), 0)
    if (fewest > maxResults) {
      const limit = `exceeds the claim limit of ${maxResults}`
      throw new Error(`claim ${schedulingKey(claim)}: number of requested devices ${fewest} ${limit}`)
    }
    return resolved
  }

  #resolve(claim: ResourceClaim, request: Request, pools: readonly DevicePool[]): ResolvedRequest {
    const { classes, gate } = this.#options
    const wrong = (why: string): Error => new Error(`claim ${schedulingKey(claim)}, request ${request.name}: ${why}`)
    if (request.parent !== '' && !gate('DRAPrioritizedList')) {
      throw wrong('has subrequests, but the DRAPrioritizedList feature is disabled')
    }
    if (request.adminAccess !== undefined && !gate('DRAAdminAccess')) {
      throw wrong('admin access is requested, but the feature is disabled')
    }
    const deviceClass = classes.get('', request.deviceClassName)
    if (deviceClass === undefined) throw wrong(`could not retrieve device class ${request.deviceClassName}`)
    if (request.mode === 'All') {
      const open = pools.find(({ isIncomplete, fault }) => isIncomplete || fault !== undefined)
      const state = open?.isIncomplete === true ? 'being updated' : 'invalid'
      const which = open && poolName(open.driver, open.name)
      if (which !== undefined) throw wrong(`asks for all devices, but resource pool ${which} is currently ${state}`)
    }
    return { ...request, deviceClass }
  }

  #selects(...[request, claim, { pool, device }]: Parameters<SearchOptions['selects']>): boolean {
    const { basic } = device
    if (basic === undefined) return false
    const lists = [
      { who: `class ${nameOf(request.deviceClass)}`, selectors: request.deviceClass.spec.selectors ?? [] },
      { who: `claim ${schedulingKey(claim)}`, selectors: request.selectors },
    ]
    return lists.every(({ who, selectors }) =>
      selectors.every(({ cel }, i) => {
        try {
          return this.#options.selectors.matches(cel?.expression ?? '', pool.driver, basic)
        } catch (error) {
          throw new Error(`${who}: selector #${i}: ${(error as Error).message}`)
        }
      }),
    )
  }
}

/** Of all devices it is not known before the search. */
const countOf = ({ mode, count }: Request): number => (mode === 'All' ? 0 : count)

function allocationOf(
  claim: ResourceClaim | undefined,
  choices: readonly (readonly ResolvedRequest[])[],
  { devices, selected }: ClaimResult,
): AllocationResult {
  const results = devices.map(({ request, pool, device }): DeviceRequestAllocationResult => {
    const result = { request: fullName(request), driver: pool.driver, pool: pool.name, device: device.name }
    return { ...result, adminAccess: request.adminAccess === true ? true : null }
  })
  const met = choices.flatMap((alternatives, r) => alternatives[selected[r] ?? 0] ?? [])
  const config = [...classConfigs(met), ...claimConfigs(claim, met)]
  const nodeSelector = selectorOf(devices)
  return {
    devices: config.length === 0 ? { results } : { results, config },
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
  }
}

/** Once a class, for all requests that were met by it. */
function classConfigs(met: readonly ResolvedRequest[]): DeviceAllocationConfiguration[] {
  const byClass = new Map<DeviceClass, string[]>()
  for (const request of met) {
    const names = byClass.get(request.deviceClass) ?? []
    names.push(fullName(request))
    byClass.set(request.deviceClass, names)
  }
  return [...byClass].flatMap(([{ spec }, requests]) =>
    (spec.config ?? []).map((config) => ({ ...config, source: 'FromClass', requests })),
  )
}

function claimConfigs(
  claim: ResourceClaim | undefined,
  met: readonly ResolvedRequest[],
): DeviceAllocationConfiguration[] {
  return (claim?.spec.devices?.config ?? []).flatMap((config) => {
    const { requests = [] } = config
    const entry = { ...config, source: 'FromClaim' }
    if (requests.length === 0) return [entry]
    const isMeant = (request: ResolvedRequest): boolean =>
      requests.includes(request.parent === '' ? request.name : request.parent) || requests.includes(fullName(request))
    return met.filter(isMeant).map(() => entry)
  })
}

/** Nodes from which all of the devices can be used; undefined: every node. */
function selectorOf(devices: readonly FoundDevice[]): NodeSelectorObject | undefined {
  const fields: NodeSelectorRequirement[] = []
  const expressions: NodeSelectorRequirement[] = []
  for (const { slice, device } of devices) {
    const { nodeName, nodeSelector } = reachOf(slice, device.basic ?? {})
    if (nodeName !== undefined && nodeName !== '') {
      const matchFields = [{ key: 'metadata.name', operator: 'In', values: [nodeName] }]
      return { nodeSelectorTerms: [{ matchFields }] }
    }
    const [term, ...more] = nodeSelector?.nodeSelectorTerms ?? []
    if (more.length > 0) throw new Error(`unsupported ResourceSlice.NodeSelector with ${more.length + 1} terms`)
    addNew(fields, term?.matchFields)
    addNew(expressions, term?.matchExpressions)
  }
  if (fields.length === 0 && expressions.length === 0) return undefined
  const term = {
    ...(fields.length === 0 ? {} : { matchFields: fields }),
    ...(expressions.length === 0 ? {} : { matchExpressions: expressions }),
  }
  return { nodeSelectorTerms: [term] }
}

function addNew(list: NodeSelectorRequirement[], more: readonly NodeSelectorRequirement[] = []): void {
  const textOf = ({ key, operator, values = [] }: NodeSelectorRequirement): string =>
    [key, operator, ...new Set(values.toSorted())].join('\0')
  const known = new Set(list.map(textOf))
  for (const expression of more) if (!known.has(textOf(expression))) list.push(expression)
}
