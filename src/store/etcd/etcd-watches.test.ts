import { EventEmitter } from 'node:events'
import { status } from '@grpc/grpc-js'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import type { WatchEnd } from '../store.ts'
import type { EtcdEndpoints } from './endpoints.ts'
import { EtcdWatches } from './etcd-watches.ts'
import type { WatchEvent, WatchRequest, WatchResponse } from './messages.ts'

/** One watch as etcd has it: where it began, and what etcd says to it. */
class Stream extends EventEmitter {
  startRevision = 0
  cancelled = false

  write({ startRevision }: WatchRequest): void {
    this.startRevision = startRevision
  }

  cancel(): void {
    this.cancelled = true
  }

  send(response: Partial<WatchResponse>): void {
    this.emit('data', { canceled: false, compactRevision: 0, fragment: false, events: [], ...response })
  }

  /** A change of a key of its own at each of these revisions. */
  change(...revisions: number[]): void {
    this.send({ events: revisions.map(eventAt) })
  }

  refuse(compactRevision: number): void {
    this.send({ canceled: true, compactRevision })
  }
}

const eventAt = (revision: number): WatchEvent => ({
  deleted: false,
  kv: { key: `/a/${revision}`, createRevision: revision, modRevision: revision, version: 1, value: Buffer.from('x') },
  previous: undefined,
})

/** An etcd that knows its revision, and answers watches when the test says so. */
class Etcd {
  revision = 10
  readonly streams: Stream[] = []
  readonly watches: EtcdWatches

  constructor() {
    const endpoints = {
      stream: () => {
        const stream = new Stream()
        this.streams.push(stream)
        return { stream, member: 0 }
      },
      leave: () => undefined,
      pauseAfter: () => 0,
    }
    this.watches = new EtcdWatches({
      endpoints: endpoints as unknown as EtcdEndpoints,
      clock: systemClock,
      currentRevision: async () => this.revision,
    })
  }

  /** The stream that was opened last, once there are so many. */
  async stream(count: number): Promise<Stream> {
    await until(() => this.streams.length >= count)
    expect(this.streams).toHaveLength(count)
    return this.streams[count - 1] as Stream
  }

  watch(afterRevision?: number) {
    const seen: number[] = []
    const ends: WatchEnd[] = []
    const progress: number[] = []
    const watch = this.watches.add('/a/', {
      ...(afterRevision === undefined ? {} : { afterRevision }),
      onEvents: ({ events }) => seen.push(...events.map(({ revision }) => revision)),
      onProgress: (revision) => progress.push(revision),
      onEnd: (end) => ends.push(end),
    })
    return { watch, seen, ends, progress }
  }
}

const until = (isTrue: () => boolean): Promise<unknown> => vi.waitUntil(isTrue, { timeout: 30_000, interval: 1 })

/** Once it does, it shares the stream. */
async function hearsOfProgress({ watch, progress }: ReturnType<Etcd['watch']>): Promise<void> {
  const before = progress.length
  watch.requestProgress()
  await until(() => progress.length > before)
}

describe('watches of etcd', () => {
  let etcd = new Etcd()
  afterEach(() => {
    etcd.watches.close()
    etcd = new Etcd()
  })

  test('share one stream', async () => {
    const [first, second] = [etcd.watch(), etcd.watch()]
    const sharedStream = await etcd.stream(1)
    expect(sharedStream.startRevision).toBe(11)
    await hearsOfProgress(first)
    await hearsOfProgress(second)
    sharedStream.change(11, 12)
    expect([first.seen, second.seen]).toEqual([
      [11, 12],
      [11, 12],
    ])
    expect(etcd.streams).toHaveLength(1)
  })

  test('catch up before they share it', async () => {
    const { seen } = etcd.watch(7)
    const own = await etcd.stream(2)
    // At the position, not after it: etcd tells when that is compacted.
    expect(own.startRevision).toBe(7)
    own.change(8, 9, 10)
    expect(own.cancelled).toBe(true)
    etcd.streams[0]?.change(10, 11)
    expect(seen).toEqual([8, 9, 10, 11])
  })

  describe('when a compaction overtakes the shared stream', () => {
    async function overtaken() {
      const live = etcd.watch()
      const sharedStream = await etcd.stream(1)
      await hearsOfProgress(live)
      etcd.revision = 15
      sharedStream.refuse(13)
      const next = await etcd.stream(3)
      const [, newFeed, own] = etcd.streams as [Stream, Stream, Stream]
      expect(next).toBe(own)
      return { live, newFeed, own }
    }

    test('go on where they are, and share a new one', async () => {
      const { live, newFeed, own } = await overtaken()
      expect([newFeed.startRevision, own.startRevision]).toEqual([16, 10])
      newFeed.change(16)
      own.change(11, 14)
      expect(live.seen).toEqual([11, 14])
      own.change(15, 16)
      expect(own.cancelled).toBe(true)
      newFeed.change(17)
      expect(live.seen).toEqual([11, 14, 15, 16, 17])
      expect(live.ends).toEqual([])
    })

    test('share the new one at once if nothing happened in between', async () => {
      const live = etcd.watch()
      const sharedStream = await etcd.stream(1)
      await hearsOfProgress(live)
      sharedStream.refuse(11)
      const again = await etcd.stream(2)
      expect(again.startRevision).toBe(11)
      await hearsOfProgress(live)
      again.change(11)
      expect([live.seen, live.ends]).toEqual([[11], []])
    })

    test('end if where they are is compacted, too', async () => {
      const { live, newFeed, own } = await overtaken()
      own.refuse(13)
      expect(live.ends).toEqual([{ reason: 'compacted' }])
      newFeed.change(16)
      expect(live.seen).toEqual([])
    })
  })

  test('end with the shared stream when etcd turns them away', async () => {
    const live = etcd.watch()
    const sharedStream = await etcd.stream(1)
    await hearsOfProgress(live)
    sharedStream.emit('error', Object.assign(new Error('no'), { code: status.PERMISSION_DENIED }))
    expect(live.ends).toMatchObject([{ reason: 'error' }])
  })
})
