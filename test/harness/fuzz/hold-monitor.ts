/**
 * How long one turn of the event loop keeps the processor while an input is handled: the processor time of the thread between two
 * `setImmediate` callbacks, which does not depend on what else the machine does.
 */
import { threadClock } from '../../../src/lib/loop-monitor.ts'

const cpu = threadClock()

export async function longestHold(run: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let open = true
  let last = cpu()
  const lap = (): void => {
    const now = cpu()
    longest = Math.max(longest, now - last)
    last = now
  }
  const turn = (): void => {
    lap()
    if (open) setImmediate(turn)
  }
  setImmediate(turn)
  try {
    await run()
  } finally {
    lap()
    open = false
  }
  return longest
}
