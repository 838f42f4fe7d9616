// The log of the lmdb store: the tables of a folder (see tables.ts), written in groups.
//
// The package runs each group of writes as one transaction on its own thread. Without `overlappingSync` a transaction is LMDB's own: the
// pages are synced, then the meta page is written through (O_DSYNC), then the promise resolves. So "committed" means "on disk", and a group
// is there as a whole or not at all. The pages of removed changes are used again by later transactions.
import { existsSync, mkdirSync, statSync } from 'node:fs'
import type { RootDatabase } from 'lmdb'
import type { Change } from '../embedded/change.ts'
import { History, type Scrubbed } from '../embedded/history.ts'
import type { Addition, OpenedLog, ValueLog } from '../embedded/value-log.ts'
import { StoreError } from '../store.ts'
import { decodeChange, encodeChange } from './change-record.ts'
import { checkPages } from './check-pages.ts'
import type { DiskRoom } from './disk-room.ts'
import { lockFolder } from './owner-lock.ts'
import { checkFormat, dataFile, formatVersion, openTables, type Tables } from './tables.ts'

/** How long to wait for the reason why a commit failed. */
const reasonTimeoutMs = 100

/** Opens the log in the folder, making it if need be. Throws `locked`, `newer-format` or `corrupt`, having changed nothing but locks. */
export async function openLmdbLog(folder: string, room: DiskRoom, unique: string): Promise<OpenedLog> {
  mkdirSync(folder, { recursive: true })
  const unlock = lockFolder(folder, unique)
  try {
    const file = dataFile(folder)
    const isNew = !existsSync(file) || statSync(file).size === 0
    if (!isNew) await checkExisting(folder, file)
    const tables = openTables(folder, false)
    if (tables.meta.get('format') === undefined) await tables.meta.put('format', formatVersion)
    await room.check()
    return { log: new LmdbLog(tables, file, { room, unlock }), history: loadHistory(tables, file) }
  } catch (error) {
    unlock()
    throw error
  }
}

/** Reads an existing file without the right to write. The tables are undefined when the process ended just as the file was made. */
async function checkExisting(folder: string, file: string): Promise<void> {
  checkPages(file)
  const { root, meta } = openTables(folder, true)
  try {
    checkFormat((meta as typeof meta | undefined)?.get('format'), file)
  } finally {
    await root.close()
  }
}

function loadHistory({ meta, changes }: Tables, file: string): History {
  const compactRevision = meta.get('compactRevision') ?? 1
  const history = new History({ revision: compactRevision, compactRevision, scrubbed: meta.get('scrubbed') ?? 1 })
  for (const { key: revision, value } of changes.getRange()) {
    const change = decodeChange(revision, value)
    if (change === undefined) throw new StoreError('corrupt', `${file} has a damaged change at revision ${revision}`)
    history.apply(change)
  }
  return history
}

class LmdbLog implements ValueLog {
  readonly immediate = false
  readonly #tables: Tables
  readonly #file: string
  readonly #room: DiskRoom
  readonly #unlock: () => void

  constructor(tables: Tables, file: string, { room, unlock }: { room: DiskRoom; unlock: () => void }) {
    this.#tables = tables
    this.#file = file
    this.#room = room
    this.#unlock = unlock
  }

  refusal(): StoreError | undefined {
    return this.#room.refusal()
  }

  async append(additions: readonly Addition[]): Promise<void> {
    const { root, changes, values } = this.#tables
    await commit(root, () => {
      for (const { change, value } of additions) {
        void changes.put(change.revision, encodeChange(change, value?.byteLength ?? 0)).catch(toldByCommit)
        if (value !== undefined) void values.put(change.revision, asBuffer(value)).catch(toldByCommit)
        this.#room.use(value?.byteLength ?? 0)
      }
    })
    root.resetReadTxn()
  }

  read(change: Change): Uint8Array {
    const found = this.#tables.values.getBinaryFast(change.revision)
    if (found === undefined) {
      throw new StoreError('corrupt', `${this.#file} has no value for ${change.key} at revision ${change.revision}`)
    }
    // A view of memory that the next read overwrites. Only its `length` is that of the value.
    const value = Buffer.allocUnsafe(found.length)
    value.set(new Uint8Array(found.buffer, found.byteOffset, value.length))
    return value
  }

  async remove({ removed, upTo }: Scrubbed, compactRevision: number): Promise<void> {
    const { root, meta, changes, values } = this.#tables
    await commit(root, () => {
      for (const change of removed) {
        void changes.remove(change.revision).catch(toldByCommit)
        if (!change.deleted) void values.remove(change.revision).catch(toldByCommit)
      }
      void meta.put('compactRevision', compactRevision).catch(toldByCommit)
      void meta.put('scrubbed', upTo).catch(toldByCommit)
    })
  }

  size(): number {
    return statSync(this.#file).size
  }

  async close(): Promise<void> {
    await this.#tables.root.close()
    this.#unlock()
  }
}

/** Runs the writes as one transaction. The package tells why one failed in a second promise, which comes a little later. */
async function commit(root: RootDatabase, writes: () => void): Promise<void> {
  try {
    await root.batch(writes)
  } catch (error) {
    const { commitError } = error as { commitError?: Promise<never> }
    const later = new Promise<never>((_, reject) => setTimeout(reject, reasonTimeoutMs, error))
    await Promise.race([commitError ?? later, later])
  }
}

/** Each write of a transaction that failed is told so; the transaction itself says it for all. */
function toldByCommit(): void {}

function asBuffer(value: Uint8Array): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}
