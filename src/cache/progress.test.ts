import { describe, expect, test } from 'vitest'
import type { Store } from '../store/store.ts'
import { ManualClock } from '../store/testing/manual-clock.ts'
import { Progress } from './progress.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Of a store of another machine, unless the test says otherwise: its answers come when the test says so. */
function setUp(changed: Partial<Store> = {}) {
  const clock = new ManualClock()
  const answers: { resolve: (revision: number) => void; reject: (error: Error) => void }[] = []
  const part: Partial<Store> = {
    readsOwnWrites: false,
    shared: true,
    currentRevision: () => new Promise((resolve, reject) => answers.push({ resolve, reject })),
    ...changed,
  }
  let questions = 0
  const progress = new Progress({ store: part as Store, clock, ask: () => questions++ })
  progress.reach(5)
  const settled = async (found: Promise<boolean> | true): Promise<boolean | 'waits'> => {
    const waits = turn().then(() => 'waits' as const)
    return Promise.race([found, waits])
  }
  return { clock, progress, answers, settled, questions: () => questions }
}

test('the revision never goes back, and only what is new is news', () => {
  const { progress } = setUp()
  expect([progress.reach(5), progress.reach(4), progress.revision]).toEqual([false, false, 5])
  expect([progress.reach(6), progress.revision]).toEqual([true, 6])
})

describe('who waits for a revision', () => {
  test('goes on at once when it has arrived', () => {
    const { progress, clock, questions } = setUp()
    expect([progress.waitFor(5, 100), progress.waitFor(4, 100), clock.pending, questions()]).toEqual([true, true, 0, 0])
  })

  test('goes on when it arrives, each in its turn', async () => {
    const { progress, settled } = setUp()
    const [sixth, eighth, seventh] = [6, 8, 7].map((revision) => progress.waitFor(revision, 100)) as [
      Promise<boolean>,
      Promise<boolean>,
      Promise<boolean>,
    ]
    expect(await settled(sixth)).toBe('waits')
    progress.reach(7)
    expect([await settled(sixth), await settled(eighth), await settled(seventh)]).toEqual([true, 'waits', true])
    progress.reach(8)
    expect(await settled(eighth)).toBe(true)
  })

  test('is told when it takes too long, and others wait on', async () => {
    const { progress, clock, settled } = setUp()
    const short = progress.waitFor(6, 100)
    const long = progress.waitFor(6, 200)
    await clock.advance(99)
    expect(await settled(short)).toBe('waits')
    await clock.advance(1)
    expect([await settled(short), await settled(long)]).toEqual([false, 'waits'])
    progress.reach(6)
    expect(await settled(long)).toBe(true)
    await clock.advance(1000)
    expect(clock.pending).toBe(0)
  })

  test('leaves no timer behind once it went on', async () => {
    const { progress, clock } = setUp()
    void progress.waitFor(6, 10_000)
    progress.reach(6)
    await clock.advance(250)
    expect(clock.pending).toBe(0)
  })
})

describe('a progress request', () => {
  test('is made for each who comes, and again while one waits', async () => {
    const { progress, clock, questions } = setUp()
    void progress.waitFor(6, 10_000)
    expect(questions()).toBe(1)
    void progress.waitFor(6, 10_000)
    expect(questions()).toBe(2)
    await clock.advance(249)
    expect(questions()).toBe(2)
    await clock.advance(1)
    expect(questions()).toBe(3)
    await clock.advance(250)
    expect(questions()).toBe(4)
    progress.reach(6)
    await clock.advance(1000)
    expect(questions()).toBe(4)
    void progress.waitFor(7, 10_000)
    expect(questions()).toBe(5)
  })

  test('is made only after a while where the newest revision is known without asking', async () => {
    const { progress, clock, questions } = setUp({ watermark: () => 6 })
    void progress.waitFor(6, 10_000)
    await clock.advance(9)
    expect(questions()).toBe(0)
    await clock.advance(1)
    expect(questions()).toBe(1)
    await clock.advance(249)
    expect(questions()).toBe(1)
    await clock.advance(1)
    expect(questions()).toBe(2)
  })

  test('is not repeated after the end', async () => {
    const { progress, clock, questions } = setUp()
    void progress.waitFor(6, 10_000)
    progress.close()
    await clock.advance(1000)
    expect(questions()).toBe(1)
    void progress.waitFor(6, 10_000)
    await clock.advance(1000)
    expect(questions()).toBe(2)
  })
})

describe('a fresh read', () => {
  test.each<[string, Partial<Store>, boolean | 'waits']>([
    ['waits for nothing where all writes are seen', { readsOwnWrites: true, shared: false }, true],
    ['waits where others write, too', { readsOwnWrites: true, shared: true, watermark: () => 6 }, 'waits'],
    ['waits where own writes are not seen', { readsOwnWrites: false, shared: false, watermark: () => 6 }, 'waits'],
    ['waits for nothing when the newest has arrived', { watermark: () => 5 }, true],
  ])('%s', async (_, store, expected) => {
    const { progress, settled, answers } = setUp(store)
    expect(await settled(progress.fresh(100))).toBe(expected)
    expect(answers).toEqual([])
  })

  test('asks the store and waits for what it has', async () => {
    const { progress, answers, settled } = setUp()
    const [one, other] = [progress.fresh(100), progress.fresh(100)]
    expect(answers).toHaveLength(1)
    answers[0]?.resolve(7)
    expect(await settled(one)).toBe('waits')
    progress.reach(7)
    expect(await settled(one)).toBe(true)
    // The second came after the question: the answer may be of before it.
    expect([answers.length, await settled(other)]).toEqual([2, 'waits'])
    answers[1]?.resolve(7)
    expect(await settled(other)).toBe(true)
  })

  test('of many who come meanwhile is one question', async () => {
    const { progress, answers, settled } = setUp()
    const first = progress.fresh(100)
    const others = [1, 2, 3].map(() => progress.fresh(100))
    answers[0]?.resolve(5)
    expect(await settled(first)).toBe(true)
    expect(answers).toHaveLength(2)
    answers[1]?.resolve(5)
    expect(await Promise.all(others.map(settled))).toEqual([true, true, true])
    const later = progress.fresh(100)
    expect(answers).toHaveLength(3)
    answers[2]?.resolve(5)
    expect(await settled(later)).toBe(true)
  })

  test('fails with its own question alone', async () => {
    const { progress, answers, settled } = setUp()
    const [one, other] = [progress.fresh(100), progress.fresh(100)]
    answers[0]?.reject(new Error('no leader'))
    await expect(one).rejects.toThrow('no leader')
    await turn()
    answers[1]?.resolve(5)
    expect(await settled(other)).toBe(true)
  })
})
