/**
 * How long one turn of the event loop keeps the processor while an input is handled: the processor time between two
 * `setImmediate` callbacks. It is the time of the whole process, threads of the engine included, and so an upper bound that
 * does not depend on what else the machine does.
 */

export async function longestHold(run: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let open = true
  let last = process.cpuUsage()
  const lap = (): void => {
    const { user, system } = process.cpuUsage(last)
    longest = Math.max(longest, (user + system) / 1000)
    last = process.cpuUsage()
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
