/**
 * The search for devices that meet all claims of a pod on one node: device by device, back where it does not go on. Mirrors
 * dynamic-resource-allocation/structured: allocator.
 *
 * Bound: `spend` counts the devices that are looked at and throws when there were too many.
 */
import { Quantity } from '../../../api/quantity.ts'
import type {
  BasicDevice,
  Device,
  DeviceAttribute,
  ResourceSliceSpec,
} from '../../../catalog/types/resource-v1beta1.ts'
import type { ResourceClaim } from '../../objects.ts'
import type { NodeInfo } from '../node-info.ts'
import { schedulingKey } from '../objects.ts'
import { toleratesTaint } from '../toleration.ts'
import { type DevicePool, poolName, reaches } from './device-pools.ts'
import type { ResolvedRequest } from './device-requests.ts'

/** Results of a claim. */
export const maxResults = 32

export interface FoundDevice {
  readonly request: ResolvedRequest
  readonly id: string
  readonly pool: DevicePool
  readonly slice: ResourceSliceSpec
  readonly device: Device
}

export interface SearchedClaim {
  readonly claim: ResourceClaim
  readonly choices: readonly (readonly ResolvedRequest[])[]
}

export interface SearchOptions {
  readonly node: NodeInfo
  readonly pools: readonly DevicePool[]
  readonly claims: readonly SearchedClaim[]
  readonly usesTaints: boolean
  readonly usesCounters: boolean
  /** Of other claims. */
  isAllocated(id: string): boolean
  /** Whether the selectors of the request and its class choose the device. */
  selects(request: ResolvedRequest, claim: ResourceClaim, found: { pool: DevicePool; device: Device }): boolean
  spend(): void
}

export interface ClaimResult {
  readonly devices: FoundDevice[]
  /** The alternative that each request was met by. */
  readonly selected: number[]
}

interface Constraint {
  readonly attribute: string
  readonly requests: ReadonlySet<string>
}

export class DeviceSearch {
  readonly #options: SearchOptions
  readonly #results: ClaimResult[]
  readonly #constraints: readonly (readonly Constraint[])[]
  readonly #taken = new Set<string>()
  readonly #selectable = new Map<ResolvedRequest, Map<string, boolean>>()

  constructor(options: SearchOptions) {
    this.#options = options
    this.#results = options.claims.map(() => ({ devices: [], selected: [] }))
    this.#constraints = options.claims.map(({ claim }) => constraintsOf(claim))
  }

  /** Results in the order of the claims; undefined where not all can be met. */
  run(): readonly ClaimResult[] | undefined {
    return this.#claim(0) ? this.#results : undefined
  }

