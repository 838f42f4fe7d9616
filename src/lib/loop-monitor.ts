/**
 * Measures holds of the event loop: the processor time that passes before the loop goes round again. Processor time of
 * the thread, not time of the clock: a machine that others keep busy makes no hold. A timer looks at both every few
 * milliseconds; a hold is over-estimated by at most one period of it.
 *
 * Code that runs for the first time is compiled meanwhile, and counts: who wants to know what a request costs a warm
 * server lets it through once before it calls `reset`.
 */
import { openSync, readSync } from 'node:fs'

const periodMs = 5

export class LoopMonitor {
  readonly #cpu = threadClock()
  readonly #timer: NodeJS.Timeout
  #cpuAt: number
  #longest = 0

  constructor() {
    this.#cpuAt = this.#cpu()
    this.#timer = setInterval(() => this.#look(), periodMs).unref()
  }

  #look(): void {
    const now = this.#cpu()
    this.#longest = Math.max(this.#longest, now - this.#cpuAt)
    this.#cpuAt = now
  }

  /** The longest hold since the last reset, in milliseconds of processor time; one that goes on counts, too. */
  get longestMs(): number {
    this.#look()
    return this.#longest
  }

  reset(): void {
    this.#look()
    this.#longest = 0
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

/** Milliseconds of processor time of the main thread; of the whole process where the system does not report that. */
export function threadClock(): () => number {
  const ofProcess = (): number => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
  const file = openStatistics()
  if (file === undefined) return ofProcess
  const buffer = Buffer.alloc(64)
  return () => {
    const length = readSync(file, buffer, 0, buffer.length, 0)
    return Number.parseInt(buffer.toString('latin1', 0, length), 10) / 1e6
  }
}

let statistics: number | undefined

/** Only Linux has it. One for the process: it is never closed. */
function openStatistics(): number | undefined {
  try {
    statistics ??= openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  } catch {
    return undefined
  }
  return statistics
}
