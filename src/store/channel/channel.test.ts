/** What a store by channel does beyond the contract, which test/contract checks. */
import { closeSync } from 'node:fs'
import { type AddressInfo, createServer, Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { openMemoryStore } from '../memory.ts'
import type { Store, StoreEvent } from '../store.ts'
import { openChannelStore } from './channel-store.ts'
import { FrameBuffer, FrameReader } from './frames.ts'
import { pagedRange } from './paged-range.ts'
import { serveStore } from './serve-store.ts'
import { Watermark } from './watermark.ts'
import { frameKinds, RecordReader, readJsonFrame, type WireRecord, writeJsonFrame, writeRecord } from './wire.ts'

const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const end of endings.splice(0)) await end()
})

function connectedSockets(): Promise<[Socket, Socket]> {
  return new Promise((resolve) => {
    const near = new Socket()
    const server = createServer((far) => {
      server.close()
      resolve([near, far])
    })
    server.listen(0, '127.0.0.1', () => near.connect((server.address() as AddressInfo).port, '127.0.0.1'))
  })
}

async function open(count: number): Promise<{ owner: Store; stores: Store[]; streams: Socket[]; lost: number[] }> {
  const owner = openMemoryStore({ takesHints: true })
  const served = serveStore(owner)
  const lost: number[] = []
  const stores: Store[] = []
  const streams: Socket[] = []
  for (let i = 0; i < count; i++) {
    const [near, far] = await connectedSockets()
    served.serve(far)
    streams.push(far)
    stores.push(await openChannelStore({ stream: near, onLost: () => lost.push(i) }))
  }
  endings.push(async () => {
    for (const store of stores) await store.close()
    await owner.close()
  })
  return { owner, stores, streams, lost }
}

function watched(store: Store): StoreEvent[] {
  const seen: StoreEvent[] = []
  store.watch('/', {
    afterRevision: 1,
    withPrevious: false,
    onEvents: ({ events }) => seen.push(...events),
    onEnd: () => undefined,
  })
  return seen
}

async function caughtUp(store: Store): Promise<void> {
  const revision = await store.currentRevision()
  await new Promise<void>((resolve) => {
    const watch = store.watch('', {
      onEvents: () => undefined,
      onProgress: (at) => {
        if (at < revision) return
        watch.close()
        resolve()
      },
      onEnd: () => undefined,
    })
    watch.requestProgress()
  })
}

it('shows a write to its own watches as the very bytes, before it is acknowledged, and to others with its hint', async () => {
  const { owner, stores } = await open(2)
  const [writer, other] = stores as [Store, Store]
  const [own, others, owners] = [watched(writer), watched(other), watched(owner)]
  await Promise.all([writer, other].map(caughtUp))
  const value = Buffer.from('a value')
  await writer.write({ type: 'create', key: '/a', value, hint: 'known' })
  expect(own.map(({ entry }) => entry?.value === value)).toEqual([true])
  await caughtUp(other)
  expect(others.map(({ key, entry }) => [key, Buffer.from(entry?.value ?? []).toString(), entry?.hint])).toEqual([
    ['/a', 'a value', 'known'],
  ])
  expect(owners.map(({ entry }) => entry?.hint)).toEqual(['known'])
})

it('fails what is under way when the stream is lost, and says that a write may have happened', async () => {
  const { owner, stores, streams, lost } = await open(2)
  const [store, other] = stores as [Store, Store]
  const ends: unknown[] = []
  store.watch('/', { onEvents: () => undefined, onEnd: (end) => ends.push(end.reason) })
  await caughtUp(store)
  const write = store.write({ type: 'create', key: '/a', value: Buffer.from('x') })
  const read = store.get('/a')
  streams[0]?.destroy()
  await expect(write).rejects.toMatchObject({ code: 'unavailable', maybeApplied: true })
  await expect(read).rejects.toMatchObject({ code: 'unavailable', maybeApplied: false })
  expect(ends).toEqual(['error'])
  expect(lost).toEqual([0])
  await expect(store.get('/a')).rejects.toMatchObject({ code: 'unavailable' })
  expect(await other.currentRevision()).toBe(await owner.currentRevision())
})

const records: readonly Required<WireRecord>[] = [
  { numbers: [2 ** 53 - 1, 7, 0.5], key: '/registry/pods/a', hint: 'known', value: Buffer.from('abc') },
  { numbers: [2, 0, 0], key: '/é/\u{1f600}', hint: '["ü"]', value: Buffer.from('') },
  // Longer than what is copied, and longer than a block of frames.
  { numbers: [3, 0, 0], key: '/large', hint: 'x'.repeat(70_000), value: Buffer.alloc(20_000, 7) },
  { numbers: [4, 0, 0], key: '/last', hint: 'y', value: Buffer.alloc(16 * 1024, 8) },
]

/** Texts are compared faster than bytes. */
const shown = ({ value, ...rest }: Required<WireRecord>) => ({ ...rest, value: Buffer.from(value).toString('latin1') })

