/** Runs a clean-up handler on SIGINT, SIGTERM and SIGHUP, then lets the signal end the process. The result unregisters it. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function onKill(cleanUp: () => void): () => void {
  const handler = (signal: NodeJS.Signals): void => {
    takeBack()
    cleanUp()
    process.kill(process.pid, signal)
  }
  const takeBack = (): void => {
    for (const signal of signals) process.off(signal, handler)
  }
  for (const signal of signals) process.on(signal, handler)
  return takeBack
}
