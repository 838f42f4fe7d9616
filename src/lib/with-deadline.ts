/**
 * Runs something that must end in time, and does not wait for it any longer. Unlike `AbortSignal.timeout` the timer keeps
 * the process alive meanwhile.
 */
export async function withDeadline<T>(ms: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`no answer within ${ms / 1000} seconds`)
      deadline.abort(error)
      reject(error)
    }, ms)
  })
  try {
    return await Promise.race([run(deadline.signal), timeout])
  } finally {
    clearTimeout(timer)
  }
}
