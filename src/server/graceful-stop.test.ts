import { expect, it } from 'vitest'
import { parseServerOptions } from '../config/server-options.ts'
import { stopServing } from './graceful-stop.ts'

/** A clock that stands until it is moved. */
class StandingClock {
  readonly timers: { readonly ms: number; readonly run: () => void }[] = []

  setTimeout(run: () => void, ms: number): () => void {
    const timer = { ms, run }
    this.timers.push(timer)
    return () => void this.timers.splice(this.timers.indexOf(timer), 1)
  }
}

const nothing = (): Promise<void> => Promise.resolve()

it.each([
  ['never ends', () => new Promise<void>(() => undefined), [10_000]],
  ['ends', nothing, []],
])('goes on when what the server does by itself %s', async (_, stopOwnWork, waited) => {
  const clock = new StandingClock()
  const refused: string[] = []
  const stopped = stopServing(parseServerOptions([]), {
    clock,
    requests: { refuse: (how) => void refused.push(how), drained: nothing, openWatches: new Set() },
    listeners: [],
    stopOwnWork,
    caughtUp: () => Promise.resolve(true),
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(clock.timers.map(({ ms }) => ms)).toEqual(waited)
  expect(refused).toEqual(waited.length === 0 ? ['unavailable'] : [])
  for (const { run } of clock.timers) run()
  await stopped
  expect(refused).toEqual(['unavailable'])
})
