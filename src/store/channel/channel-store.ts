// A store in another process of the same server, by a stream (see serve-store.ts). What is written by this process comes back from its watches
// as the very bytes, before the write is acknowledged. When the stream is lost, so is the store: its process exits.
import type { Duplex } from 'node:stream'
import {
  type CompactResult,
  type Entry,
  type GetOptions,
  type GetResult,
  type RangeOptions,
  type RangeResult,
  type Store,
  StoreError,
  type StoreEvent,
  type StoreName,
  type Watch,
  type WatchEnd,
  type WatchOptions,
  type WriteOperation,
  type WriteResult,
} from '../store.ts'
import { FramePort } from './frames.ts'
import { pagedRange } from './paged-range.ts'
import {
  type EntrySpec,
  type ErrorSpec,
  errorOf,
  frameKinds,
  type Header,
  RecordReader,
  readJsonFrame,
  ValueCutter,
  writeJsonFrame,
  writeRecord,
} from './wire.ts'

export interface ChannelStoreOptions {
  readonly stream: Duplex
  /** The revision of the newest visible write, where it can be read without asking. */
  readonly watermark?: (() => number) | undefined
  /** The stream was lost. Not called after `close`. */
  readonly onLost?: () => void
}

/** Resolves when the other end has said what it serves. */
export function openChannelStore(options: ChannelStoreOptions): Promise<Store> {
  return new Promise((resolve, reject) => {
    const store: ChannelStore = new ChannelStore(options, { onHello: () => resolve(store), onRefused: reject })
  })
}

interface Call {
  readonly resolve: (answer: unknown, bytes: Buffer) => void
  readonly reject: (error: StoreError) => void
  /** Of a write. */
  readonly key?: string
  readonly value?: Uint8Array
  readonly isWrite: boolean
}

interface OpenWatch {
  readonly options: WatchOptions
  release: () => void
}

type WriteFrame = readonly [string, number, number, EntrySpec | null]

class ChannelStore implements Store {
  name: StoreName = 'memory'
  maxValueBytes = 0
  readonly readsOwnWrites = true
  readonly shared = true
  readonly takesHints = true
  readonly watermark: (() => number) | undefined
  readonly #port: FramePort
  readonly #onHello: () => void
  readonly #calls = new Map<number, Call>()
  /** Those that have come of a batch so far. */
  #events: StoreEvent[] = []
  readonly #watches = new Map<number, OpenWatch>()
  #lastId = 0
  #closing: Promise<void> | undefined
  #isLost = false
  #idle: (() => void) | undefined

