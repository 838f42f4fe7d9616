/**
 * How much room garbage gets. A small heap may grow as V8 likes, which collects seldom; a large one by less.
 *
 * What a burst of work leaves behind is given back: V8 keeps the room that new objects had, and nothing tells it that the
 * work is over. It makes that room small again at a collection of new objects, if little was allocated in the five seconds
 * before, as far as it has noticed, which is at collections: there is one when a rest begins and one when it has lasted.
 * Each takes a few milliseconds, however large the heap is.
 */
import { performance } from 'node:perf_hooks'
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const lookMs = 500
const restLooks = 12
/** Of a processor: what a server uses that nobody asks for anything. */
const restfulShare = 0.05
/** More room for new objects than a server at rest needs. */
const wideRoomBytes = 4 * 1024 * 1024
/** Up to here V8 decides how much a heap may grow before it is collected. */
const freelyGrowingBytes = 48 * 1024 * 1024
const growingPercent = 60

/** From now on, as long as something else keeps the process running. */
export function keepHeapSmall(): void {
  const share = processorShare()
  const rest = new Rest()
  let isLarge = false
  const look = (): void => {
    if (getHeapStatistics().used_heap_size > freelyGrowingBytes !== isLarge) {
      isLarge = !isLarge
      setFlagsFromString(`--heap-growing-percent=${isLarge ? growingPercent : 0}`)
    }
    if (rest.isTurn(share()) && roomForNewObjects() > wideRoomBytes) collectNewObjects()
  }
  setInterval(look, lookMs).unref()
}

/** Tells by what is used of a processor when a rest begins, and when it has lasted. */
export class Rest {
  #quietLooks = 0

  isTurn(share: number): boolean {
    this.#quietLooks = share < restfulShare ? this.#quietLooks + 1 : 0
    return this.#quietLooks === 1 || this.#quietLooks === restLooks
  }
}

/** Tells how much of a processor was used since it was last asked. */
function processorShare(): () => number {
  let before = { used: process.cpuUsage(), at: performance.now() }
  return () => {
    const { user, system } = process.cpuUsage(before.used)
    const share = (user + system) / 1000 / (performance.now() - before.at)
    before = { used: process.cpuUsage(), at: performance.now() }
    return share
  }
}

const roomForNewObjects = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0

/** V8 shows how to programs that were told to have it, and to each new context. */
function collectNewObjects(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'minor' })
}
