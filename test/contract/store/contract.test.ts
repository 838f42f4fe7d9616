// What src/store/store.ts promises, on every store.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Store, StoreError } from '../../../src/store/store.ts'
import { until } from '../../support/until.ts'
import {
  bytes,
  create,
  type FreshStore,
  found,
  openFresh,
  Recorder,
  remove,
  replace,
  shown,
  testedStores,
} from './fixtures.ts'

const mebibyte = 1024 * 1024

describe.each(testedStores)('%s', (name) => {
  let fresh: FreshStore
  let store: Store

  beforeEach(async () => {
    fresh = await openFresh(name)
    store = fresh.store
  })
  afterEach(() => fresh.dispose())

  describe('a fresh store', () => {
    it('is at revision 1, empty, and gives the first write revision 2', async () => {
      expect(await store.currentRevision()).toBe(1)
      expect(await store.range('')).toEqual({ status: 'ok', revision: 1, items: [], more: false })
      expect(await create(store, '/a')).toBe(2)
      expect(await store.currentRevision()).toBe(2)
    })

    it('counts its beginning as compacted once something was written', async () => {
      await create(store, '/a')
      expect(await store.range('/', { revision: 1 })).toEqual({ status: 'compacted' })
      expect(await store.get('/a', { revision: 1 })).toEqual({ status: 'compacted' })
      const watch = new Recorder(store, '/', 1)
      await watch.untilEnd()
      expect(watch.end).toEqual({ reason: 'compacted' })
    })

    it('can be listed and then watched from there', async () => {
      const { revision } = found(await store.range('/'))
      const watch = new Recorder(store, '/', revision)
      await new Promise((resolve) => setTimeout(resolve, 50))
      await create(store, '/a', 'x')
      await watch.untilEvents(1)
      expect(watch.shown).toEqual(['put /a=x@2'])
    })
  })

  describe('write', () => {
    it('creates, replaces and deletes, each with the next revision', async () => {
      const base = await create(store, '/a', 'one')
      expect(await replace(store, '/a', base, 'two')).toBe(base + 1)
      const result = await store.write({ type: 'delete', key: '/a', expectedRevision: base + 1 })
      expect(result).toMatchObject({ ok: true, revision: base + 2 })
      expect(result.ok && Buffer.from(result.previous!.value).toString()).toBe('two')
      expect(result.ok && result.previous).toMatchObject({ key: '/a', revision: base + 1, createRevision: base })
      expect(await store.get('/a')).toEqual({ status: 'ok', revision: base + 2, entry: undefined })
    })

    it('answers a lost race with what is there', async () => {
      const revision = await create(store, '/a', 'mine')
      const lost = [
        await store.write({ type: 'create', key: '/a', value: bytes('x') }),
        await store.write({ type: 'replace', key: '/a', value: bytes('x'), expectedRevision: revision + 5 }),
        await store.write({ type: 'replace', key: '/a', value: bytes('x'), expectedRevision: 0 }),
        await store.write({ type: 'delete', key: '/a', expectedRevision: revision - 1 }),
      ]
      for (const result of lost) {
        expect(result).toMatchObject({ ok: false, current: { key: '/a', revision, createRevision: revision } })
        expect(!result.ok && Buffer.from(result.current!.value).toString()).toBe('mine')
      }
      expect(await store.currentRevision()).toBe(revision)
    })

    it.each([0, 7])('cannot replace or delete an absent key at revision %i', async (expectedRevision) => {
      expect(await store.write({ type: 'replace', key: '/n', value: bytes('x'), expectedRevision })).toEqual({
        ok: false,
        current: undefined,
      })
      expect(await store.write({ type: 'delete', key: '/n', expectedRevision })).toEqual({
        ok: false,
        current: undefined,
      })
    })

    it('starts a new life after a delete', async () => {
      const first = await create(store, '/a', '1')
      const gone = await remove(store, '/a', first)
      const second = await create(store, '/a', '2')
      expect(await store.get('/a')).toMatchObject({ entry: { revision: second, createRevision: second } })
      expect(await store.get('/a', { revision: gone })).toMatchObject({ entry: undefined })
      expect(await store.get('/a', { revision: first })).toMatchObject({ entry: { revision: first } })
    })

    it('lets exactly one of many win', async () => {
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, i) => store.write({ type: 'create', key: '/race', value: bytes(String(i)) })),
      )
      const winner = results.findIndex((result) => result.ok)
      expect(results.filter((result) => result.ok)).toHaveLength(1)
      for (const result of results) {
        if (!result.ok) expect(Buffer.from(result.current!.value).toString()).toBe(String(winner))
      }
    })

    it('loses no increment of a counter under contention', async () => {
      await create(store, '/counter', '0')
      const increment = async (): Promise<void> => {
        for (;;) {
          const read = await store.get('/counter')
          const entry = read.status === 'ok' ? read.entry! : undefined
          const value = bytes(String(Number(Buffer.from(entry!.value).toString()) + 1))
          const result = await store.write({
            type: 'replace',
            key: '/counter',
            value,
            expectedRevision: entry!.revision,
          })
          if (result.ok) return
        }
      }
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          for (let i = 0; i < 10; i++) await increment()
        }),
      )
      expect(shown(await store.range('/counter'))[0]).toMatch(/^\/counter=80@/)
    })

    it('gives concurrent writes distinct revisions without gaps', async () => {
      const base = await store.currentRevision()
      const revisions = await Promise.all(Array.from({ length: 200 }, (_, i) => create(store, `/k${i}`)))
      expect(revisions.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => base + 1 + i))
    })

    it('keeps binary and empty values', async () => {
      const every = Buffer.from(Array.from({ length: 256 }, (_, i) => i))
      await create(store, '/binary', every)
      await create(store, '/empty', Buffer.alloc(0))
      const { items } = found(await store.range('/'))
      expect(items.map((item) => Buffer.from(item.value))).toEqual([every, Buffer.alloc(0)])
    })

    it('keeps values of almost 1.5 MiB, and refuses larger ones than it takes clearly', async () => {
      const large = Buffer.alloc(1.5 * mebibyte - 1024, 0xa5)
      await create(store, '/large', large)
      const read = await store.get('/large')
      expect(read.status === 'ok' && Buffer.compare(Buffer.from(read.entry!.value), large)).toBe(0)
      const revision = await store.currentRevision()
      for (const size of [store.maxValueBytes + 1, 20 * mebibyte]) {
        const refused = store.write({ type: 'create', key: '/larger', value: Buffer.alloc(size) })
        await expect(refused).rejects.toMatchObject({
          code: 'too-large',
          message: expect.stringContaining('larger than'),
        })
      }
      expect(await store.currentRevision()).toBe(revision)
      expect(await store.get('/larger')).toMatchObject({ entry: undefined })
    })

    it('refuses an empty key', async () => {
      await expect(store.write({ type: 'create', key: '', value: bytes('x') })).rejects.toMatchObject({
        code: 'invalid',
      })
    })
  })

  describe('range', () => {
    it('takes the keys with the prefix in the order of their bytes', async () => {
      for (const key of ['/b/2', '/a', '/b/10', '/b', '/c', '/b/é', '/b/\u{1f600}', '/b/\uffee', '/b0'])
        await create(store, key)
      const keys = async (prefix: string): Promise<string[]> =>
        found(await store.range(prefix)).items.map((item) => item.key)
      expect(await keys('/b/')).toEqual(['/b/10', '/b/2', '/b/é', '/b/\uffee', '/b/\u{1f600}'])
      expect(await keys('/b')).toEqual(['/b', '/b/10', '/b/2', '/b/é', '/b/\uffee', '/b/\u{1f600}', '/b0'])
      expect(await keys('')).toHaveLength(9)
      expect(await keys('/x')).toEqual([])
    })

    it('pages through one state while others write', async () => {
      for (const key of ['/a', '/b', '/c', '/d', '/e']) await create(store, key, '1')
      const first = found(await store.range('/', { limit: 2, withRemaining: true }))
      expect(first).toMatchObject({ more: true, remaining: 3 })
      expect(first.items.map((item) => item.key)).toEqual(['/a', '/b'])
      await create(store, '/bb', '2')
      await remove(store, '/d', first.revision - 1)
      const { revision } = first
      const second = found(await store.range('/', { startKey: '/b\0', limit: 2, revision, withRemaining: true }))
      expect(second).toMatchObject({ revision, more: true, remaining: 1 })
      expect(second.items.map((item) => item.key)).toEqual(['/c', '/d'])
      const third = found(await store.range('/', { startKey: '/d\0', limit: 2, revision, withRemaining: true }))
      expect(third).toMatchObject({ more: false, remaining: 0 })
      expect(third.items.map((item) => item.key)).toEqual(['/e'])
    })

    it('says that there is more only when there is, and takes 0 as no limit', async () => {
      await create(store, '/a')
      await create(store, '/b')
      expect(await store.range('/', { limit: 2 })).toMatchObject({ more: false })
      expect(await store.range('/', { limit: 1 })).toMatchObject({ more: true })
      expect(found(await store.range('/', { limit: 0 })).items).toHaveLength(2)
      expect(await store.range('/', { limit: 1 })).not.toHaveProperty('remaining')
    })

    it('refuses a start key outside of the prefix', async () => {
      await expect(store.range('/a/', { startKey: '/b' })).rejects.toThrow(StoreError)
    })

    it('reads old states, and tells future ones', async () => {
      const a = await create(store, '/a', '1')
      const b = await create(store, '/b', '1')
      const c = await replace(store, '/a', a, '2')
      const d = await remove(store, '/b', b)
      expect(shown(await store.range('/', { revision: a }))).toEqual([`/a=1@${a}`])
      expect(shown(await store.range('/', { revision: b }))).toEqual([`/a=1@${a}`, `/b=1@${b}`])
      expect(shown(await store.range('/', { revision: c }))).toEqual([`/a=2@${c}`, `/b=1@${b}`])
      expect(shown(await store.range('/', { revision: d }))).toEqual([`/a=2@${c}`])
      expect(await store.range('/', { revision: d + 1 })).toEqual({ status: 'future', currentRevision: d })
      expect(await store.get('/a', { revision: d + 1 })).toEqual({ status: 'future', currentRevision: d })
    })
  })

  describe('watch', () => {
    it('delivers changes in order with what was there before', async () => {
      const watch = new Recorder(store, '/w/')
      await watch.untilProgress(1)
      const a = await create(store, '/w/a', '1')
      await create(store, '/other', '1')
      const c = await replace(store, '/w/a', a, '2')
      const d = await remove(store, '/w/a', c)
      await watch.untilEvents(3)
      expect(watch.shown).toEqual([`put /w/a=1@${a}`, `put /w/a=2@${c}`, `delete /w/a@${d}`])
      const before = watch.events.map(({ previous }) => previous && Buffer.from(previous.value).toString())
      expect(before).toEqual([undefined, '1', '2'])
      expect(watch.events.map(({ previous }) => previous?.revision)).toEqual([undefined, a, c])
      expect(watch.events.map(({ entry }) => entry?.createRevision)).toEqual([a, a, undefined])
    })

    it('starts after any revision that is kept, and goes on with what comes', async () => {
      const a = await create(store, '/a', '1')
      const b = await replace(store, '/a', a, '2')
      const watch = new Recorder(store, '/', a)
      const c = await replace(store, '/a', b, '3')
      await watch.untilEvents(2)
      expect(watch.shown).toEqual([`put /a=2@${b}`, `put /a=3@${c}`])
      expect(watch.events.map(({ previous }) => previous?.revision)).toEqual([a, b])
    })

    it('starts after a revision that is still to come', async () => {
      const a = await create(store, '/a', '1')
      const watch = new Recorder(store, '/', a + 1)
      const b = await replace(store, '/a', a, '2')
      const c = await replace(store, '/a', b, '3')
      await watch.untilEvents(1)
      expect(watch.shown).toEqual([`put /a=3@${c}`])
    })

    it('shows the same history to watches that begin at any point of it', async () => {
      const start = await create(store, '/seed')
      const live = new Recorder(store, '/', start)
      const latest = new Map<string, number>()
      for (let i = 0; i < 60; i++) {
        const key = `/k${i % 7}`
        const revision = latest.get(key)
        if (revision === undefined) latest.set(key, await create(store, key, String(i)))
        else if (i % 5 === 0) {
          latest.delete(key)
          await remove(store, key, revision)
        } else latest.set(key, await replace(store, key, revision, String(i)))
      }
      await live.untilEvents(60)
      for (const skipped of [0, 1, 30, 59]) {
        const late = new Recorder(store, '/', start + skipped)
        await late.untilEvents(60 - skipped)
        expect(late.events).toEqual(live.events.slice(skipped))
        late.close()
      }
    })

    it('delivers a history that is too large for one message', async () => {
      const start = await create(store, '/seed')
      const values = Array.from({ length: 8 }, (_, i) => Buffer.alloc(mebibyte, i))
      for (const [i, value] of values.entries()) await create(store, `/big/${i}`, value)
      const watch = new Recorder(store, '/big/', start)
      await watch.untilEvents(8)
      expect(
        watch.events.map((event) => Buffer.from(event.entry!.value).equals(values[Number(event.key.at(-1))]!)),
      ).toEqual(Array(8).fill(true))
      expect(watch.events.map((event) => event.revision)).toEqual(values.map((_, i) => start + 1 + i))
    })

    it('reports progress that no event contradicts', async () => {
      const watch = new Recorder(store, '/w/')
      await watch.untilProgress(1)
      for (let i = 0; i < 20; i++) {
        watch.requestProgress()
        const revision = await create(store, `/w/${i}`)
        const elsewhere = await create(store, `/x/${i}`)
        await watch.untilProgress(elsewhere)
        expect(watch.events.at(-1)?.revision).toBe(revision)
      }
    })

    it('keeps the promise of readsOwnWrites', async () => {
      if (!store.readsOwnWrites) return
      const watch = new Recorder(store, '/')
      await watch.untilProgress(1)
      await Promise.all(
        Array.from({ length: 100 }, async (_, i) => {
          const revision = await create(store, `/k${i}`)
          expect(watch.events.some((event) => event.revision === revision)).toBe(true)
        }),
      )
    })

    it('takes writes that a watcher makes from within its callback, in order for all', async () => {
      let made = 0
      let isOpen = false
      const first = store.watch('/', {
        onEvents: ({ events }) => {
          for (const _ of events) if (made < 20) void create(store, `/made/${made++}`)
        },
        onProgress: () => {
          isOpen = true
        },
        onEnd: () => undefined,
      })
      await until('the first watch', () => {
        first.requestProgress()
        return isOpen
      })
      const second = new Recorder(store, '/')
      await second.untilProgress(1)
      await create(store, '/start')
      await second.untilEvents(21)
      const revisions = second.events.map((event) => event.revision)
      expect(revisions).toEqual([...revisions].sort((a, b) => a - b))
      first.close()
    })

    it('ends with its signal, with close and with the store', async () => {
      const abort = new AbortController()
      const watches = [
        new Recorder(store, '/', undefined, abort.signal),
        new Recorder(store, '/'),
        new Recorder(store, '/'),
      ]
      const early = new Recorder(store, '/', undefined, AbortSignal.abort())
      await watches[2]!.untilProgress(1)
      abort.abort()
      watches[1]!.close()
      await create(store, '/a')
      await store.close()
      for (const watch of [...watches, early]) {
        await watch.untilEnd()
        expect(watch.end).toEqual({ reason: 'closed' })
      }
      expect(watches[0]!.events).toEqual([])
      await expect(store.currentRevision()).rejects.toMatchObject({ code: 'closed' })
      await expect(store.write({ type: 'create', key: '/x', value: bytes('') })).rejects.toMatchObject({
        code: 'closed',
      })
    })
  })

  describe('compact', () => {
    it('forgets the states before a revision, and no other', async () => {
      const a = await create(store, '/a', '1')
      const b = await replace(store, '/a', a, '2')
      const c = await create(store, '/b', '1')
      const d = await remove(store, '/b', c)
      const e = await create(store, '/c', '1')
      expect(await store.compact(e + 1)).toEqual({ status: 'future', currentRevision: e })
      expect(await store.compact(c)).toEqual({ status: 'ok' })
      expect(await store.compact(c)).toEqual({ status: 'compacted' })
      expect(await store.range('/', { revision: b })).toEqual({ status: 'compacted' })
      expect(shown(await store.range('/', { revision: c }))).toEqual([`/a=2@${b}`, `/b=1@${c}`])
      expect(shown(await store.range('/', { revision: d }))).toEqual([`/a=2@${b}`])
      expect(shown(await store.range('/'))).toEqual([`/a=2@${b}`, `/c=1@${e}`])
    })

    it('ends watches that would begin before it, even just before, and leaves the others', async () => {
      const a = await create(store, '/a', '1')
      const live = new Recorder(store, '/')
      await live.untilProgress(a)
      const b = await remove(store, '/a', a)
      const c = await create(store, '/b', '1')
      // Until then a watch on etcd may join the live one before the deletion, and lose nothing.
      await live.untilEvents(2)
      await store.compact(b)
      const before = new Recorder(store, '/', a)
      await before.untilEnd()
      expect(before.end).toEqual({ reason: 'compacted' })
      expect(before.events).toEqual([])
      const at = new Recorder(store, '/', b)
      const d = await replace(store, '/b', c, '2')
      await Promise.all([live.untilEvents(3), at.untilEvents(2)])
      expect(live.shown).toEqual([`delete /a@${b}`, `put /b=1@${c}`, `put /b=2@${d}`])
      expect(at.shown).toEqual([`put /b=1@${c}`, `put /b=2@${d}`])
    })

    it('does not disturb a watch in the middle of writes and compactions', async () => {
      const watch = new Recorder(store, '/')
      await watch.untilProgress(1)
      const revisions: number[] = []
      for (let i = 0; i < 100; i++) {
        revisions.push(await create(store, `/k${i}`))
        if (i % 10 !== 9) continue
        // etcd ends a watch that compaction has overtaken.
        await watch.untilEvents(revisions.length - 4)
        await store.compact(revisions.at(-5)!)
      }
      await watch.untilEvents(100)
      expect(watch.events.map((event) => event.revision)).toEqual(revisions)
    })
  })

  it('expires keys with a time to live, and only those', async () => {
    const watch = new Recorder(store, '/')
    await watch.untilProgress(1)
    const ttl = { ttlSeconds: 2 }
    await until('a key that is made to stay in time', async () => {
      const made = await store.write({ type: 'create', key: '/kept', value: bytes('x'), ...ttl })
      const expectedRevision = made.ok ? made.revision : 0
      return (await store.write({ type: 'replace', key: '/kept', value: bytes('permanent'), expectedRevision })).ok
    })
    await store.write({ type: 'create', key: '/gone', value: bytes('x'), ...ttl })
    await create(store, '/forever')
    const expiry = () => watch.events.find((event) => event.type === 'delete' && event.key === '/gone')
    await watch.until('the expiry', () => expiry() !== undefined)
    expect(found(await store.range('/')).items.map((item) => item.key)).toEqual(['/forever', '/kept'])
    expect(expiry()).toMatchObject({ previous: { key: '/gone' } })
  })

  it('tells its health and size', async () => {
    await create(store, '/a', 'some value')
    await store.health(AbortSignal.timeout(60_000))
    expect(await store.size()).toBeGreaterThan(0)
    await expect(store.health(AbortSignal.abort())).rejects.toThrow()
  })

  it('holds 100,000 keys', async () => {
    const keys = Array.from({ length: 100_000 }, (_, i) => `/many/${String(i).padStart(6, '0')}`)
    const items = keys.map((key, i) => ({ key, value: `value ${i}` }))
    await fresh.seed(items.slice(0, 90_000))
    const start = await store.currentRevision()
    await fresh.seed(items.slice(90_000))
    const all = found(await store.range('/many/'))
    expect(all.items.map((item) => item.key)).toEqual(keys)
    const page = found(await store.range('/many/', { startKey: '/many/050000', limit: 500, withRemaining: true }))
    expect(page.items[0]).toMatchObject({ key: '/many/050000' })
    expect(page.remaining).toBe(49_500)
    const watch = new Recorder(store, '/many/095', start)
    await watch.untilProgress(all.revision)
    expect(watch.events.map((event) => event.key).sort()).toEqual(keys.slice(95_000, 96_000))
  })
})
