import { describe, expect, it } from 'vitest'
import { LoopMonitor } from './loop-monitor.ts'

/** Keeps the thread busy for so much processor time. */
function hold(ms: number): void {
  const begin = process.cpuUsage()
  for (;;) {
    const { user, system } = process.cpuUsage(begin)
    if (user + system > 1000 * ms) return
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1))

describe('a loop monitor', () => {
  it('knows the longest hold, and not the sum of short ones', async () => {
    const monitor = new LoopMonitor()
    await turn()
    hold(120)
    expect(monitor.longestMs).toBeGreaterThan(80)
    monitor.reset()
    expect(monitor.longestMs).toBeLessThan(80)
    monitor.stop()
  })

  it('sees a hold once the loop has gone round', async () => {
    const monitor = new LoopMonitor()
    await turn()
    hold(120)
    for (let i = 0; i < 10; i++) await turn()
    expect(monitor.longestMs).toBeGreaterThan(80)
    monitor.stop()
  })
})
