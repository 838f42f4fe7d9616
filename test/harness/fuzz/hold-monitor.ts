/**
 * How long one turn of the event loop keeps the processor while an input is handled: the processor time of the thread between two
 * `setImmediate` callbacks, which does not depend on what else the machine does.
 */
import { threadClock } from '../../../src/lib/loop-monitor.ts'

const cpu = threadClock()

/** Tells how long each turn of the loop kept the processor, until it is called. */
export function watchTurns(onTurn: (ms: number) => void): () => void {
  let open = true
  let last = cpu()
  const turn = (): void => {
    const now = cpu()
    onTurn(now - last)
    last = now
    if (open) setImmediate(turn)
  }
  setImmediate(turn)
  return () => {
    open = false
  }
}

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
