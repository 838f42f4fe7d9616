import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RestorableStore } from './restorable-store.ts'
import { ManualClock } from './testing/manual-clock.ts'

describe('a restorable store', () => {
  const put = (key: string, text: string) => ({ type: 'create' as const, key, value: Buffer.from(text) })

  it('reverts every key by new writes, which watches see', async () => {
    const store = new RestorableStore()
    await store.write(put('/a', 'a'))
    await store.write(put('/b', 'b'))
    const start = store.snapshot()
    await store.write({ type: 'replace', key: '/a', value: Buffer.from('A'), expectedRevision: 2 })
    await store.write({ type: 'delete', key: '/b', expectedRevision: 3 })
    await store.write(put('/c', 'c'))
    const events: string[] = []
    store.watch('/', {
      onEvents: (batch) => events.push(...batch.events.map(({ type, key, revision }) => `${type} ${key} ${revision}`)),
      onEnd: () => {},
    })
    await new Promise((resolve) => setImmediate(resolve))
    await store.revert(start)
    const found = await store.range('/')
    expect(found.status === 'ok' && found.items.map(({ key, value }) => `${key}=${Buffer.from(value)}`)).toEqual([
      '/a=a',
      '/b=b',
    ])
    expect(events).toEqual(['delete /c 7', 'put /a 8', 'put /b 9'])
    await store.revert(start)
    expect(await store.currentRevision()).toBe(9)
    await store.close()
  })

  it('holds what watches have seen, whatever is written and reverted', async () => {
    const key = fc.constantFrom('/a', '/b', '/c', '/d')
    const step = fc.oneof(
      fc.record({ kind: fc.constant('put' as const), key }),
      fc.record({ kind: fc.constant('delete' as const), key }),
      fc.record({ kind: fc.constant('snapshot' as const) }),
      fc.record({ kind: fc.constant('revert' as const), to: fc.nat(3) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const store = new RestorableStore()
        const seen = new Map<string, { text: string; revision: number }>()
        store.watch('/', {
          onEvents: ({ events }) => {
            for (const { key, entry } of events) {
              if (entry === undefined) seen.delete(key)
              else seen.set(key, { text: `${entry.value}`, revision: entry.revision })
            }
          },
          onEnd: () => {},
        })
        await Promise.resolve()
        const texts = () => [...seen].map(([key, { text }]) => `${key}=${text}`).sort()
        const kept = [{ state: store.snapshot(), texts: texts() }]
        for (const [i, next] of steps.entries()) {
          if (next.kind === 'snapshot') kept.push({ state: store.snapshot(), texts: texts() })
          else if (next.kind === 'revert') {
            const to = kept[next.to % kept.length]!
            await store.revert(to.state)
            expect(texts()).toEqual(to.texts)
          } else {
            const there = seen.get(next.key)
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
            [...seen].sort(([a], [b]) => (a < b ? -1 : 1)),
          )
        }
        await store.close()
      }),
    )
  })

  it('restores what it was at a revision of its own, without events; watches go on', async () => {
    const store = new RestorableStore()
    await store.write(put('/a', 'a'))
    await store.write(put('/b', 'b'))
    const start = store.snapshot()
    await store.write({ type: 'replace', key: '/a', value: Buffer.from('A'), expectedRevision: 2 })
    await store.write({ type: 'delete', key: '/b', expectedRevision: 3 })
    const events: string[] = []
    store.watch('/', {
      onEvents: (batch) => events.push(...batch.events.map(({ type, key, revision }) => `${type} ${key} ${revision}`)),
      onEnd: () => {},
    })
    await new Promise((resolve) => setImmediate(resolve))
    for (let i = 0; i < 2; i++) {
      store.restore(start)
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
    const store = new RestorableStore({ clock })
    await store.write({ ...put('/a', 'a'), ttlSeconds: 60 })
    const start = store.snapshot()
    const other = new RestorableStore({ clock }, start)
    const count = async (of = store): Promise<number | undefined> => {
      const found = await of.range('/')
      return found.status === 'ok' ? found.items.length : undefined
    }
    await clock.advance(62_000)
    expect([await count(), await count(other)]).toEqual([0, 0])
    store.restore(start)
    expect(await count()).toBe(1)
    await clock.advance(2000)
    expect(await count()).toBe(0)
    for (const each of [store, other]) await each.close()
    expect(clock.pending).toBe(0)
  })

  it('opens an independent copy', async () => {
    const first = new RestorableStore()
    await first.write(put('/a', 'a'))
    const second = new RestorableStore({}, first.snapshot())
    await first.write(put('/only-first', ''))
    await second.write(put('/only-second', ''))
    const keys = async (store: RestorableStore) => {
      const found = await store.range('/')
      return found.status === 'ok' ? found.items.map(({ key }) => key) : []
    }
    expect(await keys(first)).toEqual(['/a', '/only-first'])
    expect(await keys(second)).toEqual(['/a', '/only-second'])
    await first.close()
    await second.close()
  })
})
