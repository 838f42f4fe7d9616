// The store of one process: who wins a write is decided here, in memory, at once; the log makes writes durable in groups. A write becomes
// visible (to reads, watches and its writer) only when it is durable, all writes of a group together.
//
//   write → decided, gets its revision, waits in #queue → one group at a time goes to the log → visible → acknowledged
//
// Decisions look at the waiting writes first, so that two writers cannot both win. A write that loses to one that is still waiting is
// decided again when that one is durable, as its answer shows what is there.
import type { Clock } from '../../lib/clock.ts'
import {
  type Compacted,
  type CompactResult,
  type Entry,
  type Future,
  type GetOptions,
  type GetResult,
  type RangeOptions,
  type RangeResult,
  type Store,
  StoreError,
  type StoreEvent,
  type StoreName,
  type Watch,
  type WatchOptions,
  type WriteOperation,
  type WriteResult,
} from '../store.ts'
import type { Change } from './change.ts'
import { ChangeEvent } from './change-event.ts'
import { ExpiryQueue } from './expiry.ts'
import type { History } from './history.ts'
import { Retention } from './retention.ts'
import type { Addition, OpenedLog, ValueLog } from './value-log.ts'
import { isCompacted, Watchers } from './watchers.ts'
import { checkOperation, invalidOperation, isExpectedState, maxValueBytes } from './write-operation.ts'

/** A group takes as many writes as wait, up to these bounds; together with them more can wait until `maxQueueBytes`, then writes are refused. */
const maxGroupWrites = 4096
const maxGroupBytes = 16 * 1024 * 1024
const maxQueueBytes = 256 * 1024 * 1024
/** Compaction removes this many changes a step. */
const scrubStep = 512
/** What expires is looked for at these intervals: not more often, and not less, should the machine's clock be set. */
const minExpiryIntervalMs = 1000
const maxExpiryIntervalMs = 300_000
const maxExpiriesAtOnce = 1000

export interface EmbeddedStoreOptions {
  readonly name: StoreName
  readonly clock: Clock
  /** How long old states stay readable. */
  readonly historyMs: number
  /** At most this many changes are kept for history, however young. */
  readonly maxHistory: number
  /** Other processes watch it, too. */
  readonly takesHints?: boolean | undefined
}

interface WaitingWrite extends Addition {
  readonly resolve: (result: WriteResult) => void
  readonly reject: (error: StoreError) => void
}

export class EmbeddedStore implements Store {
  readonly name: StoreName
  readonly readsOwnWrites = true
  readonly shared = false
  readonly maxValueBytes = maxValueBytes
  readonly takesHints: boolean

  readonly #clock: Clock
  readonly #log: ValueLog
  readonly #history: History
  readonly #watchers: Watchers
  readonly #retention: Retention
  readonly #expiry: ExpiryQueue
  /** The decided writes that are not visible yet, by key. */
  readonly #waitingKeys = new Map<string, Change>()
  #queue: WaitingWrite[] = []
  #queueBytes = 0
  #lastRevision: number
  /** The group that is on its way to the disk, or about to be. */
  #group: Promise<void> | undefined
  #committing = false
  #scrubbing: Promise<void> | undefined
  /** When it is looked for what has expired. */
  #nextExpiry: { readonly at: number; readonly cancel: () => void } | undefined
  #closing: Promise<void> | undefined
  #failure: StoreError | undefined

