// The store for more than one machine: etcd 3.4 or later, shared with other servers. The keys are etcd's keys as they are.
import { type Clock, systemClock } from '../../lib/clock.ts'
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
  type Watch,
  type WatchOptions,
  type WriteOperation,
  type WriteResult,
} from '../store.ts'
import { Compactor } from './compactor.ts'
import { asStoreError, EtcdEndpoints, type EtcdTls, etcdErrorKind } from './endpoints.ts'
import { EtcdWatches, entryOf } from './etcd-watches.ts'
import { Leases } from './leases.ts'
import {
  allKeys,
  compactMethod,
  type RangeRequest,
  type RangeResponse,
  rangeMethod,
  statusMethod,
  type TxnRequest,
  txnMethod,
} from './messages.ts'
import { SharedRead } from './shared-read.ts'

const defaultCompactionIntervalMs = 5 * 60 * 1000
const defaultLeaseReuseSeconds = 60
/** A large range is read in pages, which grow as long as they stay below these bounds. */
const firstPageSize = 500
const maxPageSize = 10_000
const maxPageBytes = 8 * 1024 * 1024

export interface EtcdStoreOptions {
  /** `http://host:port` or `https://host:port`; the first that answers is used. */
  readonly servers: readonly string[]
  readonly tls?: EtcdTls | undefined
  /** How often old states are forgotten; 0 for never (then someone else must). */
  readonly compactionIntervalMs?: number | undefined
  /** How long a lease is used for new keys that expire, at most. */
  readonly leaseReuseSeconds?: number | undefined
  readonly clock?: Clock | undefined
  /** Another gRPC target for the address of a server. */
  readonly target?: ((server: string) => string | undefined) | undefined
}

/** Connects in the background: an etcd that does not answer shows in the first call. */
export function openEtcdStore(options: EtcdStoreOptions): Store {
  return new EtcdStore(options)
}

type PageResult = RangeResponse | Compacted | Future

class EtcdStore implements Store {
  readonly name = 'etcd'
  readonly readsOwnWrites = false
  readonly shared = true
  /** What etcd takes unless it is configured otherwise; etcd itself decides. */
  readonly maxValueBytes = 1.5 * 1024 * 1024

  readonly #endpoints: EtcdEndpoints
  readonly #leases: Leases
  readonly #compactor: Compactor | undefined
  readonly #watches: EtcdWatches
  readonly #revisionRead = new SharedRead(() => this.#readRevision(undefined))
  readonly #writes = new Set<Promise<unknown>>()
  #closing: Promise<void> | undefined

