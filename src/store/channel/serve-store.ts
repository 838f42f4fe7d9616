// Serves a store to other processes, each at the other end of a stream (see channel-store.ts). An event is encoded once for all of them. The
// writer of a value gets no copy of it back: its event names the write.
import type { Duplex } from 'node:stream'
import { SideTable } from '../../lib/memo.ts'
import type { Entry, RangeOptions, Store, StoreEvent, Watch, WatchEnd, WriteOperation, WriteResult } from '../store.ts'
import { StoreError } from '../store.ts'
import { encodeFrame, type Frame, FramePort } from './frames.ts'
import { errorSpec, specOf } from './wire.ts'

export interface ServedStore {
  /** Serves one more process. `onLost` is called once, when its stream has ended, however it did. */
  serve(stream: Duplex, onLost?: () => void): void
}

/** Takes what watches deliver: the frames of one event. */
type EncodeEvent = (event: StoreEvent) => readonly Buffer[]

export function serveStore(store: Store): ServedStore {
  const encoded = new SideTable<StoreEvent, readonly Buffer[]>()
  const encodeShared: EncodeEvent = (event) => {
    let frames = encoded.get(event)
    if (frames === undefined) {
      frames = encodeEvent(event, undefined)
      encoded.set(event, frames)
    }
    return frames
  }
  return {
    serve(stream, onLost = () => undefined) {
      new Session(store, stream, { encodeShared, onLost }).greet()
    },
  }
}

interface SessionParts {
  readonly encodeShared: EncodeEvent
  readonly onLost: () => void
}

class Session {
  readonly #store: Store
  readonly #parts: SessionParts
  readonly #port: FramePort
  readonly #watches = new Map<number, Watch>()
  /** The writes of this process that are under way, by the very bytes. */
  readonly #underway = new Map<Uint8Array, number>()

  constructor(store: Store, stream: Duplex, parts: SessionParts) {
    this.#store = store
    this.#parts = parts
    this.#port = new FramePort(stream, { onFrame: (frame) => this.#take(frame), onLost: () => this.#lost() })
  }

  greet(): void {
    const { name, maxValueBytes } = this.#store
    this.#port.send(['hello', name, maxValueBytes])
  }

  #lost(): void {
    for (const watch of this.#watches.values()) watch.close()
    this.#watches.clear()
    this.#underway.clear()
    this.#parts.onLost()
  }

  #take({ header, bytes }: Frame): void {
    const [kind, id, ...rest] = header as [string, number, ...unknown[]]
    switch (kind) {
      case 'write':
        this.#write(id, rest as unknown as WriteArguments, bytes)
        return
      case 'watch':
        this.#watch(id, rest as unknown as WatchArguments)
        return
      case 'progress':
        this.#watches.get(id)?.requestProgress()
        return
      case 'unwatch':
        this.#watches.get(id)?.close()
        return
      default:
        this.#ask(kind, rest).then(
          ([answer, values]) => this.#port.send(['answer', id, answer], values),
          (error: unknown) => this.#port.send(['failed', id, errorSpec(error)]),
        )
    }
  }

  #write(id: number, [type, key, expectedRevision, ttl, hint]: WriteArguments, bytes: Buffer): void {
    const ttlSeconds = ttl ?? undefined
    const value = Buffer.from(bytes)
    const operation: WriteOperation =
      type === 'create'
        ? { type, key, value, ttlSeconds, hint: hint ?? undefined }
        : type === 'replace'
          ? { type, key, value, expectedRevision, ttlSeconds, hint: hint ?? undefined }
          : { type: 'delete', key, expectedRevision }
    if (type !== 'delete') this.#underway.set(value, id)
    this.#store.write(operation).then(
      (result) => {
        this.#underway.delete(value)
        this.#sendResult(id, result)
      },
      (error: unknown) => {
        this.#underway.delete(value)
        this.#port.send(['failed', id, errorSpec(error)])
      },
    )
  }

  #sendResult(id: number, result: WriteResult): void {
    const entry = result.ok ? result.previous : result.current
    const values = entry === undefined ? undefined : [entry.value]
    this.#port.send([result.ok ? 'wrote' : 'lost', id, result.ok ? result.revision : 0, specOf(entry)], values)
  }

  async #ask(kind: string, args: readonly unknown[]): Promise<[unknown, Uint8Array[]]> {
    const store = this.#store
    switch (kind) {
      case 'get': {
        const [key, revision] = args as [string, number | null]
        const found = await store.get(key, { revision: revision ?? undefined })
        if (found.status !== 'ok') return [found, []]
        return [{ ...found, entry: specOf(found.entry) }, found.entry === undefined ? [] : [found.entry.value]]
      }
      case 'range': {
        const found = await store.range(...(args as [string, RangeOptions]))
        if (found.status !== 'ok') return [found, []]
        return [{ ...found, items: found.items.map(specOf) }, found.items.map(({ value }) => value)]
      }
      case 'revision':
        return [await store.currentRevision(), []]
      case 'compact':
        return [await store.compact(args[0] as number), []]
      case 'size':
        return [await store.size(), []]
      case 'health':
        await store.health(AbortSignal.timeout(healthMs), args[0] as 'read' | 'write')
        return [null, []]
      default:
        throw new StoreError('invalid', `there is no call ${kind}`)
    }
  }

  #watch(id: number, [prefix, after, withPrevious]: WatchArguments): void {
    const { encodeShared } = this.#parts
    const encode: EncodeEvent = (event) => {
      if (withPrevious) return encodeEvent(event, event.previous)
      const write = event.entry === undefined ? undefined : this.#underway.get(event.entry.value)
      return write === undefined ? encodeShared(event) : encodeOwn(event, write)
    }
    try {
      const watch = this.#store.watch(prefix, {
        afterRevision: after ?? undefined,
        withPrevious,
        onEvents: ({ events, revision }) => {
          const frames: Buffer[] = []
          for (const event of events) for (const piece of encode(event)) frames.push(piece)
          this.#port.send(['events', id, revision], frames)
        },
        onProgress: (revision) => this.#port.send(['progress', id, revision]),
        onEnd: (end) => {
          this.#watches.delete(id)
          this.#port.send(['ended', id, end.reason, errorIn(end)])
        },
      })
      this.#watches.set(id, watch)
    } catch (error) {
      this.#port.send(['ended', id, 'error', errorSpec(error)])
    }
  }
}

/** Type, key, expected revision, time to live, hint. */
type WriteArguments = readonly [WriteOperation['type'], string, number, number | null, string | null]
/** Prefix, after which revision, whether values before are wanted. */
type WatchArguments = readonly [string, number | null, boolean]

/** Longer than the time-out of any caller. */
const healthMs = 60_000

const errorIn = (end: WatchEnd) => (end.reason === 'error' ? errorSpec(end.error) : null)

function encodeEvent({ type, key, revision, entry }: StoreEvent, previous: Entry | undefined): readonly Buffer[] {
  const before = previous === undefined ? [] : [previous.value]
  if (type === 'delete') return encodeFrame(['delete', key, revision, specOf(previous)], before)
  return encodeFrame(['put', specOf(entry), entry.hint ?? null, specOf(previous)], [entry.value, ...before])
}

const encodeOwn = ({ revision, entry }: StoreEvent, write: number): readonly Buffer[] =>
  encodeFrame(['own', write, revision, entry?.createRevision ?? 0])
