import { expect, it } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import { Retention } from './retention.ts'

it('forgets what is old, and then rests until something is written', () => {
  let [now, revision] = [0, 5]
  let timer: (() => void) | undefined
  const forgotten: number[] = []
  const retention = new Retention({
    clock: {
      ...systemClock,
      now: () => now,
      setTimeout(fn, ms) {
        timer = () => {
          timer = undefined
          now += ms
          fn()
        }
        return () => {
          timer = undefined
        }
      },
    },
    historyMs: 1000,
    maxHistory: 1000,
    revision: () => revision,
    compact: (target) => void forgotten.push(target),
  })
  let ticks = 0
  const run = (): void => {
    for (ticks = 0; timer !== undefined && ticks < 100; ticks++) timer()
  }
  run()
  expect([ticks, forgotten.at(-1)]).toEqual([10, 5])
  revision = 8
  retention.written()
  run()
  expect(ticks).toBeLessThan(15)
  expect(forgotten.at(-1)).toBe(8)
  retention.stop()
  retention.written()
  expect(timer).toBeUndefined()
})
