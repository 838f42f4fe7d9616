// Serves a store to other processes, each at the other end of a stream (see channel-store.ts). An event is encoded once for all of them. The
// writer of a value gets no copy of it back: its event names the write.
import type { Duplex } from 'node:stream'
import type { Entry, RangeOptions, Store, StoreEvent, Watch, WatchEnd, WriteOperation, WriteResult } from '../store.ts'
import { StoreError } from '../store.ts'
import { FrameBuffer, FramePort } from './frames.ts'
import {
  errorSpec,
  frameKinds,
  type Header,
  RecordReader,
  readJsonFrame,
  specOf,
  writeJsonFrame,
  writeRecord,
} from './wire.ts'

export interface ServedStore {
  /** Serves one more process. `onLost` is called once, when its stream has ended, however it did. */
  serve(stream: Duplex, onLost?: () => void): void
}

export function serveStore(store: Store): ServedStore {
  const shared = new SharedEvents()
  return {
    serve(stream, onLost = () => undefined) {
      shared.readers++
      const ended = (): void => {
        shared.readers--
        onLost()
      }
      new Session(store, stream, { shared, onLost: ended }).greet()
    },
  }
}

/** The frames of events that several processes are sent: made once, for as long as the events are being published. */
class SharedEvents {
  readers = 0
  readonly #frames = new Map<StoreEvent, readonly Buffer[]>()
  readonly #making = new FrameBuffer()

  write(out: FrameBuffer, event: StoreEvent): void {
    if (this.readers < 2) writeEvent(out, event)
    else for (const piece of this.#framesOf(event)) out.append(piece)
  }

  #framesOf(event: StoreEvent): readonly Buffer[] {
    const known = this.#frames.get(event)
    if (known !== undefined) return known
    writeEvent(this.#making, event)
    const made = this.#making.take()
    // All watches are shown a group in the turn in which it becomes visible.
    if (this.#frames.size === 0) setImmediate(() => this.#frames.clear())
    this.#frames.set(event, made)
    return made
  }
}

interface SessionParts {
  readonly shared: SharedEvents
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
    this.#port = new FramePort(stream, {
      onFrame: (kind, block, from, to) => this.#take(kind, block, from, to),
      onLost: () => this.#lost(),
    })
  }

  greet(): void {
    const { name, maxValueBytes } = this.#store
    this.#send(['hello', name, maxValueBytes])
  }

  #send(header: Header, values?: readonly Uint8Array[]): void {
    this.#port.send((out) => writeJsonFrame(out, header, values))
  }

  #lost(): void {
    for (const watch of this.#watches.values()) watch.close()
    this.#watches.clear()
    this.#underway.clear()
    this.#parts.onLost()
  }

  #take(frameKind: number, block: Buffer, from: number, to: number): void {
    if (frameKind !== frameKinds.json) {
      const record = new RecordReader(block, from, to)
      this.#write(record.number(0), operationOf(frameKind, record))
      return
    }
    const [kind, id, ...rest] = readJsonFrame(block, from, to).header as [string, number, ...unknown[]]
    switch (kind) {
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
          ([answer, values]) => this.#send(['answer', id, answer], values),
          (error: unknown) => this.#send(['failed', id, errorSpec(error)]),
        )
    }
  }

  #write(id: number, operation: WriteOperation): void {
    const value = operation.type === 'delete' ? undefined : operation.value
    if (value !== undefined) this.#underway.set(value, id)
    const settle = (): void => {
      if (value !== undefined) this.#underway.delete(value)
    }
    this.#store.write(operation).then(
      (result) => {
        settle()
        this.#sendResult(id, result)
      },
      (error: unknown) => {
        settle()
        this.#send(['failed', id, errorSpec(error)])
      },
    )
  }

  #sendResult(id: number, result: WriteResult): void {
    if (result.ok && result.previous === undefined) {
      this.#port.send((out) => writeRecord(out, frameKinds.wrote, { numbers: [id, result.revision] }))
      return
    }
    const entry = result.ok ? result.previous : result.current
    const values = entry === undefined ? undefined : [entry.value]
    this.#send([result.ok ? 'wrote' : 'lost', id, result.ok ? result.revision : 0, specOf(entry)], values)
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
    const { shared } = this.#parts
    const write = (out: FrameBuffer, event: StoreEvent): void => {
      if (withPrevious) {
        writeEventSincePrevious(out, event)
        return
      }
      const own = event.entry === undefined ? undefined : this.#underway.get(event.entry.value)
      if (own === undefined) shared.write(out, event)
      else writeRecord(out, frameKinds.own, { numbers: [own, event.revision, event.entry?.createRevision] })
    }
    try {
      const watch = this.#store.watch(prefix, {
        afterRevision: after ?? undefined,
        withPrevious,
        onEvents: ({ events, revision }) =>
          this.#port.send((out) => {
            for (const event of events) write(out, event)
            writeRecord(out, frameKinds.batch, { numbers: [id, revision] })
          }),
        onProgress: (revision) => this.#send(['progress', id, revision]),
        onEnd: (end) => {
          this.#watches.delete(id)
          this.#send(['ended', id, end.reason, errorIn(end)])
        },
      })
      this.#watches.set(id, watch)
    } catch (error) {
      this.#send(['ended', id, 'error', errorSpec(error)])
    }
  }
}

/** Prefix, after which revision, whether values before are wanted. */
type WatchArguments = readonly [string, number | null, boolean]

/** Longer than the time-out of any caller. */
const healthMs = 60_000

const errorIn = (end: WatchEnd) => (end.reason === 'error' ? errorSpec(end.error) : null)

/** Throws on what is no write. */
function operationOf(kind: number, record: RecordReader): WriteOperation {
  const { key } = record
  const expectedRevision = record.number(1)
  if (kind === frameKinds.delete) return { type: 'delete', key, expectedRevision }
  const { value, hint } = record
  const ttlSeconds = record.number(2) || undefined
  if (kind === frameKinds.create) return { type: 'create', key, value, ttlSeconds, hint }
  if (kind === frameKinds.replace) return { type: 'replace', key, value, expectedRevision, ttlSeconds, hint }
  throw new Error(`there is no write of kind ${kind}`)
}

function writeEvent(out: FrameBuffer, { key, revision, entry }: StoreEvent): void {
  if (entry === undefined) {
    writeRecord(out, frameKinds.deleted, { numbers: [revision], key })
    return
  }
  const { value, hint, createRevision } = entry
  writeRecord(out, frameKinds.put, { numbers: [entry.revision, createRevision], key, hint, value })
}

function writeEventSincePrevious(out: FrameBuffer, { key, revision, entry, previous }: StoreEvent): void {
  const values = [entry, previous].flatMap((each: Entry | undefined) => (each === undefined ? [] : [each.value]))
  writeJsonFrame(out, ['event', key, revision, specOf(entry), entry?.hint ?? null, specOf(previous)], values)
}