it('puts frames together from pieces of any size', () => {
  const out = new FrameBuffer()
  for (const record of records) writeRecord(out, frameKinds.put, record)
  writeJsonFrame(out, ['é', 3], [Buffer.alloc(20_000, 7), Buffer.from('end')])
  writeRecord(out, frameKinds.batch, { numbers: [1] })
  const bytes = Buffer.concat(out.take())
  expect(out.isEmpty).toBe(true)
  for (const size of [1, 3, 7, 8, 9, 1000, bytes.length]) {
    const reader = new FrameReader()
    const found: unknown[] = []
    for (let at = 0; at < bytes.length; at += size) {
      reader.push(bytes.subarray(at, at + size), (kind, block, from, to) => {
        if (kind === frameKinds.json) {
          const { header, values } = readJsonFrame(block, from, to)
          found.push([header, values.length])
          return
        }
        const record = new RecordReader(block, from, to)
        const { key, hint, value } = record
        found.push(shown({ numbers: [record.number(0), record.number(1), record.number(2)], key, hint, value }))
      })
    }
    expect(found).toEqual([
      ...records.map(shown),
      [['é', 3], 20_003],
      shown({ numbers: [1, 0, 0], key: '', hint: undefined, value: Buffer.from('') }),
    ])
  }
})

it('gives up a stream of which a frame is longer than any, and one of which a record is longer than its frame', () => {
  const out = new FrameBuffer()
  writeRecord(out, frameKinds.put, { numbers: [1], key: 'abc' })
  const [good] = out.take() as [Buffer]
  const read = (at: number, length: number): void => {
    const bytes = Buffer.from(good)
    bytes.writeUInt32LE(length, at)
    new FrameReader().push(bytes, (_, block, from, to) => new RecordReader(block, from, to).key)
  }
  expect(() => read(0, good.length - 4)).not.toThrow()
  expect(() => read(0, 2 ** 31)).toThrow('longer than any')
  const [keyLengthAt, hintLengthAt] = [29, 33]
  expect(() => read(keyLengthAt, 4)).toThrow('longer than its frame')
  expect(() => read(hintLengthAt, 1)).toThrow('longer than its frame')
})

it('shows every process the events of a batch in order, its own by the very bytes, whatever their size', async () => {
  const { owner, stores } = await open(3)
  const seen = stores.map(watched)
  await Promise.all(stores.map(caughtUp))
  const values = Array.from({ length: 30 }, (_, i) => Buffer.alloc([0, 10, 20_000, 100_000][i % 4] as number, i))
  const writing = values.map((value, i) => {
    const store = [...stores, owner][i % 4] as Store
    return store.write({ type: 'create', key: `/k${i}`, value, ...(i % 3 === 0 ? {} : { hint: `hint ${i}` }) })
  })
  const revisions = (await Promise.all(writing)).map((result) => (result.ok ? result.revision : 0))
  await owner.write({ type: 'delete', key: '/k5', expectedRevision: revisions[5] as number })
  await Promise.all(stores.map(caughtUp))
  for (const [at, events] of seen.entries()) {
    expect(events.map(({ revision }) => revision)).toEqual(events.map((_, i) => i + 2))
    for (const [i, value] of values.entries()) {
      const entry = events.find(({ revision }) => revision === revisions[i])?.entry
      expect(entry?.key).toBe(`/k${i}`)
      expect(value.equals(entry?.value ?? Buffer.from('none'))).toBe(true)
      expect(entry?.value === value).toBe(i % 4 === at)
      if (i % 4 !== at) expect(entry?.hint).toBe(i % 3 === 0 ? undefined : `hint ${i}`)
    }
    expect(events.at(-1)).toMatchObject({ type: 'delete', key: '/k5' })
  }
})

it('reads a range in pages of one state, anew when that is compacted away', async () => {
  const store = openMemoryStore()
  endings.push(() => store.close())
  const count = 1300
  for (let i = 0; i < count; i++) {
    await store.write({ type: 'create', key: `/k${String(i).padStart(5, '0')}`, value: Buffer.from('x') })
  }
  let pages = 0
  const result = await pagedRange({}, async (page) => {
    if (++pages === 2) {
      await store.write({ type: 'create', key: '/k', value: Buffer.from('x') })
      await store.compact(await store.currentRevision())
    }
    return store.range('/k', page)
  })
  expect(result).toMatchObject({ status: 'ok', more: false, revision: count + 2 })
  expect(result.status === 'ok' && result.items.map(({ key }) => key).length).toBe(count + 1)
  const part = await pagedRange({ limit: 700, withRemaining: true }, (page) => store.range('/k', page))
  expect(part).toMatchObject({ more: true, remaining: count + 1 - 700 })
})

it('keeps the newest revision where another descriptor can read it', () => {
  const watermark = Watermark.create(7)
  const reader = new Watermark(watermark.descriptor)
  expect(reader.read()).toBe(7)
  watermark.write(2 ** 53 - 1)
  expect(reader.read()).toBe(2 ** 53 - 1)
  closeSync(watermark.descriptor)
})
