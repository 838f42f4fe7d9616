// Fresh stores of each kind for the contract suites, and small tools to look at them.
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openChannelStore } from '../../../src/store/channel/channel-store.ts'
import { serveStore } from '../../../src/store/channel/serve-store.ts'
import { Watermark } from '../../../src/store/channel/watermark.ts'
import { openEtcdStore } from '../../../src/store/etcd/etcd-store.ts'
import { openLmdbStore } from '../../../src/store/lmdb/lmdb-store.ts'
import { openMemoryStore } from '../../../src/store/memory.ts'
import type {
  EventBatch,
  RangeFound,
  RangeResult,
  Store,
  StoreEvent,
  StoreName,
  WatchEnd,
} from '../../../src/store/store.ts'
import { until } from '../../support/until.ts'
import { EtcdCluster, type EtcdRelease } from './etcd-process.ts'

export interface FreshStore {
  readonly store: Store
  /** Closes the store and opens it again, with what it kept. Undefined for a store that keeps nothing. */
  readonly reopen?: () => Promise<FreshStore>
  /** Creates many keys in the fastest way that there is. */
  seed(items: readonly { key: string; value: string }[]): Promise<void>
  dispose(): Promise<void>
}

async function seedByWrites(store: Store, items: readonly { key: string; value: string }[]): Promise<void> {
  let next = 0
  const writer = async (): Promise<void> => {
    while (next < items.length) {
      const { key, value } = items[next++]!
      await create(store, key, value)
    }
  }
  await Promise.all(Array.from({ length: 256 }, writer))
}

/** The stores; etcd by its release, and the embedded ones as another process of the server sees them, too. */
export type TestedStore = Exclude<StoreName, 'etcd'> | EtcdRelease | 'memory by channel' | 'lmdb by channel'

const openers: Record<TestedStore, () => Promise<FreshStore>> = {
  async memory() {
    const store = openMemoryStore()
    return { store, seed: (items) => seedByWrites(store, items), dispose: () => store.close() }
  },
  async lmdb() {
    return openFolder(mkdtempSync(join(tmpdir(), 'pilothouse-lmdb-')))
  },
  async 'memory by channel'() {
    return throughChannel(await openers.memory())
  },
  async 'lmdb by channel'() {
    return throughChannel(await openers.lmdb())
  },
  async 'etcd-3.5'() {
    return openCluster(await EtcdCluster.start())
  },
  async 'etcd-3.4'() {
    return openCluster(await EtcdCluster.start(1, undefined, { release: 'etcd-3.4' }))
  },
}

