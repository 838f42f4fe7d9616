// Where time, timers, randomness and uids come from. Everything that needs one of them is given a Clock, so that a test can own them all.
import { randomUUID } from 'node:crypto'

export interface Clock {
  /** Milliseconds since 1970. May jump when the machine's clock is set. */
  now(): number
  /** Runs `fn` once after `ms` milliseconds. Calling the result cancels it. A pending timer does not keep the process alive. */
  setTimeout(fn: () => void, ms: number): () => void
  /** A number in [0, 1). */
  random(): number
  /** A fresh random (version 4) UUID in lower case. */
  uuid(): string
}

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(fn, ms) {
    const timer = setTimeout(fn, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
  random: () => Math.random(),
  uuid: () => randomUUID(),
}
