/**
 * Gives back the memory that a burst of work leaves behind. V8 keeps the room that new objects had, and nothing tells it
 * that the work is over: once the process has been at rest for some seconds, its garbage is collected.
 *
 * A collection stops everything else, for a time that grows with what is alive: no large heap is collected, and none
 * before it has grown since the last time.
 */
import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface Look {
  /** How much of the time since the last look something ran: from 0 to 1. */
  readonly busy: number
  /** What the heap takes. */
  readonly heapBytes: number
  /** What of it was in use, dead or alive. */
  readonly usedBytes: number
}

const lookMs = 1000
/** V8 makes its room for new objects small again when little was allocated in the last five seconds. */
const restLooks = 6
const restfulShare = 0.02
/** Takes some hundredths of a second to collect. */
const maxUsedBytes = 64 * 1024 * 1024
const worthwhileBytes = 16 * 1024 * 1024

/** When to collect, by a look a second. */
export class RestWatch {
  #settledBytes: number
  #quietLooks = 0

  constructor(heapBytes: number) {
    this.#settledBytes = heapBytes
  }

  isTime({ busy, heapBytes, usedBytes }: Look): boolean {
    this.#quietLooks = busy < restfulShare ? this.#quietLooks + 1 : 0
    if (this.#quietLooks < restLooks || usedBytes > maxUsedBytes) return false
    return heapBytes - this.#settledBytes >= worthwhileBytes
  }

  /** What the heap takes after a collection. */
  settled(heapBytes: number): void {
    this.#settledBytes = heapBytes
  }
}

/** From now on, as long as something else keeps the process running. */
export function giveBackMemoryAtRest(): void {
  const watch = new RestWatch(getHeapStatistics().total_heap_size)
  let before = performance.eventLoopUtilization()
  const look = (): void => {
    const now = performance.eventLoopUtilization()
    const { total_heap_size: heapBytes, used_heap_size: usedBytes } = getHeapStatistics()
    const busy = performance.eventLoopUtilization(now, before).utilization
    before = now
    if (!watch.isTime({ busy, heapBytes, usedBytes })) return
    collectGarbage()
    watch.settled(getHeapStatistics().total_heap_size)
  }
  setInterval(look, lookMs).unref()
}

/** V8 shows how to programs that were told to have it, and to each new context. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  collect()
}