async function openFolder(folder: string): Promise<FreshStore> {
  const store = await openLmdbStore({ folder })
  return {
    store,
    reopen: async () => {
      await store.close()
      return openFolder(folder)
    },
    seed: (items) => seedByWrites(store, items),
    dispose: async () => {
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The store at the other end of a socket, as a worker has it. */
async function throughChannel(owner: FreshStore): Promise<FreshStore> {
  const watermark = Watermark.create(await owner.store.currentRevision())
  owner.store.watch('', {
    withPrevious: false,
    onEvents: ({ revision }) => watermark.write(revision),
    onEnd: () => undefined,
  })
  const [near, far] = await connectedSockets()
  serveStore(owner.store).serve(far)
  const store = await openChannelStore({ stream: near, watermark: () => watermark.read() })
  const { reopen } = owner
  const close = async (): Promise<void> => {
    await store.close()
    watermark.close()
  }
  return {
    store,
    ...(reopen === undefined
      ? {}
      : {
          reopen: async () => {
            await close()
            return throughChannel(await reopen())
          },
        }),
    seed: (items) => owner.seed(items),
    dispose: async () => {
      await close()
      await owner.dispose()
    },
  }
}

/** Two ends of one connection. */
function connectedSockets(): Promise<[Socket, Socket]> {
  return new Promise((resolve, reject) => {
    const near = new Socket()
    const server = createServer((far) => {
      server.close()
      resolve([near, far])
    })
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => near.connect((server.address() as AddressInfo).port, '127.0.0.1'))
  })
}

function openCluster(cluster: EtcdCluster): FreshStore {
  const store = openEtcdStore({ servers: cluster.urls, compactionIntervalMs: 0 })
  return {
    store,
    reopen: async () => {
      await store.close()
      return openCluster(cluster)
    },
    seed: (items) => cluster.seed(items),
    dispose: async () => {
      await store.close()
      await cluster.stop()
    },
  }
}

export function openFresh(name: TestedStore): Promise<FreshStore> {
  return openers[name]()
}

export const testedStores = Object.keys(openers) as TestedStore[]

export const bytes = (text: string): Buffer => Buffer.from(text)

/** `key=value@revision` for each item of a range that must succeed. */
export function shown(result: RangeResult): string[] {
  return found(result).items.map((item) => `${item.key}=${Buffer.from(item.value).toString()}@${item.revision}`)
}

export function found(result: RangeResult): RangeFound {
  if (result.status !== 'ok') throw new Error(`the range answered ${result.status}`)
  return result
}

/** Writes without a race and returns the revision. */
export async function create(store: Store, key: string, value: string | Uint8Array = key): Promise<number> {
  return won(await store.write({ type: 'create', key, value: Buffer.from(value) }))
}

export async function replace(store: Store, key: string, expectedRevision: number, value: string): Promise<number> {
  return won(await store.write({ type: 'replace', key, value: Buffer.from(value), expectedRevision }))
}

export async function remove(store: Store, key: string, expectedRevision: number): Promise<number> {
  return won(await store.write({ type: 'delete', key, expectedRevision }))
}

function won(result: { ok: true; revision: number } | { ok: false }): number {
  if (!result.ok) throw new Error('the write lost a race')
  return result.revision
}

/** A watch that records what it is told. */
export class Recorder {
  readonly batches: EventBatch[] = []
  readonly progress: number[] = []
  end: WatchEnd | undefined
  readonly #changed = new Set<() => void>()
  readonly #watch: { close(): void; requestProgress(): void }

  constructor(store: Store, prefix: string, afterRevision?: number, signal?: AbortSignal) {
    this.#watch = store.watch(prefix, {
      afterRevision,
      signal,
      onEvents: (batch) => this.#note(() => this.batches.push(batch)),
      onProgress: (revision) => this.#note(() => this.progress.push(revision)),
      onEnd: (end) =>
        this.#note(() => {
          this.end = end
        }),
    })
  }

  #note(record: () => void): void {
    if (this.end !== undefined) throw new Error('a callback after the end of the watch')
    record()
    for (const wake of this.#changed) wake()
  }

  get events(): StoreEvent[] {
    return this.batches.flatMap((batch) => batch.events)
  }

  /** `put key=value@revision` or `delete key@revision` for each event. */
  get shown(): string[] {
    return this.events.map((event) =>
      event.type === 'put'
        ? `put ${event.key}=${Buffer.from(event.entry.value).toString()}@${event.revision}`
        : `delete ${event.key}@${event.revision}`,
    )
  }

  async until(what: string, isTrue: () => boolean, timeoutMs = 100_000): Promise<void> {
    const deadline = Date.now() + timeoutMs
    while (!isTrue()) {
      const left = deadline - Date.now()
      // Nothing comes after the end.
      if (left <= 0 || this.end !== undefined)
        throw new Error(
          `waited in vain for ${what}; the watch saw ${this.events.length} events, end ${this.end?.reason}`,
        )
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer)
          this.#changed.delete(wake)
          resolve()
        }
        const timer = setTimeout(wake, left)
        this.#changed.add(wake)
      })
    }
  }

  untilEvents(count: number): Promise<void> {
    return this.until(`${count} events`, () => this.events.length >= count)
  }

  untilEnd(): Promise<void> {
    return this.until('the end', () => this.end !== undefined)
  }

  /** Asks for progress until it is told one that is no older than the revision. */
  async untilProgress(revision: number): Promise<void> {
    await this.untilProgressOrEnd(revision)
    if (!this.#hasCome(revision)) throw new Error(`no progress up to ${revision}: the watch ended`)
  }

  async untilProgressOrEnd(revision: number): Promise<void> {
    await until(`progress up to ${revision}`, () => {
      if (this.end !== undefined || this.#hasCome(revision)) return true
      this.requestProgress()
      return false
    })
  }

  #hasCome(revision: number): boolean {
    return this.progress.some((told) => told >= revision)
  }

  requestProgress(): void {
    this.#watch.requestProgress()
  }

  close(): void {
    this.#watch.close()
  }
}
