import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Clock } from '../lib/clock.ts'
import { openMemory, openMemoryStore } from './memory.ts'

/** A manual clock. */
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

it('has every value of a large key at its revision, in copies too, and gives the space of each back', async () => {
  const clock = new ManualClock()
  const { store, snapshot } = openMemory({ clock })
  const rows = JSON.stringify(Array.from({ length: 2000 }, (_, i) => `row ${i}`))
  const state = (n: number): Buffer => Buffer.from(`{"n":${n},"rows":${rows},"done":${n % 2 === 0}}`)
  await store.write({ type: 'create', key: '/a', value: state(2) })
  for (let n = 3; n <= 30; n++)
    await store.write({ type: 'replace', key: '/a', value: state(n), expectedRevision: n - 1 })
  const copy = openMemory({ clock }, snapshot()).store
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

describe('a memory store that is put back', () => {
  const put = (key: string, text: string) => ({ type: 'create' as const, key, value: Buffer.from(text) })

  it('makes every key what it was, by new writes, and tells watches what changes', async () => {
    const { store, snapshot, restore } = openMemory()
    await store.write(put('/a', 'a'))
    await store.write(put('/b', 'b'))
    const start = snapshot()
    await store.write({ type: 'replace', key: '/a', value: Buffer.from('A'), expectedRevision: 2 })
    await store.write({ type: 'delete', key: '/b', expectedRevision: 3 })
    await store.write(put('/c', 'c'))
    const events: string[] = []
    store.watch('/', {
      onEvents: (batch) => events.push(...batch.events.map(({ type, key, revision }) => `${type} ${key} ${revision}`)),
      onEnd: () => {},
    })
    await new Promise((resolve) => setImmediate(resolve))
    restore(start)
    const found = await store.range('/')
    expect(found.status === 'ok' && found.items.map(({ key, value }) => `${key}=${Buffer.from(value)}`)).toEqual([
      '/a=a',
      '/b=b',
    ])
    expect(events).toEqual(['delete /c 7', 'put /a 8', 'put /b 9'])
    restore(start)
    expect(await store.currentRevision()).toBe(9)
    await store.close()
  })

  it('holds what watches were told of, whatever is written and put back', async () => {
    const key = fc.constantFrom('/a', '/b', '/c', '/d')
    const step = fc.oneof(
      fc.record({ kind: fc.constant('put' as const), key }),
      fc.record({ kind: fc.constant('delete' as const), key }),
      fc.record({ kind: fc.constant('snapshot' as const) }),
      fc.record({ kind: fc.constant('restore' as const), to: fc.nat(3) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { store, snapshot, restore } = openMemory()
        const told = new Map<string, { text: string; revision: number }>()
        store.watch('/', {
          onEvents: ({ events }) => {
            for (const { key, entry } of events) {
              if (entry === undefined) told.delete(key)
              else told.set(key, { text: `${entry.value}`, revision: entry.revision })
            }
          },
          onEnd: () => {},
        })
        await Promise.resolve()
        const texts = () => [...told].map(([key, { text }]) => `${key}=${text}`).sort()
        const kept = [{ state: snapshot(), texts: texts() }]
        for (const [i, next] of steps.entries()) {
          if (next.kind === 'snapshot') kept.push({ state: snapshot(), texts: texts() })
          else if (next.kind === 'restore') {
            const to = kept[next.to % kept.length]!
            restore(to.state)
            expect(texts()).toEqual(to.texts)
          } else {
            const there = told.get(next.key)
            const value = Buffer.from(`${i}`)
            if (there === undefined && next.kind === 'put') await store.write({ type: 'create', key: next.key, value })
            if (there === undefined) continue
            const { revision: expectedRevision } = there
            const type = next.kind === 'put' ? ('replace' as const) : ('delete' as const)
            expect(await store.write({ type, key: next.key, value, expectedRevision })).toMatchObject({ ok: true })
          }
          const found = await store.range('/')
          const items = found.status === 'ok' ? found.items : []
          expect(items.map(({ key, value, revision }) => [key, { text: `${value}`, revision }])).toEqual(
            [...told].sort(([a], [b]) => (a < b ? -1 : 1)),
          )
        }
        await store.close()
      }),
    )
  })

  it('becomes what it was, without a word to watches, at a revision of its own', async () => {
    const { store, snapshot, become } = openMemory()
    await store.write(put('/a', 'a'))
    await store.write(put('/b', 'b'))
    const start = snapshot()
    await store.write({ type: 'replace', key: '/a', value: Buffer.from('A'), expectedRevision: 2 })
    await store.write({ type: 'delete', key: '/b', expectedRevision: 3 })
    const events: string[] = []
    store.watch('/', {
      onEvents: (batch) => events.push(...batch.events.map(({ type, key, revision }) => `${type} ${key} ${revision}`)),
      onEnd: () => {},
    })
    await new Promise((resolve) => setImmediate(resolve))
    for (let i = 0; i < 2; i++) {
      become(start)
      const found = await store.range('/')
      const items = found.status === 'ok' ? found.items : []
      expect(items.map(({ key, value, revision }) => `${key}=${Buffer.from(value)}@${revision}`)).toEqual([
        '/a=a@2',
        '/b=b@3',
      ])
      expect(await store.currentRevision()).toBe(found.status === 'ok' ? found.revision : 0)
      expect(await store.range('/', { revision: 5 })).toEqual({ status: 'compacted' })
      const operation = { type: 'replace' as const, key: '/a', value: Buffer.from('B'), expectedRevision: 2 }
      expect(await store.write(operation)).toMatchObject({ ok: true, revision: 7 + 2 * i })
    }
    expect(events).toEqual(['put /a 7', 'put /a 9'])
    await store.close()
  })

  it('has its keys expire again', async () => {
    const clock = new ManualClock()
    const { store, snapshot, become } = openMemory({ clock })
    await store.write({ ...put('/a', 'a'), ttlSeconds: 60 })
    const start = snapshot()
    const other = openMemory({ clock }, start).store
    const count = async (of = store): Promise<number | undefined> => {
      const found = await of.range('/')
      return found.status === 'ok' ? found.items.length : undefined
    }
    await clock.advance(62_000)
    expect([await count(), await count(other)]).toEqual([0, 0])
    become(start)
    expect(await count()).toBe(1)
    await clock.advance(2000)
    expect(await count()).toBe(0)
    for (const each of [store, other]) await each.close()
    expect(clock.pending).toBe(0)
  })

  it('opens an independent copy', async () => {
    const first = openMemory()
    await first.store.write(put('/a', 'a'))
    const second = openMemory({}, first.snapshot())
    await first.store.write(put('/only-first', ''))
    await second.store.write(put('/only-second', ''))
    const keys = async ({ store }: typeof first) => {
      const found = await store.range('/')
      return found.status === 'ok' ? found.items.map(({ key }) => key) : []
    }
    expect(await keys(first)).toEqual(['/a', '/only-first'])
    expect(await keys(second)).toEqual(['/a', '/only-second'])
    await first.store.close()
    await second.store.close()
  })
})
