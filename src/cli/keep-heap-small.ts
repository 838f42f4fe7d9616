/**
 * Bounds how much garbage the heap holds. A small heap may grow as V8 likes, which collects seldom; a large one by less.
 *
 * Buffers lie outside the heap, where V8 hardly counts them: answers leave hundreds of megabytes of them behind before the
 * few objects that hold them fill the young generation. Such garbage is collected when it has grown by a bound. What has
 * become old by then stays until V8 looks at the whole heap, for which it has no reason: where such buffers stay for a
 * while, or a rest lasts, everything is collected. That takes a millisecond for each megabyte that is in use, so it is done
 * where few are.
 *
 * What a burst of work leaves behind is given back: V8 keeps the enlarged young generation, and is not notified that the
 * work is over. It shrinks the young generation at a scavenge, if little was allocated in the five seconds
 * before, as far as it has noticed, which is at collections: there is one when a rest begins and one when it has lasted.
 * Each takes a few milliseconds, however large the heap is.
 */
import { performance } from 'node:perf_hooks'
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8'
import { collectGarbage, setHeapGrowth } from '../engine/engine-flags.ts'

const lookMs = 500
const restLooks = 12
/** Of a processor: the load of an idle server. */
const restfulShare = 0.05
/** A larger young generation than an idle server needs. */
const wideYoungBytes = 4 * 1024 * 1024
/** Up to here V8 decides how much a heap may grow before it is collected. */
const freelyGrowingBytes = 48 * 1024 * 1024
const growingPercent = 60
/** Buffers beyond what was left of them at the last collection. */
const bufferGarbageBytes = 32 * 1024 * 1024
/** How long they stay before everything is collected. */
const stayingLooks = 20
/** Garbage in the heap that is worth a collection of everything once the server is at rest. */
const oldGarbageBytes = 8 * 1024 * 1024
/** A heap that is looked through in less than 50 ms: what was in use at the last collection of everything, and all that may be by now. */
const smallHeapBytes = { live: 40 * 1024 * 1024, used: 96 * 1024 * 1024 }

/** From now on, as long as something else keeps the process running. */
export function keepHeapSmall(): void {
  const share = processorShare()
  const idle = new IdleDetector()
  const inUse = new LiveEstimate()
  const buffers = new GrowthDetector(bufferGarbageBytes)
  const staying = new PlateauDetector(2 * bufferGarbageBytes, stayingLooks)
  let isLarge = false
  const look = (): void => {
    const { used_heap_size: used, external_memory: external } = getHeapStatistics()
    if (used > freelyGrowingBytes !== isLarge) {
      isLarge = !isLarge
      setHeapGrowth(isLarge ? growingPercent : undefined)
    }
    const rest = idle.look(share())
    if (buffers.isOver(external) || (rest !== undefined && youngGenerationBytes() > wideYoungBytes)) {
      collectGarbage('minor')
      buffers.settle(getHeapStatistics().external_memory)
    }
    const live = inUse.look(used)
    const isGarbage = rest === 'lasted' && used - live > oldGarbageBytes
    const isSmall = live < smallHeapBytes.live && used < smallHeapBytes.used
    if ((staying.hasStayed(external) || isGarbage) && isSmall) {
      collectGarbage('major')
      staying.settle(getHeapStatistics().external_memory)
    }
  }
  setInterval(look, lookMs).unref()
}

/** Detects by processor use when a rest begins, and when it has lasted. */
export class IdleDetector {
  #quietLooks = 0

  look(share: number): 'begun' | 'lasted' | undefined {
    this.#quietLooks = share < restfulShare ? this.#quietLooks + 1 : 0
    return this.#quietLooks === 1 ? 'begun' : this.#quietLooks === restLooks ? 'lasted' : undefined
  }
}

/**
 * Estimates how much of the heap is in use: as much as there was when it was first looked at after a collection of everything. Only such
 * a collection clears a weak reference.
 */
export class LiveEstimate {
  #canary = new WeakRef({})
  #bytes = Infinity

  look(used: number): number {
    if (this.#canary.deref() === undefined) {
      this.#canary = new WeakRef({})
      this.#bytes = used
    }
    return Math.min(this.#bytes, used)
  }
}

/** Detects when something has grown by a bound since it was last made small, or since it was smallest. */
export class GrowthDetector {
  readonly #bound: number
  #floor = Infinity

  constructor(bound: number) {
    this.#bound = bound
  }

  isOver(size: number): boolean {
    this.#floor = Math.min(this.#floor, size)
    return size - this.#floor > this.#bound
  }

  /** What is left of it is in use. */
  settle(size: number): void {
    this.#floor = size
  }
}

/** Detects when something has been over a bound, and did not grow, for a number of looks. */
export class PlateauDetector {
  readonly #growth: GrowthDetector
  readonly #looks: number
  #last = 0
  #stayed = 0

  constructor(bound: number, looks: number) {
    this.#growth = new GrowthDetector(bound)
    this.#looks = looks
  }

  hasStayed(size: number): boolean {
    const isLarge = this.#growth.isOver(size)
    this.#stayed = isLarge && size <= this.#last * 1.1 ? this.#stayed + 1 : 0
    this.#last = size
    return this.#stayed >= this.#looks
  }

  /** What is left of it is in use. */
  settle(size: number): void {
    this.#growth.settle(size)
    this.#stayed = 0
  }
}

/** Measures how much of a processor was used since the last call. */
function processorShare(): () => number {
  let before = { used: process.cpuUsage(), at: performance.now() }
  return () => {
    const { user, system } = process.cpuUsage(before.used)
    const share = (user + system) / 1000 / (performance.now() - before.at)
    before = { used: process.cpuUsage(), at: performance.now() }
    return share
  }
}

const youngGenerationBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
