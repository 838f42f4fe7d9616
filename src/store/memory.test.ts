import { describe, expect, it } from 'vitest'
import type { Clock } from '../lib/clock.ts'
import { openMemoryStore } from './memory.ts'

/** A clock that goes only when it is told to. */
class ManualClock implements Clock {
  #now = 1_000_000
  readonly #timers = new Set<{ at: number; fn: () => void }>()

  now(): number {
    return this.#now
  }
  setTimeout(fn: () => void, ms: number): () => void {
    const timer = { at: this.#now + ms, fn }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }
  random(): number {
    return 0.5
  }
  uuid(): string {
    return '00000000-0000-4000-8000-000000000000'
  }
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    for (;;) {
      const next = [...this.#timers].sort((a, b) => a.at - b.at)[0]
      if (next === undefined || next.at > end) break
      this.#timers.delete(next)
      this.#now = next.at
      next.fn()
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.#now = end
  }
  get pending(): number {
    return this.#timers.size
  }
}

const value = Buffer.from('x')

describe('the passing of time', () => {
  it('keeps the history for five minutes, and gives its space back', async () => {
    const clock = new ManualClock()
    const store = openMemoryStore({ clock })
    await store.write({ type: 'create', key: '/a', value: Buffer.alloc(1000) })
    await store.write({ type: 'replace', key: '/a', value, expectedRevision: 2 })
    await clock.advance(4 * 60_000)
    expect(await store.range('/', { revision: 2 })).toMatchObject({ status: 'ok' })
    await clock.advance(2 * 60_000)
    expect(await store.range('/', { revision: 2 })).toEqual({ status: 'compacted' })
    expect(await store.range('/', { revision: 3 })).toMatchObject({ status: 'ok', items: [{ key: '/a' }] })
    expect(await store.size()).toBe(1)
    await store.close()
    expect(clock.pending).toBe(0)
  })

  it('keeps no more changes than it was told', async () => {
    const clock = new ManualClock()
    const store = openMemoryStore({ clock, maxHistory: 10 })
    for (let i = 0; i < 50; i++) await store.write({ type: 'create', key: `/${i}`, value })
    await clock.advance(30_000)
    expect(await store.range('/', { revision: 40 })).toEqual({ status: 'compacted' })
    expect(await store.range('/', { revision: 41 })).toMatchObject({ status: 'ok' })
  })

  it('deletes a key when its time to live has passed, not before, and not when it was written again', async () => {
    const clock = new ManualClock()
    const store = openMemoryStore({ clock })
    await store.write({ type: 'create', key: '/a', value, ttlSeconds: 60 })
    await store.write({ type: 'create', key: '/b', value, ttlSeconds: 60 })
    await clock.advance(30_000)
    await store.write({ type: 'replace', key: '/b', value, expectedRevision: 3, ttlSeconds: 60 })
    const keys = async (): Promise<string[]> => {
      const read = await store.range('/')
      return read.status === 'ok' ? read.items.map((item) => item.key) : []
    }
    await clock.advance(29_000)
    expect(await keys()).toEqual(['/a', '/b'])
    await clock.advance(3000)
    expect(await keys()).toEqual(['/b'])
    await clock.advance(30_000)
    expect(await keys()).toEqual([])
  })
})
