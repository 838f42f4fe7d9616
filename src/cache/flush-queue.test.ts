import { expect, test } from 'vitest'
import { ManualClock } from '../store/testing/manual-clock.ts'
import { FlushQueue } from './flush-queue.ts'
import { selectEverything } from './selection.ts'
import { testCache, testEntry } from './testing/test-entry.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('caches with new events are dispatched together at the end of the turn, each once', async () => {
  const queue = new FlushQueue()
  const flushes: string[] = []
  const caches = ['a', 'b'].map((name) => {
    const cache = testCache({ clock: new ManualClock() })
    cache.watch({ type: 'after', revision: 1 }, selectEverything, {
      event: () => true,
      initialEventsEnd: () => true,
      flush: () => flushes.push(name) > 0,
      expired: () => {},
    })
    return cache
  })
  const change = (revision: number): void => {
    for (const cache of caches) {
      cache.apply([{ key: 'a/x', revision, entry: testEntry('a/x', revision) }], revision)
      queue.add(cache)
    }
  }
  expect(queue.isScheduled).toBe(false)
  change(2)
  change(3)
  expect([flushes, queue.isScheduled]).toEqual([[], true])
  await turn()
  expect([flushes, queue.isScheduled]).toEqual([['a', 'b'], false])
  await turn()
  expect(flushes).toHaveLength(2)
  change(4)
  await turn()
  expect(flushes).toEqual(['a', 'b', 'a', 'b'])
})
