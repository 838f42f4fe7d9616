// Snapshots of the lmdb store: its present state as one file, taken while a server may be writing, and a store made from such a file.
//
// Saving reads the tables in one read transaction, which LMDB lets another process have at any time: what is read is the state after some
// commit, whole, however long it takes. The server does not notice, but for the room of old pages that it cannot use again meanwhile.
//
// A restored store holds every key with the revisions that it had, so that objects keep their resourceVersion. It keeps no history: what
// is older than the snapshot counts as compacted.
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { onKill } from '../../lib/on-kill.ts'
import { makePrivateFolder } from '../../lib/private-files.ts'
import type { Change } from '../embedded/change.ts'
import { StoreError } from '../store.ts'
import { decodeChange, encodeChange, sealValue } from './change-record.ts'
import { LogValues, removeDrafts } from './lmdb-log.ts'
import { lockFolder } from './owner-lock.ts'
import { checkSnapshot, readSnapshot, type SnapshotEntry, type SnapshotHeader, writeSnapshot } from './snapshot-file.ts'
import { checkStoreFormat, dataFile, formatVersion, openTables } from './tables.ts'
import { addToSum, emptyTally } from './tally.ts'

/** So many keys are written in one transaction. */
const groupKeys = 2000

export interface SavedSnapshot extends SnapshotHeader {
  readonly bytes: number
}

/** Writes the present state of the store in `folder` to `path`. */
export async function saveSnapshot(folder: string, path: string, now: number): Promise<SavedSnapshot> {
  const file = dataFile(folder)
  if (!existsSync(file)) throw new StoreError('invalid', `there is no store in ${folder}`)
  const tables = openTables(folder, true)
  const { root, meta, changes } = tables
  try {
    if ((meta as typeof meta | undefined) === undefined) throw new StoreError('invalid', `${file} holds no store yet`)
    const transaction = root.useReadTransaction()
    try {
      const options = { transaction }
      checkStoreFormat(meta.get('format', options), file)
      let revision = meta.get('compactRevision', options) ?? 1
      const latest = new Map<string, Change>()
      for (const { key, value } of changes.getRange(options)) {
        const change = decodeChange(key, value)
        if (change === undefined) throw new StoreError('corrupt', `${file} has a damaged change at revision ${key}`)
        if (change.deleted) latest.delete(change.key)
        else latest.set(change.key, change)
        revision = Math.max(revision, change.revision)
      }
      const all = [...latest.values()].sort((a, b) => a.revision - b.revision)
      const values = new LogValues(tables, file, transaction)
      const read = (change: Change): Buffer => Buffer.from(values.read(change))
      const header = { revision, keys: all.length, savedAt: now }
      return { ...header, bytes: await writeSnapshot(path, header, entriesOf(all, read)) }
    } finally {
      transaction.done()
    }
  } finally {
    await root.close()
  }
}

function* entriesOf(changes: readonly Change[], read: (change: Change) => Buffer): Generator<SnapshotEntry> {
  for (const change of changes) yield { change, value: read(change) }
}

export interface RestoreOptions {
  readonly path: string
  /** Where the store will be. Must be absent or empty unless `replace` is set. */
  readonly folder: string
  readonly replace: boolean
  /** Raises the store's revision by so much, so that clients that saw later revisions than the snapshot read everything anew. */
  readonly bumpRevision: number
  /** For unique names. */
  readonly unique: string
}

/** Makes a store from a snapshot, which is checked as a whole before anything is changed. */
export async function restoreSnapshot({
  path,
  folder,
  replace,
  bumpRevision,
  unique,
}: RestoreOptions): Promise<SnapshotHeader> {
  const header = await checkSnapshot(path)
  makePrivateFolder(folder)
  const draft = join(folder, `restore.${unique}`)
  let unlock = (): void => undefined
  const cleanUp = (): void => {
    rmSync(draft, { recursive: true, force: true })
    unlock()
  }
  // Before the lock: a signal without a handler ends the process between any two steps.
  const takeBack = onKill(cleanUp)
  try {
    unlock = lockFolder(folder, unique)
    removeDrafts(folder)
    const old = readdirSync(folder).filter((name) => name !== 'owner')
    if (old.length > 0 && !replace) throw new StoreError('invalid', `${folder} is not empty`)
    await fill(draft, path, header.revision + bumpRevision)
    // The new file takes the place of the old one in a single step.
    renameSync(dataFile(draft), dataFile(folder))
    for (const name of old.filter((each) => each !== 'data.mdb')) rmSync(join(folder, name), { recursive: true })
  } finally {
    takeBack()
    cleanUp()
  }
  return { ...header, revision: header.revision + bumpRevision }
}

async function fill(folder: string, path: string, revision: number): Promise<void> {
  makePrivateFolder(folder)
  const { root, meta, changes, values } = openTables(folder, false)
  try {
    let group: SnapshotEntry[] = []
    let sum = 0
    const flush = async (): Promise<void> => {
      const entries = group
      group = []
      await root.batch(() => {
        for (const { change, value } of entries) {
          // There is no history: the change before this one is unknown.
          sum = addToSum(sum, change.revision)
          void changes.put(change.revision, encodeChange({ ...change, previousRevision: 0 }, value.length, emptyTally))
          void values.put(change.revision, sealValue(change.revision, value))
        }
      })
    }
    for await (const entry of readSnapshot(path)) {
      group.push({ change: entry.change, value: Buffer.from(entry.value) })
      if (group.length === groupKeys) await flush()
    }
    await flush()
    await root.batch(() => {
      void meta.put('format', formatVersion)
      void meta.put('compactRevision', revision)
      void meta.put('scrubbed', revision)
      void meta.put('added', sum)
      void meta.put('addedUpTo', revision)
      void meta.put('removed', 0)
    })
  } finally {
    await root.close()
  }
}