  constructor(
    { stream, watermark, onLost }: ChannelStoreOptions,
    greeting: { readonly onHello: () => void; readonly onRefused: (error: StoreError) => void },
  ) {
    this.#onHello = greeting.onHello
    this.watermark =
      watermark &&
      (() => {
        this.#assertOpen()
        return watermark()
      })
    this.#port = new FramePort(stream, {
      onFrame: (kind, block, from, to) => this.#take(kind, block, from, to),
      onLost: () => {
        this.#lost()
        greeting.onRefused(lostError(false))
        if (this.#closing === undefined) onLost?.()
      },
    })
  }

  async currentRevision(): Promise<number> {
    return this.watermark?.() ?? (this.#ask('revision') as Promise<number>)
  }

  async get(key: string, { revision }: GetOptions = {}): Promise<GetResult> {
    return this.#ask('get', [key, revision ?? null], (answer, bytes) => {
      const found = answer as { readonly status: string; readonly entry: EntrySpec | null }
      if (found.status !== 'ok') return found
      return { ...found, entry: new ValueCutter(bytes).entry(found.entry) }
    }) as Promise<GetResult>
  }

  /** In pages: a long answer would hold up both ends. */
  async range(prefix: string, options: RangeOptions = {}): Promise<RangeResult> {
    return pagedRange(options, (page) => this.#page(prefix, page))
  }

  async #page(prefix: string, options: RangeOptions): Promise<RangeResult> {
    return this.#ask('range', [prefix, options], (answer, bytes) => {
      const found = answer as { readonly status: string; readonly items: readonly EntrySpec[] }
      if (found.status !== 'ok') return found
      const cutter = new ValueCutter(bytes)
      return { ...found, items: found.items.map((spec) => cutter.entry(spec)) }
    }) as Promise<RangeResult>
  }

  write(operation: WriteOperation): Promise<WriteResult> {
    return new Promise((resolve, reject) => {
      this.#assertOpen()
      const id = ++this.#lastId
      const { type, key } = operation
      const expected = type === 'create' ? 0 : operation.expectedRevision
      const kind = frameKinds[type]
      const settling = { resolve: resolve as Call['resolve'], reject, isWrite: true }
      if (type === 'delete') {
        this.#calls.set(id, settling)
        this.#port.send((out) => writeRecord(out, kind, { numbers: [id, expected], key }))
        return
      }
      const { value, ttlSeconds, hint } = operation
      this.#calls.set(id, { ...settling, key, value })
      this.#port.send((out) => writeRecord(out, kind, { numbers: [id, expected, ttlSeconds], key, hint, value }))
    })
  }

  watch(prefix: string, options: WatchOptions): Watch {
    this.#assertOpen()
    const id = ++this.#lastId
    const { signal } = options
    const close = (): void => {
      if (this.#watches.has(id)) this.#send(['unwatch', id])
      this.#end(id, { reason: 'closed' })
    }
    signal?.addEventListener('abort', close, { once: true })
    this.#watches.set(id, { options, release: () => signal?.removeEventListener('abort', close) })
    if (signal?.aborted) queueMicrotask(close)
    else this.#send(['watch', id, prefix, options.afterRevision ?? null, options.withPrevious ?? true])
    return { close, requestProgress: () => this.#send(['progress', id]) }
  }

  async compact(revision: number): Promise<CompactResult> {
    return this.#ask('compact', [revision]) as Promise<CompactResult>
  }

  async health(signal: AbortSignal, need: 'read' | 'write' = 'write'): Promise<void> {
    signal.throwIfAborted()
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
    await Promise.race([this.#ask('health', [need]), aborted])
  }

  async size(): Promise<number> {
    return this.#ask('size') as Promise<number>
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    if (this.#calls.size > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve
      })
    }
    for (const id of [...this.#watches.keys()]) this.#end(id, { reason: 'closed' })
    this.#port.close()
  }

  #send(header: Header): void {
    this.#port.send((out) => writeJsonFrame(out, header))
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new StoreError('closed', 'the store is closed')
    if (this.#isLost) throw lostError(false)
  }

  async #ask(
    kind: string,
    args: readonly unknown[] = [],
    read: (answer: unknown, bytes: Buffer) => unknown = (answer) => answer,
  ): Promise<unknown> {
    this.#assertOpen()
    const id = ++this.#lastId
    this.#send([kind, id, ...args])
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve: (answer, bytes) => resolve(read(answer, bytes)), reject, isWrite: false })
    })
  }

  #take(kind: number, block: Buffer, from: number, to: number): void {
    if (kind === frameKinds.json) {
      this.#takeJson(block, from, to)
      return
    }
    const record = new RecordReader(block, from, to)
    switch (kind) {
      case frameKinds.wrote:
        this.#takeCall(record.number(0))?.resolve({ ok: true, revision: record.number(1) }, noBytes)
        return
      case frameKinds.put:
        this.#events.push(putOf(record))
        return
      case frameKinds.own:
        this.#takeOwn(record)
        return
      case frameKinds.deleted: {
        const { key } = record
        this.#events.push({ type: 'delete', key, revision: record.number(0), entry: undefined, previous: undefined })
        return
      }
      case frameKinds.batch:
        this.#deliver(record.number(0), record.number(1))
        return
      default:
        throw new Error(`there is no frame of kind ${kind}`)
    }
  }

  #takeJson(block: Buffer, from: number, to: number): void {
    const { header, values } = readJsonFrame(block, from, to)
    const [kind, id] = header as [string, number]
    switch (kind) {
      case 'event':
        this.#events.push(eventSincePrevious(header as unknown as EventFrame, values))
        return
      case 'wrote':
      case 'lost':
        this.#takeCall(id)?.resolve(writeResult(header as WriteFrame, values), values)
        return
      case 'answer':
        this.#takeCall(id)?.resolve(header[2], values)
        return
      case 'failed':
        this.#takeCall(id)?.reject(errorOf(header[2] as ErrorSpec))
        return
      case 'progress':
        this.#watches.get(id)?.options.onProgress?.(header[2] as number)
        return
      case 'ended':
        this.#end(id, endOf(header as unknown as EndFrame))
        return
      case 'hello':
        this.name = header[1] as StoreName
        this.maxValueBytes = header[2] as number
        this.#onHello()
    }
  }

  #takeCall(id: number): Call | undefined {
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    if (this.#calls.size === 0) this.#idle?.()
    return call
  }

  #deliver(id: number, revision: number): void {
    const events = this.#events
    this.#events = []
    this.#watches.get(id)?.options.onEvents({ events, revision })
  }

  /** The event of a write that is not acknowledged yet: with the very bytes. */
  #takeOwn(record: RecordReader): void {
    const { key, value } = this.#calls.get(record.number(0)) as Required<Call>
    const [revision, createRevision] = [record.number(1), record.number(2)]
    const entry: Entry = { key, value, revision, createRevision }
    this.#events.push({ type: 'put', key, revision, entry, previous: undefined })
  }

  #end(id: number, end: WatchEnd): void {
    const watch = this.#watches.get(id)
    if (watch === undefined) return
    this.#watches.delete(id)
    watch.release()
    watch.options.onEnd(end)
  }

  #lost(): void {
    this.#isLost = true
    for (const [id, { reject, isWrite }] of [...this.#calls]) {
      this.#takeCall(id)
      reject(lostError(isWrite))
    }
    const closed = this.#closing !== undefined
    for (const id of [...this.#watches.keys()])
      this.#end(id, closed ? { reason: 'closed' } : { reason: 'error', error: lostError(false) })
  }
}

const lostError = (maybeApplied: boolean): StoreError =>
  new StoreError('unavailable', 'the process that has the store is gone', { maybeApplied })

function writeResult([kind, , revision, spec]: WriteFrame, bytes: Buffer): WriteResult {
  const entry = new ValueCutter(bytes).entry(spec)
  if (kind === 'lost') return { ok: false, current: entry }
  return entry === undefined ? { ok: true, revision } : { ok: true, revision, previous: entry }
}

const noBytes = Buffer.alloc(0)

function putOf(record: RecordReader): StoreEvent {
  const { key, value, hint } = record
  const revision = record.number(0)
  const entry: Entry = { key, value, revision, createRevision: record.number(1), hint }
  return { type: 'put', key, revision, entry, previous: undefined }
}

/** Key, revision, what was written, its hint, what was there before. */
type EventFrame = readonly [string, string, number, EntrySpec | null, string | null, EntrySpec | null]

function eventSincePrevious([, key, revision, spec, hint, before]: EventFrame, values: Buffer): StoreEvent {
  const cutter = new ValueCutter(values)
  const written = cutter.entry(spec)
  const previous = cutter.entry(before)
  if (written === undefined) return { type: 'delete', key, revision, entry: undefined, previous }
  return { type: 'put', key, revision, entry: { ...written, hint: hint ?? undefined }, previous }
}

type EndFrame = readonly [string, number, WatchEnd['reason'], ErrorSpec | null]

function endOf([, , reason, error]: EndFrame): WatchEnd {
  if (reason !== 'error') return { reason }
  return { reason, error: errorOf(error ?? ['unavailable', 'the watch has ended', false]) }
}