  /** `expiry`: which of the keys expire, where that is known; the store's own from then on. */
  constructor({ log, history }: OpenedLog, options: EmbeddedStoreOptions, expiry?: ExpiryQueue) {
    this.name = options.name
    this.takesHints = options.takesHints ?? false
    this.#clock = options.clock
    this.#log = log
    this.#history = history
    this.#lastRevision = history.revision
    this.#watchers = new Watchers({ history, eventOf: (change, value, hint) => this.#eventOf(change, value, hint) })
    this.#retention = new Retention({
      ...options,
      revision: () => history.revision,
      compact: (to) => this.#compactTo(to),
    })
    this.#expiry = expiry ?? ExpiryQueue.empty()
    if (expiry === undefined) history.forEachLatest((change) => this.#scheduleExpiry(change))
    else this.#awaitExpiry()
    if (history.scrubbed < history.compactRevision) this.#startScrub()
  }

  async currentRevision(): Promise<number> {
    this.#assertOpen()
    return this.#history.revision
  }

  async get(key: string, options: GetOptions = {}): Promise<GetResult> {
    this.#assertOpen()
    const revision = options.revision ?? this.#history.revision
    const refusal = this.#refusal(revision)
    if (refusal !== undefined) return refusal
    const change = this.#history.at(key, revision)
    return { status: 'ok', revision, entry: change === undefined ? undefined : this.#entryOf(change) }
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<RangeResult> {
    this.#assertOpen()
    const { startKey, withRemaining } = options
    if (startKey !== undefined && !startKey.startsWith(prefix))
      throw invalidOperation('startKey must begin with the prefix')
    const revision = options.revision ?? this.#history.revision
    const refusal = this.#refusal(revision)
    if (refusal !== undefined) return refusal
    const limit = options.limit || Number.POSITIVE_INFINITY
    const { changes, after } = this.#history.scan({ prefix, startKey, revision, limit, count: withRemaining === true })
    const items = changes.map((change) => this.#entryOf(change))
    return { status: 'ok', revision, items, more: after > 0, ...(withRemaining ? { remaining: after } : {}) }
  }

  async write(operation: WriteOperation): Promise<WriteResult> {
    this.#assertWritable(operation)
    for (;;) {
      const waiting = this.#waitingKeys.get(operation.key)
      const latest = waiting ?? this.#history.latest(operation.key)
      const there = latest === undefined || latest.deleted ? undefined : latest
      if (isExpectedState(operation, there)) return this.#enqueue(operation, latest)
      if (waiting === undefined) return { ok: false, current: there === undefined ? undefined : this.#entryOf(there) }
      await this.#group
      this.#assertWritable(operation)
    }
  }

  #assertWritable(operation: WriteOperation): void {
    this.#assertOpen()
    if (this.#failure !== undefined) throw this.#failure
    checkOperation(operation)
    const refusal = operation.type === 'delete' ? undefined : this.#log.refusal()
    if (refusal !== undefined) throw refusal
    if (this.#queueBytes > maxQueueBytes)
      throw new StoreError('unavailable', 'too many writes are waiting for the disk')
  }

  #enqueue(operation: WriteOperation, latest: Change | undefined): Promise<WriteResult> {
    const revision = ++this.#lastRevision
    const deleted = operation.type === 'delete'
    const change: Change = {
      key: operation.key,
      revision,
      createRevision: latest === undefined || latest.deleted ? revision : latest.createRevision,
      previousRevision: latest?.revision ?? 0,
      deleted,
      expiresAt: !deleted && operation.ttlSeconds ? this.#clock.now() + operation.ttlSeconds * 1000 : 0,
    }
    this.#waitingKeys.set(change.key, change)
    const value = deleted ? undefined : operation.value
    const hint = deleted ? undefined : operation.hint
    this.#queueBytes += value?.byteLength ?? 0
    const result = new Promise<WriteResult>((resolve, reject) =>
      this.#queue.push({ change, value, hint, resolve, reject }),
    )
    if (this.#log.immediate) this.#commitNow()
    else this.#group ??= this.#firstGroup()
    return result
  }

  /** Takes the waiting writes to a log that is durable at once. A write made by a watcher meanwhile is taken by the loop, not by a nested call. */
  #commitNow(): void {
    if (this.#committing) return
    this.#committing = true
    while (this.#queue.length > 0) {
      const group = this.#nextGroup()
      void this.#log.append(group)
      this.#publish(group)
    }
    this.#committing = false
  }

  /** The turn lets writes that come together go together. */
  async #firstGroup(): Promise<void> {
    await nextTurn()
    await this.#takeGroup()
  }

  /** Takes one group to the log. The next one is on its way before anybody hears of this one: the disk does not wait for answers. */
  async #takeGroup(): Promise<void> {
    const group = this.#nextGroup()
    try {
      await this.#log.append(group)
    } catch (error) {
      this.#group = undefined
      this.#fail(group, error)
      return
    }
    this.#group = this.#queue.length > 0 ? this.#takeGroup() : undefined
    this.#publish(group)
  }

  #nextGroup(): WaitingWrite[] {
    let bytes = 0
    let count = 0
    while (count < this.#queue.length && count < maxGroupWrites && bytes < maxGroupBytes) {
      bytes += this.#queue[count++]!.value?.byteLength ?? 0
    }
    this.#queueBytes -= bytes
    return this.#queue.splice(0, count)
  }

  /** Makes a durable group visible and acknowledges it: history first, then watches, then the writers. */
  #publish(group: readonly WaitingWrite[]): void {
    this.#retention.written()
    for (const { change } of group) {
      this.#history.apply(change)
      if (this.#waitingKeys.get(change.key) === change) this.#waitingKeys.delete(change.key)
      this.#scheduleExpiry(change)
    }
    this.#watchers.publish(group)
    for (const { change, resolve } of group) {
      const previous = change.deleted ? this.#previousOf(change) : undefined
      resolve({ ok: true, revision: change.revision, ...(previous === undefined ? {} : { previous }) })
    }
  }

  /** After a failed commit the state on disk is unknown: the store goes on reading what was acknowledged, and takes no write until reopened. */
  #fail(group: readonly WaitingWrite[], cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause)
    this.#failure = new StoreError('unavailable', `the store cannot write until it is started again: ${reason}`, {
      cause,
    })
    for (const { reject } of group)
      reject(new StoreError('unavailable', this.#failure.message, { cause, maybeApplied: true }))
    for (const { reject } of this.#queue.splice(0)) reject(this.#failure)
    this.#queueBytes = 0
    this.#waitingKeys.clear()
  }

  watch(prefix: string, options: WatchOptions): Watch {
    this.#assertOpen()
    return this.#watchers.add(prefix, options)
  }

  async compact(revision: number): Promise<CompactResult> {
    this.#assertOpen()
    if (revision > this.#history.revision) return { status: 'future', currentRevision: this.#history.revision }
    if (revision <= this.#history.compactRevision) return { status: 'compacted' }
    this.#compactTo(revision)
    return { status: 'ok' }
  }

  #compactTo(revision: number): void {
    if (revision <= this.#history.compactRevision) return
    this.#history.compact(revision)
    this.#startScrub()
  }

  #startScrub(): void {
    this.#scrubbing ??= this.#scrub()
  }

  /** A compaction that comes when this has ended must find it ended: nothing may be awaited after the last look. */
  async #scrub(): Promise<void> {
    let remembered = 0
    const isDue = (): boolean => {
      const { scrubbed, compactRevision } = this.#history
      if (this.#failure !== undefined) return false
      // A store that closes leaves the rest to its next opening, which must know how far compaction had come.
      return remembered < compactRevision || (this.#closing === undefined && scrubbed < compactRevision)
    }
    while (isDue()) {
      await nextTurn()
      try {
        remembered = this.#history.compactRevision
        await this.#log.remove(this.#history.scrub(scrubStep), remembered)
      } catch (error) {
        this.#fail([], error)
      }
    }
    this.#scrubbing = undefined
  }

  async health(signal: AbortSignal, need: 'read' | 'write' = 'write'): Promise<void> {
    signal.throwIfAborted()
    this.#assertOpen()
    const trouble = this.#failure ?? (need === 'write' ? this.#log.refusal() : undefined)
    if (trouble !== undefined) throw trouble
  }

  async size(): Promise<number> {
    this.#assertOpen()
    return this.#log.size()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#retention.stop()
    this.#nextExpiry?.cancel()
    while (this.#group !== undefined) await this.#group
    this.#watchers.endAll()
    await this.#scrubbing
    await this.#log.close()
  }

  #scheduleExpiry({ key, revision, expiresAt }: Change): void {
    if (expiresAt === 0) return
    this.#expiry.add({ key, revision, expiresAt })
    this.#awaitExpiry()
  }

  #awaitExpiry(): void {
    const { next } = this.#expiry
    if (next === undefined) return
    const now = this.#clock.now()
    const wait = Math.min(Math.max(next - now, minExpiryIntervalMs), maxExpiryIntervalMs)
    if (this.#nextExpiry !== undefined && this.#nextExpiry.at <= now + wait) return
    this.#nextExpiry?.cancel()
    this.#nextExpiry = { at: now + wait, cancel: this.#clock.setTimeout(() => this.#expire(), wait) }
  }

  #expire(): void {
    this.#nextExpiry = undefined
    if (this.#closing !== undefined) return
    const now = this.#clock.now()
    for (let count = 0; count < maxExpiriesAtOnce; count++) {
      const due = this.#expiry.takeDue(now)
      if (due === undefined) break
      // It loses, as it should, when the key was written since; and what fails here shows in `health`.
      this.write({ type: 'delete', key: due.key, expectedRevision: due.revision }).catch(() => undefined)
    }
    this.#awaitExpiry()
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new StoreError('closed', 'the store is closed')
  }

  #refusal(revision: number): Compacted | Future | undefined {
    if (revision > this.#history.revision) return { status: 'future', currentRevision: this.#history.revision }
    return isCompacted(this.#history, revision) ? { status: 'compacted' } : undefined
  }

  #entryOf(change: Change, value = this.#log.read(change), hint?: string): Entry {
    const { key, revision, createRevision } = change
    return { key, value, revision, createRevision, hint }
  }

  #previousOf(change: Change): Entry | undefined {
    const previous = this.#history.logged(change.previousRevision)
    return previous === undefined || previous.deleted ? undefined : this.#entryOf(previous)
  }

  readonly #previous = (change: Change): Entry | undefined => this.#previousOf(change)

  #eventOf(change: Change, value?: Uint8Array, hint?: string): StoreEvent {
    const entry = change.deleted ? undefined : this.#entryOf(change, value, hint)
    return new ChangeEvent(change, entry, this.#previous) as StoreEvent
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