  #claim(c: number): boolean {
    return c >= this.#options.claims.length || this.#choice(c, 0)
  }

  #choice(c: number, r: number): boolean {
    const alternatives = this.#options.claims[c]?.choices[r]
    if (alternatives === undefined) return this.#claim(c + 1)
    return alternatives.some((request, i) => {
      const { selected } = this.#result(c)
      selected[r] = i
      return this.#request(c, r, request)
    })
  }

  #request(c: number, r: number, request: ResolvedRequest): boolean {
    if (request.mode !== 'All') return this.#count(c, r, { request, left: request.count })
    const all = [...this.#devices(c, request)]
    if (all.length === 0) return false
    return this.#all(c, r, { request, all, next: 0 })
  }

  #result(c: number): ClaimResult {
    return this.#results[c] ?? { devices: [], selected: [] }
  }

  #hasRoom(c: number, more: number): boolean {
    return this.#result(c).devices.length + more <= maxResults
  }

  #all(
    c: number,
    r: number,
    { request, all, next }: { request: ResolvedRequest; all: FoundDevice[]; next: number },
  ): boolean {
    const found = all[next]
    if (found === undefined) return this.#choice(c, r + 1)
    if (!this.#hasRoom(c, all.length - next) || !this.#isFree(request, found.id)) return false
    if (!this.#take(c, found)) {
      const { claim } = this.#options.claims[c] ?? {}
      const who = claim === undefined ? '' : schedulingKey(claim)
      const why = 'because a claim constraint would not be satisfied'
      throw new Error(`claim ${who}, request ${request.name}: cannot add device ${found.id} ${why}`)
    }
    if (this.#all(c, r, { request, all, next: next + 1 })) return true
    this.#release(c, found)
    return false
  }

  #count(c: number, r: number, { request, left }: { request: ResolvedRequest; left: number }): boolean {
    if (left <= 0) return this.#choice(c, r + 1)
    if (!this.#hasRoom(c, left)) return false
    for (const found of this.#devices(c, request)) {
      if (!this.#isFree(request, found.id) || !this.#take(c, found)) continue
      if (this.#count(c, r, { request, left: left - 1 })) return true
      this.#release(c, found)
    }
    return false
  }

  *#devices(c: number, request: ResolvedRequest): Iterable<FoundDevice> {
    for (const pool of this.#options.pools) {
      if (pool.fault !== undefined) throw new Error(`pool ${pool.name} is invalid: ${pool.fault}`)
      for (const slice of pool.slices) {
        for (const device of slice.devices ?? []) {
          this.#options.spend()
          const id = `${poolName(pool.driver, pool.name)}/${device.name}`
          const found = { request, id, pool, slice, device }
          if (this.#isSelectable(c, found)) yield found
        }
      }
    }
  }

  #isFree({ adminAccess }: ResolvedRequest, id: string): boolean {
    return adminAccess === true || (!this.#taken.has(id) && !this.#options.isAllocated(id))
  }

  #isSelectable(c: number, found: FoundDevice): boolean {
    const known = this.#selectable.get(found.request) ?? new Map<string, boolean>()
    this.#selectable.set(found.request, known)
    const before = known.get(found.id)
    if (before !== undefined) return before
    const selectable = this.#matches(c, found)
    known.set(found.id, selectable)
    return selectable
  }

  #matches(c: number, { request, pool, slice, device }: FoundDevice): boolean {
    const claim = this.#options.claims[c]?.claim
    if (device.basic === undefined || claim === undefined) return false
    if (!this.#options.selects(request, claim, { pool, device })) return false
    return slice.perDeviceNodeSelection !== true || reaches(device.basic, this.#options.node)
  }

  #take(c: number, found: FoundDevice): boolean {
    const { basic } = found.device
    if (basic === undefined || !this.#isTolerated(found) || !this.#hasCounters(found)) return false
    if (!this.#constraints[c]?.every((constraint) => this.#satisfies(c, constraint, found))) return false
    if (found.request.adminAccess !== true) this.#taken.add(found.id)
    this.#result(c).devices.push(found)
    return true
  }

  #release(c: number, { id }: FoundDevice): void {
    this.#taken.delete(id)
    this.#result(c).devices.pop()
  }

  #isTolerated({ request, device }: FoundDevice): boolean {
    if (!this.#options.usesTaints) return true
    return (device.basic?.taints ?? []).every((taint) =>
      request.tolerations.some((each) => toleratesTaint(each, taint)),
    )
  }

  /** All devices that the constraint is about have the same value. */
  #satisfies(c: number, { attribute, requests }: Constraint, found: FoundDevice): boolean {
    const concerns = ({ request: { name, parent } }: FoundDevice): boolean =>
      requests.size === 0 || requests.has(parent === '' ? name : parent) || requests.has(`${parent}/${name}`)
    if (!concerns(found)) return true
    const value = attributeOf(found, attribute)
    if (value === undefined) return false
    const first = this.#result(c).devices.find(concerns)
    return first === undefined || attributeOf(first, attribute) === value
  }

  /** What the devices of a slice share is enough for this one, too. */
  #hasCounters({ slice, pool, device }: FoundDevice): boolean {
    const consumed = device.basic?.consumesCounters ?? []
    if (!this.#options.usesCounters || consumed.length === 0) return true
    const left = new Map<string, Quantity>()
    for (const { name, counters } of slice.sharedCounters ?? []) {
      for (const [counter, { value }] of Object.entries(counters ?? {}))
        left.set(`${name}/${counter}`, Quantity.parse(value))
    }
    for (const { name, basic } of slice.devices ?? []) {
      const id = `${poolName(pool.driver, pool.name)}/${name}`
      if (!this.#taken.has(id) && !this.#options.isAllocated(id)) continue
      for (const [key, value] of consumedBy(basic)) left.set(key, (left.get(key) ?? Quantity.zero).sub(value))
    }
    return [...consumedBy(device.basic)].every(([key, value]) => (left.get(key)?.compare(value) ?? -1) >= 0)
  }
}

function* consumedBy(device: BasicDevice | undefined): Iterable<[string, Quantity]> {
  for (const { counterSet, counters } of device?.consumesCounters ?? []) {
    for (const [counter, { value }] of Object.entries(counters ?? {}))
      yield [`${counterSet}/${counter}`, Quantity.parse(value)]
  }
}

function constraintsOf(claim: ResourceClaim): Constraint[] {
  return (claim.spec.devices?.constraints ?? []).map(({ matchAttribute, requests = [] }, i) => {
    if (matchAttribute !== undefined) return { attribute: matchAttribute, requests: new Set(requests) }
    throw new Error(`claim ${schedulingKey(claim)}, constraint #${i}: empty constraint (unsupported constraint type?)`)
  })
}

/** The value with its type; names of the driver's own domain may go without it. */
function attributeOf({ device, pool }: FoundDevice, attribute: string): string | undefined {
  const attributes = device.basic?.attributes ?? {}
  const own = (name: string): DeviceAttribute | undefined =>
    Object.hasOwn(attributes, name) ? attributes[name] : undefined
  const slash = attribute.indexOf('/')
  const found =
    own(attribute) ?? (attribute.slice(0, slash) === pool.driver ? own(attribute.slice(slash + 1)) : undefined)
  if (found === undefined) return undefined
  const [type] = (['string', 'int', 'bool', 'version'] as const).filter((each) => found[each] !== undefined)
  return type === undefined ? undefined : `${type}:${String(found[type])}`
}
