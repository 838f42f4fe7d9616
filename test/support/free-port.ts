/**
 * Ports for processes that must be told theirs before they listen. They lie below those that systems hand out by
 * themselves, so that nobody gets one by chance between the look and the use, or while a process is restarted.
 */
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

const [lowest, highest] = [20_000, 32_000] as const

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest)
    if (await isFree(port)) return port
  }
}

/** Different ones. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await freePort())
  return [...ports]
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
