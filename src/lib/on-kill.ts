/** Runs a clean-up when a signal ends the process. The result takes it back. */
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
