// The log of the lmdb store: the tables of a folder (see tables.ts), written in groups.
//
// The package runs each group of writes as one transaction on its own thread. Without `overlappingSync` a transaction is LMDB's own: the
// pages are synced, then the meta page is written through (O_DSYNC), then the promise resolves. So "committed" means "on disk", and a group
// is there as a whole or not at all. The pages of removed changes are used again by later transactions.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { RootDatabase, Transaction } from 'lmdb'
import { makePrivateFolder } from '../../lib/private-files.ts'
import type { Change } from '../embedded/change.ts'
import { History, type Scrubbed } from '../embedded/history.ts'
import type { Addition, OpenedLog, ValueLog } from '../embedded/value-log.ts'
import { StoreError } from '../store.ts'
import { decodeRecord, encodeChange, sealValue, unsealValue } from './change-record.ts'
import { checkPages, remedy } from './check-pages.ts'
import type { DiskSpace } from './disk-space.ts'
import { lockFolder } from './owner-lock.ts'
import { checkStoreFormat, dataFile, formatVersion, openTables, type Tables } from './tables.ts'
import { addToSum, sumUpTo, type Tally } from './tally.ts'

/** How long to wait for the reason why a commit failed. */
const reasonTimeoutMs = 100

/** Opens the log in the folder, making it if need be. Throws `locked`, `newer-format` or `corrupt`, having changed nothing but locks. */
export async function openLmdbLog(folder: string, space: DiskSpace, unique: string): Promise<OpenedLog> {
  makePrivateFolder(folder)
  space.prepare()
  const unlock = lockFolder(folder, unique)
  try {
    removeDrafts(folder)
    const file = dataFile(folder)
    const isNew = !existsSync(file) || statSync(file).size === 0
    if (!isNew) await checkExisting(folder, file)
    return await openLog(openTables(folder, false), file, { space, unlock })
  } catch (error) {
    unlock()
    throw error
  }
}

async function openLog(
  tables: Tables,
  file: string,
  parts: { space: DiskSpace; unlock: () => void },
): Promise<OpenedLog> {
  try {
    await parts.space.check()
    const loaded = loadHistory(tables, file)
    if ((tables.meta.get('format') ?? 0) < formatVersion) await upgrade(tables, loaded)
    checkValues(tables, loaded, file)
    return { log: new LmdbLog(tables, file, { ...parts, tallies: loaded.tallies }), history: loaded.history }
  } catch (error) {
    await tables.root.close()
    throw error
  }
}

/** Reads an existing file without the right to write. The tables are undefined when the process ended just as the file was made. */
async function checkExisting(folder: string, file: string): Promise<void> {
  checkPages(file)
  const { root, meta } = openTables(folder, true)
  try {
    checkStoreFormat((meta as typeof meta | undefined)?.get('format'), file)
  } finally {
    await root.close()
  }
}

