// Where time, timers, randomness and uids come from. Everything that needs one of them is given a Clock, so that a test can own them all.
import { randomUUID } from 'node:crypto'
import type { HistogramSeries } from './metrics.ts'

/** Something that works on its own, and can be made to rest for a while. */
export interface Pausable {
  /** True when nothing is being worked on, waits for its turn, or is about to be tried again. */
  readonly isIdle: boolean
  /** True when something is being worked on or waits for its turn; what waits for a time does not count. Absent: when it is not idle. */
  readonly isBusy?: boolean
  /** Begins nothing new; resolves when what is being worked on has ended. */
  pause(): Promise<void>
  resume(): void
  /** Begins now what it would otherwise leave alone for a moment. */
  hurry?(): void
  /** What it did so far; absent when not measured. */
  readonly meter?: QueueMeter | undefined
}

export interface QueueMeter {
  readonly name: string
  adds: number
  /** Of those, the ones after a failure. */
  retries: number
  /** What waits for its turn. */
  readonly depth: number
  /** When work on what is being worked on began, by the clock of `performance`. */
  readonly running: Iterable<number>
  /** Seconds that things waited, and that work on them took. */
  readonly waited: HistogramSeries
  readonly worked: HistogramSeries
}

export interface TimerOptions {
  /**
   * Housekeeping that looks at the present, however much time has passed: heartbeats, sweeps. Where a test lets days pass at
   * once, it runs once in the end instead of thousands of times.
   */
  readonly background?: boolean
}

export interface Clock {
  /** Milliseconds since 1970. May jump when the machine's clock is set. */
  now(): number
  /** In virtual time: the time that it is being advanced to. Undefined while time passes by itself. */
  readonly horizon?: number | undefined
  /** Runs `fn` once after `ms` milliseconds. Calling the result cancels it. A pending timer does not keep the process alive. */
  setTimeout(fn: () => void, ms: number, options?: TimerOptions): () => void
  /** A number in [0, 1). Where chance is seeded, each stream has numbers of its own, whatever others draw. */
  random(stream?: string): number
  /** Where the queues that work by this clock sign up. A test lets them rest while it changes the state under them. */
  readonly queues?: Set<Pausable>
  /** A fresh random (version 4) UUID in lower case. */
  uuid(): string
}

/** A longer timer of Node's would fire at once. */
const maxTimerMs = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(fn, ms) {
    let timer: NodeJS.Timeout
    const arm = (left: number): void => {
      timer = left > maxTimerMs ? setTimeout(() => arm(left - maxTimerMs), maxTimerMs) : setTimeout(fn, left)
      timer.unref()
    }
    arm(ms)
    return () => clearTimeout(timer)
  },
  random: () => Math.random(),
  uuid: () => randomUUID(),
}