  constructor({
    servers,
    tls,
    compactionIntervalMs = defaultCompactionIntervalMs,
    leaseReuseSeconds = defaultLeaseReuseSeconds,
    clock = systemClock,
    target,
  }: EtcdStoreOptions) {
    this.#endpoints = new EtcdEndpoints({ servers, tls, clock, target })
    this.#leases = new Leases(this.#endpoints, clock, leaseReuseSeconds)
    this.#watches = new EtcdWatches({
      endpoints: this.#endpoints,
      clock,
      currentRevision: () => this.currentRevision(),
    })
    if (compactionIntervalMs > 0) this.#compactor = new Compactor(this.#endpoints, clock, compactionIntervalMs)
  }

  async currentRevision(): Promise<number> {
    this.#assertOpen()
    return this.#revisionRead.get()
  }

  async #readRevision(signal: AbortSignal | undefined): Promise<number> {
    this.#assertOpen()
    try {
      const request: RangeRequest = { key: allKeys, countOnly: true }
      const { revision } = await this.#endpoints.call(rangeMethod, request, { repeatable: true, signal })
      return revision
    } catch (error) {
      throw asStoreError(error)
    }
  }

  async get(key: string, { revision }: GetOptions = {}): Promise<GetResult> {
    const page = await this.#page({ key: Buffer.from(key) }, revision)
    if ('status' in page) return page
    const kv = page.kvs[0]
    return { status: 'ok', revision: revision ?? page.revision, entry: kv === undefined ? undefined : entryOf(kv) }
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<RangeResult> {
    const { startKey, withRemaining } = options
    if (startKey !== undefined && !startKey.startsWith(prefix)) {
      throw new StoreError('invalid', 'startKey must begin with the prefix')
    }
    const limit = options.limit || Number.POSITIVE_INFINITY
    for (;;) {
      const read = await this.#pages(prefix, options, limit)
      // Without a revision asked for, a compaction between two pages means starting over.
      if ('status' in read && read.status === 'compacted' && options.revision === undefined) continue
      if ('status' in read) return read
      const { revision, items, after } = read
      return { status: 'ok', revision, items, more: after > 0, ...(withRemaining ? { remaining: after } : {}) }
    }
  }

  async #pages(
    prefix: string,
    options: RangeOptions,
    limit: number,
  ): Promise<{ revision: number; items: Entry[]; after: number } | Compacted | Future> {
    const [first, rangeEnd] = prefixRange(prefix)
    let key = options.startKey === undefined || options.startKey === '' ? first : Buffer.from(options.startKey)
    let revision = options.revision
    const items: Entry[] = []
    for (let size = firstPageSize; ; ) {
      const page = await this.#page({ key, rangeEnd, limit: Math.min(size, limit - items.length) }, revision)
      if ('status' in page) return page
      revision ??= page.revision
      let bytes = 0
      for (const kv of page.kvs) {
        items.push(entryOf(kv))
        bytes += kv.value.length
      }
      const last = page.kvs.at(-1)
      if (!page.more || last === undefined || items.length >= limit) {
        return { revision, items, after: page.count - page.kvs.length }
      }
      key = Buffer.from(`${last.key}\0`)
      if (bytes > maxPageBytes) size = Math.max(1, Math.floor(size / 2))
      else if (bytes < maxPageBytes / 2) size = Math.min(maxPageSize, size * 2)
    }
  }

  async #page(request: RangeRequest, revision: number | undefined): Promise<PageResult> {
    this.#assertOpen()
    // The beginning counts as compacted (see store.ts), which etcd itself does not know.
    if (revision !== undefined && revision < 2 && (revision < 1 || (await this.currentRevision()) > 1))
      return { status: 'compacted' }
    try {
      const asked = revision === undefined ? request : { ...request, revision }
      return await this.#endpoints.call(rangeMethod, asked, { repeatable: true })
    } catch (error) {
      return this.#compactedOrFuture(error)
    }
  }

  async #compactedOrFuture(error: unknown): Promise<Compacted | Future> {
    const complaint = etcdErrorKind(error)
    if (complaint === 'compacted') return { status: 'compacted' }
    if (complaint === 'future') return { status: 'future', currentRevision: await this.currentRevision() }
    throw asStoreError(error)
  }

  async write(operation: WriteOperation): Promise<WriteResult> {
    this.#assertOpen()
    if (operation.key === '') throw new StoreError('invalid', 'a key must not be empty')
    const write = this.#write(operation)
    this.#writes.add(write)
    try {
      return await write
    } catch (error) {
      throw asStoreError(error)
    } finally {
      this.#writes.delete(write)
    }
  }

  async #write(operation: WriteOperation): Promise<WriteResult> {
    const ttl = operation.type === 'delete' ? undefined : operation.ttlSeconds
    for (let attempt = 0; ; attempt++) {
      const request = txnOf(operation, ttl ? await this.#leases.leaseFor(ttl) : 0)
      try {
        const { revision, succeeded, kvs } = await this.#endpoints.call(txnMethod, request, { repeatable: false })
        const entry = kvs[0] === undefined ? undefined : entryOf(kvs[0])
        if (!succeeded) return { ok: false, current: entry }
        return { ok: true, revision, ...(entry === undefined ? {} : { previous: entry }) }
      } catch (error) {
        if (etcdErrorKind(error) !== 'no-lease' || ttl === undefined || attempt > 0) throw error
        this.#leases.forget(ttl)
      }
    }
  }

  watch(prefix: string, options: WatchOptions): Watch {
    this.#assertOpen()
    return this.#watches.add(prefix, options)
  }

  async compact(revision: number): Promise<CompactResult> {
    this.#assertOpen()
    if (revision <= 1) return { status: 'compacted' }
    try {
      await this.#endpoints.call(compactMethod, { revision }, { repeatable: true })
      return { status: 'ok' }
    } catch (error) {
      return this.#compactedOrFuture(error)
    }
  }

  async health(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    await this.#readRevision(signal)
  }

  async size(): Promise<number> {
    this.#assertOpen()
    try {
      return (await this.#endpoints.call(statusMethod, undefined, { repeatable: true })).dbSize
    } catch (error) {
      throw asStoreError(error)
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#compactor?.stop()
    await Promise.allSettled(this.#writes)
    this.#watches.close()
    this.#endpoints.close()
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new StoreError('closed', 'the store is closed')
  }
}

function txnOf(operation: WriteOperation, lease: number): TxnRequest {
  const key = Buffer.from(operation.key)
  // A revision below 1 never matches; 0 would be etcd's "absent".
  const equals = operation.type === 'create' ? 0 : operation.expectedRevision > 0 ? operation.expectedRevision : -1
  return {
    compare: { key, target: 'modRevision', equals },
    success:
      operation.type === 'delete' ? { type: 'delete', key } : { type: 'put', key, value: operation.value, lease },
    failure: { type: 'range', key },
  }
}

/** The first key with the prefix, and the first after all of them. Zero bytes stand for "from the first key" and "to the end". */
function prefixRange(prefix: string): [Buffer, Buffer] {
  if (prefix === '') return [allKeys, allKeys]
  const key = Buffer.from(prefix)
  const end = Buffer.from(key)
  end[end.length - 1]!++
  return [key, end]
}
