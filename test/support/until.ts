/** Waits for what happens by itself. The limit is there for what never happens: a busy machine may take its time. */
import { setTimeout as delay } from 'node:timers/promises'

const patienceMs = 100_000
const pauseMs = 10

/** Asks until the answer is not false, null or undefined; gives that answer. */
export async function until<T>(
  what: string | (() => string),
  probe: () => T | Promise<T>,
): Promise<Exclude<T, false | null | undefined>> {
  for (const deadline = performance.now() + patienceMs; ; ) {
    const answer = await probe()
    if (answer !== false && answer !== null && answer !== undefined)
      return answer as Exclude<T, false | null | undefined>
    if (performance.now() > deadline) throw new Error(`waited in vain for ${typeof what === 'string' ? what : what()}`)
    await delay(pauseMs)
  }
}
