import { describe, expect, it } from 'vitest'
import { ControlledClock } from './controlled-clock.ts'

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

  it('begins at another time, and goes forwards only', async () => {
    expect(Math.abs(new ControlledClock(hour).now() - hour)).toBeLessThan(hour / 2)
    await expect(new ControlledClock().advance(-1)).rejects.toThrow('time passes forwards')
  })
})
