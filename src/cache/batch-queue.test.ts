import { describe, expect, test } from 'vitest'
import type { EventBatch } from '../store/store.ts'
import { BatchQueue } from './batch-queue.ts'

const batch = (revision: number): EventBatch => ({ events: [], revision })
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A queue whose batches of odd revisions take until the test ends them. */
function setUp() {
  const begun: number[] = []
  const ends: (() => void)[] = []
  let overflows = 0
  const queue = new BatchQueue({
    process({ revision }) {
      begun.push(revision)
      return revision % 2 === 0 ? undefined : new Promise((resolve) => ends.push(resolve))
    },
    onOverflow: () => overflows++,
  })
  const end = async (): Promise<void> => {
    ends.shift()?.()
    await turn()
  }
  return { queue, begun, end, overflows: () => overflows }
}

describe('batches', () => {
  test('that take no time are processed as they come', () => {
    const { queue, begun } = setUp()
    for (const revision of [2, 4]) queue.push(batch(revision))
    expect([begun, queue.isWaiting]).toEqual([[2, 4], false])
  })

  test('wait in order behind one that takes time, and behind the next that does', async () => {
    const { queue, begun, end } = setUp()
    for (const revision of [1, 2, 3, 4]) queue.push(batch(revision))
    expect([begun, queue.isWaiting]).toEqual([[1], true])
    await end()
    expect([begun, queue.isWaiting]).toEqual([[1, 2, 3], true])
    queue.push(batch(6))
    await end()
    expect([begun, queue.isWaiting]).toEqual([[1, 2, 3, 4, 6], false])
    queue.push(batch(8))
    expect(begun.at(-1)).toBe(8)
  })

  test('are all dropped when one more waits than may', async () => {
    const { queue, begun, end, overflows } = setUp()
    queue.push(batch(1))
    for (let i = 0; i < 10_000; i++) queue.push(batch(2))
    expect(overflows()).toBe(0)
    queue.push(batch(4))
    expect(overflows()).toBe(1)
    queue.push(batch(6))
    await end()
    expect([begun, queue.isWaiting, overflows()]).toEqual([[1, 6], false, 1])
  })
})
