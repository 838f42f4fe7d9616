import { describe, expect, it } from 'vitest'
import { WorkQueue } from '../lib/work-queue.ts'
import { ControlledClock, turnOfLoop } from './controlled-clock.ts'

const hour = 3_600_000

describe('a clock that a test moves', () => {
  it('lets what is due happen in order, each at its own time', async () => {
    const clock = new ControlledClock()
    const start = clock.now()
    const seen: [string, number][] = []
    const note = (name: string) => () => void seen.push([name, Math.round((clock.now() - start) / hour)])
    clock.setTimeout(note('third'), 3 * hour)
    clock.setTimeout(note('first'), hour)
    clock.setTimeout(() => {
      note('second')()
      clock.setTimeout(note('set by the second'), hour / 2)
    }, 2 * hour)
    clock.setTimeout(note('too late'), 30 * 24 * hour)
    const cancel = clock.setTimeout(note('cancelled'), hour)
    cancel()
    await clock.advance(4 * hour)
    expect(seen.map(([name]) => name)).toEqual(['first', 'second', 'set by the second', 'third'])
    expect(seen.map(([, at]) => at)).toEqual([1, 2, 3, 3])
    expect(clock.now() - start).toBeGreaterThanOrEqual(4 * hour)
    clock.close()
  })

  it('goes back to real time, and timers keep their distance', async () => {
    const clock = new ControlledClock()
    await clock.advance(hour)
    let isDone = false
    clock.setTimeout(() => {
      isDone = true
    }, hour)
    clock.reset()
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(hour / 2)
    await clock.advance(hour / 2)
    expect(isDone).toBe(false)
    await clock.advance(hour / 2 + 1)
    expect(isDone).toBe(true)
  })

  it('stands still while it is advanced, and fires the next timer when the queues rest', async () => {
    const clock = new ControlledClock()
    const start = clock.now()
    const seen: string[] = []
    const begun = new Map<string, number>()
    const queue = new WorkQueue<string>({
      clock,
      concurrency: 1,
      async process(key) {
        for (let i = 0; i < 20; i++) await turnOfLoop()
        seen.push(`${key} done after ${clock.now() - (begun.get(key) ?? 0)} ms`)
      },
      onError: () => undefined,
    })
    const work = (key: string) => (): void => {
      seen.push(key)
      begun.set(key, clock.now())
      queue.add(key)
    }
    clock.setTimeout(work('first'), 1000)
    clock.setTimeout(work('second'), 2000)
    await clock.advance(2000)
    expect(seen).toEqual(['first', 'first done after 0 ms', 'second', 'second done after 0 ms'])
    expect(clock.now() - start - 2000).toBeLessThan(1000)
    await queue.stop()
    clock.close()
  })

  it('runs housekeeping once, in the end', async () => {
    const clock = new ControlledClock()
    const start = clock.now()
    const sweeps: number[] = []
    const sweep = (): void => {
      sweeps.push(Math.floor((clock.now() - start) / hour))
      clock.setTimeout(sweep, 1000, { background: true })
    }
    clock.setTimeout(sweep, 1000, { background: true })
    await clock.advance(24 * hour)
    expect(sweeps).toEqual([24])
    await clock.advance(hour)
    expect(sweeps).toEqual([24, 25])
    clock.close()
  })

  it('takes thousands of timers, set and cancelled in any order', async () => {
    const clock = new ControlledClock()
    const fired: number[] = []
    const cancels = Array.from({ length: 5000 }, (_, i) => {
      const due = ((i * 7919) % 5000) + 1
      return { due, cancel: clock.setTimeout(() => void fired.push(due), due * 1000) }
    })
    for (const { due, cancel } of cancels) if (due % 3 !== 0) cancel()
    await clock.advance(5_000_000)
    expect(fired).toEqual(Array.from({ length: 1666 }, (_, i) => (i + 1) * 3))
    clock.close()
  })

  it('begins at another time, and goes forwards only', async () => {
    expect(Math.abs(new ControlledClock(hour).now() - hour)).toBeLessThan(hour / 2)
    await expect(new ControlledClock().advance(-1)).rejects.toThrow('time passes forwards')
  })
})
