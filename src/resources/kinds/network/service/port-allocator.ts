/**
 * Node ports. What is given out is recorded in the store (see range-record.ts) before a service is written, and given
 * back when that fails or the service lets go of it. The lower part of the range is kept for ports that services ask for,
 * and is given out only when the rest is used up.
 *
 * The record is held against the services when it is first used: ports that services have are recorded, leaked
 * ports are released once they have stayed so for a while, since their service may be on its way.
 * Mirrors pkg/registry/core/service/portallocator: PortAllocator.
 */
import type { ObjectSource } from '../../../../api/object-source.ts'
import type { KindServices } from '../../../kind-rules.ts'
import { AllocationError, orphanMs, RangeFullError } from './address-allocator.ts'
import { AllocationMetrics } from './allocation-metrics.ts'
import { type OffsetSet, RangeRecord, rangeDefinition } from './range-record.ts'
import { ownPorts, type ServiceObject } from './service-object.ts'

/** Takes ports for one write. Both throw an `AllocationError`. */
export interface PortAllocationOperation {
  take(port: number): void
  takeNext(): number
}

export class PortAllocator {
  readonly #services: KindServices
  readonly #metrics: AllocationMetrics
  #record: RangeRecord | undefined
  #checked: Promise<void> | undefined
  /** Recorded ports that no service had when the record was checked, and when that was. */
  #orphans: { readonly offsets: readonly number[]; readonly since: number } = { offsets: [], since: 0 }

  constructor(services: KindServices) {
    this.#services = services
    this.#metrics = new AllocationMetrics(services.metrics)
    this.#metrics.showPorts(async () => {
      const used = await this.#record?.peek()
      return used && { used: [...used.values()].length, size: used.size }
    })
  }

  /**
   * Runs `choose`, which says what it wants by the taker, and records what it took. It may run more than once; what it
   * returns counts for the last time only.
   */
  async reserve<T>(choose: (taker: PortAllocationOperation) => T): Promise<{ result: T; taken: number[] }> {
    await this.repair()
    await this.#dropOrphans()
    return this.#open().update((used) => {
      const taker = new RangeTaker(used, this.#range, this.#services.clock.random)
      const result = choose(taker)
      return { result, taken: taker.taken }
    })
  }

  /** What a dry run answers: nothing is recorded, and automatic ports are beyond the range. */
  async preview<T>(choose: (taker: PortAllocationOperation) => T): Promise<T> {
    await this.repair()
    return choose(new DryTaker(await this.#open().peek(), this.#range))
  }

  async release(ports: readonly number[]): Promise<void> {
    const { first, last } = this.#range
    const inside = ports.filter((port) => port >= first && port <= last)
    if (inside.length === 0) return
    await this.#open().update((used) => {
      for (const port of inside) used.delete(port - first)
    })
  }

  /** Records all ports that services have. */
  repair(): Promise<void> {
    this.#checked ??= this.#check().catch((error: unknown) => {
      this.#checked = undefined
      this.#metrics.repairFailed('nodeport')
      throw error
    })
    return this.#checked
  }

  /** The next use holds the record against the services again. */
  doubt(): void {
    this.#checked = undefined
  }

  async #check(): Promise<void> {
    const offsets = await this.#inUse()
    await this.#open().update((used) => {
      const orphans = [...used.values()].filter((offset) => !offsets.has(offset))
      this.#orphans = { offsets: orphans, since: this.#services.clock.now() }
      this.#metrics.portsRepaired('repair', [...offsets].filter((offset) => !used.has(offset)).length)
      for (const offset of offsets) used.add(offset)
    })
  }

  async #dropOrphans(): Promise<void> {
    const { offsets, since } = this.#orphans
    if (offsets.length === 0 || this.#services.clock.now() - since < orphanMs) return
    this.#orphans = { offsets: [], since: 0 }
    const inUse = await this.#inUse()
    const leaked = offsets.filter((offset) => !inUse.has(offset))
    await this.#open().update((used) => {
      for (const offset of leaked) used.delete(offset)
    })
    this.#metrics.portsRepaired('leak', leaked.length)
  }

  async #inUse(): Promise<Set<number>> {
    const { first, last } = this.#range
    const source = (await this.#services.objects('', 'services')) as ObjectSource<ServiceObject>
    const offsets = new Set<number>()
    for (const { spec } of source.list()) {
      for (const port of ownPorts(spec)) if (port >= first && port <= last) offsets.add(port - first)
    }
    return offsets
  }

  get #range(): PortRange {
    return this.#services.nodePortRange
  }

  /** Rules are made before the server is: the store is there when it is first needed. */
  #open(): RangeRecord {
    const { first, last } = this.#range
    this.#record ??= new RangeRecord(this.#services.storage(rangeDefinition()), {
      name: 'servicenodeports',
      range: `${first}-${last}`,
      size: last - first + 1,
    })
    return this.#record
  }
}

type PortRange = KindServices['nodePortRange']

const taken = (): AllocationError => new AllocationError('provided port is already allocated')

class RangeTaker implements PortAllocationOperation {
  readonly #used: OffsetSet
  readonly #range: PortRange
  readonly #random: () => number
  readonly taken: number[] = []

  constructor(used: OffsetSet, range: PortRange, random: () => number) {
    this.#used = used
    this.#range = range
    this.#random = random
  }

  take(port: number): void {
    const { first, last } = this.#range
    if (port < first || port > last) {
      const why = `provided port is not in the valid range. The range of valid ports is ${first}-${last}`
      throw new AllocationError(why)
    }
    if (this.#used.has(port - first)) throw taken()
    this.#add(port - first)
  }

  takeNext(): number {
    const { size } = this.#used
    const kept = keptCount(size)
    for (const { from, count } of [
      { from: kept, count: size - kept },
      { from: 0, count: kept },
    ]) {
      const start = Math.floor(this.#random() * count)
      for (let i = 0; i < count; i++) {
        const offset = from + ((start + i) % count)
        if (!this.#used.has(offset)) return this.#add(offset)
      }
    }
    throw new RangeFullError()
  }

  #add(offset: number): number {
    const port = this.#range.first + offset
    this.#used.add(offset)
    this.taken.push(port)
    return port
  }
}

/** How many ports at the bottom of the range are kept for services that ask for one. */
function keptCount(size: number): number {
  return size <= 16 ? 0 : Math.min(Math.max(Math.floor(size / 32), 16), 128)
}

/** A dry run does not say what it would really get: the first port that it makes up is 32769. */
class DryTaker implements PortAllocationOperation {
  readonly #used: OffsetSet
  readonly #range: PortRange
  readonly #taken = new Set<number>()
  #highest: number | undefined

  constructor(used: OffsetSet, range: PortRange) {
    this.#used = used
    this.#range = range
  }

  take(port: number): void {
    const { first, last } = this.#range
    const recorded = port >= first && port <= last && this.#used.has(port - first)
    if (recorded || this.#taken.has(port)) throw taken()
    this.#add(port)
  }

  takeNext(): number {
    const port = (this.#highest ?? 32_768) + 1
    this.#add(port)
    return port
  }

  #add(port: number): void {
    this.#taken.add(port)
    this.#highest = Math.max(this.#highest ?? port, port)
  }
}
