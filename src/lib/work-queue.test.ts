import { describe, expect, it } from 'vitest'
import { systemClock } from './clock.ts'
import { WorkQueue } from './work-queue.ts'

/** A queue whose work is completed by hand. */
function controlled(concurrency = 1) {
  const started: string[] = []
  const endings: ((error?: Error) => void)[] = []
  const failed: string[] = []
  const queue = new WorkQueue<string>({
    clock: { ...systemClock, setTimeout: (fn) => systemClock.setTimeout(fn, 0) },
    concurrency,
    process: (key) => {
      started.push(key)
      return new Promise((resolve, reject) => endings.push((error) => (error ? reject(error) : resolve())))
    },
    onError: (key) => failed.push(key),
  })
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  const end = async (error?: Error): Promise<void> => {
    endings.shift()?.(error)
    await settle()
  }
  return { queue, started, failed, end, settle }
}

describe('a work queue', () => {
  it('works on what waits once, however often it was added', async () => {
    const { queue, started, end, settle } = controlled()
    for (const key of ['a', 'b', 'b', 'b']) queue.add(key)
    await settle()
    await end()
    await end()
    expect(started).toEqual(['a', 'b'])
  })

  it('works again on what was added while it was worked on', async () => {
    const { queue, started, end, settle } = controlled(5)
    queue.add('a')
    await settle()
    queue.add('a')
    queue.add('a')
    await settle()
    expect(started).toEqual(['a'])
    await end()
    expect(started).toEqual(['a', 'a'])
    await end()
    expect(started).toEqual(['a', 'a'])
  })

  it('works on so many at a time', async () => {
    const { queue, started, end, settle } = controlled(2)
    for (const key of ['a', 'b', 'c']) queue.add(key)
    await settle()
    expect(started).toEqual(['a', 'b'])
    await end()
    expect(started).toEqual(['a', 'b', 'c'])
  })

  it('is not idle while something is about to be tried again, unless that keeps failing', async () => {
    const waiting: (() => void)[] = []
    const queue = new WorkQueue<string>({
      clock: {
        ...systemClock,
        setTimeout(fn) {
          waiting.push(fn)
          return () => {}
        },
      },
      concurrency: 1,
      process: () => Promise.reject(new Error('in vain')),
      onError: () => {},
    })
    queue.add('a')
    const idle: boolean[] = []
    for (let attempt = 0; attempt < 5; attempt++) {
      await new Promise((resolve) => setImmediate(resolve))
      idle.push(queue.isIdle)
      waiting.shift()?.()
    }
    expect(idle).toEqual([false, false, false, true, true])
    await queue.stop()
    expect(queue.isIdle).toBe(true)
  })

  it('leaves out what there is nothing to do for any more', async () => {
    const { queue, started, end, settle } = controlled()
    for (const key of ['a', 'b', 'c']) queue.add(key)
    await settle()
    queue.add('a')
    for (const key of ['a', 'b']) queue.drop(key)
    await end()
    await end()
    expect(started).toEqual(['a', 'c'])
    expect(queue.isIdle).toBe(true)
  })

  it('tries again what failed', async () => {
    const { queue, started, failed, end, settle } = controlled()
    queue.add('a')
    await settle()
    await end(new Error('no'))
    while (started.length < 2) await settle()
    expect(failed).toEqual(['a'])
    await end()
    expect(started).toEqual(['a', 'a'])
  })

  it('waits for what is under way when it stops, and takes no more', async () => {
    const { queue, started, end, settle } = controlled()
    queue.add('a')
    queue.add('b')
    await settle()
    let stopped = false
    const stop = queue.stop().then(() => {
      stopped = true
    })
    queue.add('c')
    await settle()
    expect(stopped).toBe(false)
    await end()
    await stop
    expect(started).toEqual(['a'])
  })
})