/** What restores that were killed have left. */
export function removeDrafts(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (/^(?:restore|owner)\./.test(name)) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/** What was ever added and is durable, and what was ever removed (see tally.ts). */
interface Tallies {
  added: Tally
  removed: number
}

interface LoadedLog {
  readonly history: History
  readonly tallies: Tallies
}

function loadHistory({ meta, changes }: Tables, file: string): LoadedLog {
  const compactRevision = meta.get('compactRevision') ?? 1
  const history = new History({ revision: compactRevision, compactRevision, scrubbed: meta.get('scrubbed') ?? 1 })
  const revisions: number[] = []
  let added: Tally = { upTo: meta.get('addedUpTo') ?? 0, sum: meta.get('added') ?? 0 }
  for (const { key: revision, value } of changes.getRange()) {
    const record = decodeRecord(revision, value)
    if (record === undefined) throw notWhole(file, `the change at revision ${revision} is not as it was written`)
    history.apply(record.change)
    revisions.push(revision)
    if (record.tally !== undefined && record.tally.upTo > added.upTo) added = record.tally
  }
  const removed = meta.get('removed') ?? 0
  if (sumUpTo(revisions, added.upTo) !== (added.sum - removed) >>> 0) throw notWhole(file, 'changes are missing')
  const sum = (sumUpTo(revisions, Infinity) + removed) >>> 0
  return { history, tallies: { added: { upTo: history.revision, sum }, removed } }
}

/** A store of format 1 gets its tallies; what it holds stays as it is. */
async function upgrade({ root, meta }: Tables, { history, tallies }: LoadedLog): Promise<void> {
  await commit(root, () => {
    putTallies(meta, tallies)
    void meta.put('plainUpTo', history.revision).catch(reportedByCommit)
    void meta.put('format', formatVersion).catch(reportedByCommit)
  })
}

function putTallies(meta: Tables['meta'], { added, removed }: Tallies): void {
  void meta.put('added', added.sum).catch(reportedByCommit)
  void meta.put('addedUpTo', added.upTo).catch(reportedByCommit)
  void meta.put('removed', removed).catch(reportedByCommit)
}

/** Reads the value of every key, so that a server on a damaged file never says that it is ready. */
function checkValues(tables: Tables, { history }: LoadedLog, file: string): void {
  const values = new LogValues(tables, file)
  history.forEachLatest((change) => {
    if (!change.deleted) values.read(change)
  })
}

function notWhole(file: string, why: string): StoreError {
  return new StoreError('corrupt', `${file} is not whole: ${why}; ${remedy}`)
}

/** The values, compared with their checksums as they are read; in one transaction if one is given. */
export class LogValues {
  readonly #values: Tables['values']
  readonly #file: string
  /** Values up to this revision have no checksum. */
  readonly #plainUpTo: number
  readonly #transaction: Transaction | undefined

  constructor({ values, meta }: Tables, file: string, transaction?: Transaction) {
    this.#values = values
    this.#file = file
    this.#transaction = transaction
    this.#plainUpTo = (transaction === undefined ? meta.get('plainUpTo') : meta.get('plainUpTo', { transaction })) ?? 0
  }

  #find(revision: number): Buffer | undefined {
    const transaction = this.#transaction
    return transaction === undefined
      ? this.#values.getBinaryFast(revision)
      : this.#values.get(revision, { transaction })
  }

  /** A view of memory that the next read overwrites. */
  read({ key, revision }: Change): Uint8Array {
    const found = this.#find(revision)
    if (found === undefined) throw notWhole(this.#file, `there is no value for ${key} at revision ${revision}`)
    // Only its `length` is that of the value.
    const stored = Buffer.from(found.buffer, found.byteOffset, found.length)
    if (revision <= this.#plainUpTo) return stored
    const value = unsealValue(revision, stored)
    if (value === undefined)
      throw notWhole(this.#file, `the value of ${key} at revision ${revision} is not as it was written`)
    return value
  }
}

class LmdbLog implements ValueLog {
  readonly immediate = false
  readonly #tables: Tables
  readonly #file: string
  readonly #space: DiskSpace
  readonly #unlock: () => void
  readonly #tallies: Tallies
  readonly #values: LogValues

  constructor(
    tables: Tables,
    file: string,
    { space, unlock, tallies }: { space: DiskSpace; unlock: () => void; tallies: Tallies },
  ) {
    this.#tables = tables
    this.#file = file
    this.#space = space
    this.#unlock = unlock
    this.#tallies = { ...tallies }
    this.#values = new LogValues(tables, file)
  }

  refusal(): StoreError | undefined {
    return this.#space.refusal()
  }

  async append(additions: readonly Addition[]): Promise<void> {
    const { root, changes, values } = this.#tables
    const before = this.#tallies.added
    let { sum } = before
    await commit(root, () => {
      for (const { change, value } of additions) {
        const { revision } = change
        sum = addToSum(sum, revision)
        void changes.put(revision, encodeChange(change, value?.byteLength ?? 0, before)).catch(reportedByCommit)
        if (value !== undefined) void values.put(revision, sealValue(revision, value)).catch(reportedByCommit)
        this.#space.use(value?.byteLength ?? 0)
      }
    })
    this.#tallies.added = { upTo: additions.at(-1)?.change.revision ?? before.upTo, sum }
    root.resetReadTxn()
  }

  read(change: Change): Uint8Array {
    return Buffer.from(this.#values.read(change))
  }

  async remove({ removed, upTo }: Scrubbed, compactRevision: number): Promise<void> {
    const { root, meta, changes, values } = this.#tables
    await commit(root, () => {
      for (const change of removed) {
        const { revision } = change
        if (changes.doesExist(revision)) this.#tallies.removed = addToSum(this.#tallies.removed, revision)
        void changes.remove(change.revision).catch(reportedByCommit)
        if (!change.deleted) void values.remove(change.revision).catch(reportedByCommit)
      }
      void meta.put('compactRevision', compactRevision).catch(reportedByCommit)
      void meta.put('scrubbed', upTo).catch(reportedByCommit)
      // What is removed must be within what was added.
      putTallies(meta, this.#tallies)
    })
  }

  size(): number {
    return statSync(this.#file).size
  }

  /** The newest group is tallied, too, now that nothing follows it. A disk that refuses that has all the same what was acknowledged. */
  async close(): Promise<void> {
    const { root, meta } = this.#tables
    await commit(root, () => putTallies(meta, this.#tallies)).catch(() => undefined)
    await root.close()
    this.#unlock()
  }
}

/** Runs the writes as one transaction. The package reports why one failed in a second promise, which comes a little later. */
async function commit(root: RootDatabase, writes: () => void): Promise<void> {
  try {
    await root.batch(writes)
  } catch (error) {
    const { commitError } = error as { commitError?: Promise<never> }
    const later = new Promise<never>((_, reject) => setTimeout(reject, reasonTimeoutMs, error))
    await Promise.race([commitError ?? later, later]).catch((reason: unknown) => {
      throw new Error(withoutPosition(reason), { cause: reason })
    })
  }
}

/** The system's words alone: the package adds where in its file it was about to write. */
function withoutPosition(reason: unknown): string {
  const message = reason instanceof Error ? reason.message : String(reason)
  return message.replace(/: Attempting to .*/s, '')
}

/** Each write of a failed transaction rejects; the transaction itself is logged once. */
function reportedByCommit(): void {}
