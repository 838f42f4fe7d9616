/** What a store by channel does beyond the contract, which test/contract checks. */
import { closeSync } from 'node:fs'
import { type AddressInfo, createServer, Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { openMemoryStore } from '../memory.ts'
import type { Store, StoreEvent } from '../store.ts'
import { openChannelStore } from './channel-store.ts'
import { encodeFrame, type Frame, FrameReader } from './frames.ts'
import { pagedRange } from './paged-range.ts'
import { serveStore } from './serve-store.ts'
import { Watermark } from './watermark.ts'

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

it('puts frames together from pieces of any size', () => {
  const sent = [
    encodeFrame(['small', 1], [Buffer.from('abc'), Buffer.from('')]),
    encodeFrame(['none', 2]),
    encodeFrame(['é', 3], [Buffer.alloc(40_000, 7), Buffer.from('end')]),
  ]
  const bytes = Buffer.concat(sent.flat())
  for (const size of [1, 3, 7, 8, 9, 1000, bytes.length]) {
    const reader = new FrameReader()
    const frames: Frame[] = []
    for (let at = 0; at < bytes.length; at += size) {
      reader.push(bytes.subarray(at, at + size), (frame) =>
        frames.push({ header: frame.header, bytes: Buffer.from(frame.bytes) }),
      )
    }
    expect(frames.map(({ header }) => header)).toEqual([
      ['small', 1],
      ['none', 2],
      ['é', 3],
    ])
    expect(frames.map((frame) => frame.bytes.length)).toEqual([3, 0, 40_003])
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
