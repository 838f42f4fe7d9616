/** Claims as the scheduler has them in mind: allocations that are decided but not written, and devices that are taken. Mirrors plugins/dynamicresources: claimTracker. */
import type { AllocationResult } from '../../../catalog/types/resource-v1beta1.ts'
import type { ResourceClaim } from '../../objects.ts'
import { schedulingKey, uidOf } from '../objects.ts'
import type { Lister } from '../plugin.ts'
import { Assumed } from '../volumes/assumed.ts'

export class ClaimTracker {
  readonly claims: Assumed<ResourceClaim>
  /** Devices of claims that the server has allocated. */
  readonly #allocated = new Map<string, readonly string[]>()
  /** Of allocations that are being written, by the claim's uid. */
  readonly #pending = new Map<string, readonly string[]>()
  /** How many claims have each device. */
  readonly #devices = new Map<string, number>()

  constructor(lister: Lister<ResourceClaim>) {
    this.claims = new Assumed(lister)
  }

  isAllocated(device: string): boolean {
    return this.#devices.has(device)
  }

  isPending(claim: ResourceClaim): boolean {
    return this.#pending.has(uidOf(claim))
  }

  /** The server's claim, new or changed. */
  set(claim: ResourceClaim): void {
    this.#replace(this.#allocated, schedulingKey(claim), devicesOf(claim.status?.allocation))
  }

  delete(claim: ResourceClaim): void {
    this.#replace(this.#allocated, schedulingKey(claim), [])
  }

  /** As if it were written. */
  assume(claim: ResourceClaim, allocation: AllocationResult): void {
    this.claims.assume({ ...claim, status: { ...claim.status, allocation } })
    this.#replace(this.#pending, uidOf(claim), devicesOf(allocation))
    if (!this.#pending.has(uidOf(claim))) this.#pending.set(uidOf(claim), [])
  }

  /** It is written, or will not be; whether there was anything to write. */
  settle(claim: ResourceClaim): boolean {
    const wasPending = this.#pending.has(uidOf(claim))
    this.#replace(this.#pending, uidOf(claim), [])
    return wasPending
  }

  #replace(lists: Map<string, readonly string[]>, key: string, devices: readonly string[]): void {
    for (const device of lists.get(key) ?? []) this.#count(device, -1)
    if (devices.length === 0) lists.delete(key)
    else lists.set(key, devices)
    for (const device of devices) this.#count(device, 1)
  }

  #count(device: string, delta: number): void {
    const count = (this.#devices.get(device) ?? 0) + delta
    if (count > 0) this.#devices.set(device, count)
    else this.#devices.delete(device)
  }
}

/** With the access of an administrator a device is used, not taken. */
function devicesOf(allocation: AllocationResult | undefined): string[] {
  return (allocation?.devices?.results ?? [])
    .filter(({ adminAccess }) => adminAccess !== true)
    .map(({ driver, pool, device }) => `${driver}/${pool}/${device}`)
}
