import { describe, expect, it } from 'vitest'
import { openMemoryStore } from './memory.ts'
import { RestorableStore } from './restorable-store.ts'
import { ManualClock } from './testing/manual-clock.ts'

const value = Buffer.from('x')

it('has every value of a large key at its revision, in copies too, and gives the space of each back', async () => {
  const clock = new ManualClock()
  const store = new RestorableStore({ clock })
  const rows = JSON.stringify(Array.from({ length: 2000 }, (_, i) => `row ${i}`))
  const state = (n: number): Buffer => Buffer.from(`{"n":${n},"rows":${rows},"done":${n % 2 === 0}}`)
  await store.write({ type: 'create', key: '/a', value: state(2) })
  for (let n = 3; n <= 30; n++)
    await store.write({ type: 'replace', key: '/a', value: state(n), expectedRevision: n - 1 })
  const copy = new RestorableStore({ clock }, store.snapshot())
  for (const each of [store, copy]) {
    for (let n = 2; n <= 30; n++) {
      const found = await each.range('/', { revision: n })
      expect(found.status === 'ok' && Buffer.from(found.items[0]?.value ?? []).equals(state(n))).toBe(true)
    }
  }
  await clock.advance(12 * 60_000)
  for (const each of [store, copy]) {
    expect(await each.size()).toBe(state(30).length)
    await each.close()
  }
})

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
