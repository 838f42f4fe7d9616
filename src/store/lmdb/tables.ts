// The files of the lmdb store: a folder with one LMDB file and three tables in it.
//
//   meta      format, compactRevision, scrubbed; added, addedUpTo, removed: tallies (see tally.ts); plainUpTo: values up to this revision
//             are of format 1
//   changes   revision → what changed (see change-record.ts): read as a whole when the store is opened
//   values    revision → the value, read when it is asked for
import { accessSync, constants, lstatSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, open, type RootDatabase } from 'lmdb'
import { closeFolder } from '../../lib/private-files.ts'
import { StoreError } from '../store.ts'

/** Raised when the tables change in a way that older versions cannot read. */
export const formatVersion = 2

/**
 * The addresses that LMDB reserves for its map of the file; neither memory nor disk. When a file grows beyond its map, the package makes one
 * of twice the size and keeps the old ones, as they may be read: each then counts the pages that were read through it.
 */
const mapBytes = 64 * 1024 ** 3

type MetaKey = 'format' | 'compactRevision' | 'scrubbed' | 'added' | 'addedUpTo' | 'removed' | 'plainUpTo'

export interface Tables {
  readonly root: RootDatabase
  readonly meta: Database<number, MetaKey>
  readonly changes: Database<Buffer, number>
  readonly values: Database<Buffer, number>
}

export const dataFile = (folder: string): string => join(folder, 'data.mdb')

/** Without the right to write, tables of a file in which they were not made yet are undefined. */
export function openTables(folder: string, readOnly: boolean): Tables {
  // The data may be on another disk, by a link; a lock that is a link would be written into whatever it leads to.
  refuseUnusable(dataFile(folder), readOnly, statSync)
  refuseUnusable(join(folder, 'lock.mdb'), readOnly, lstatSync)
  const root = openRoot(folder, readOnly)
  // The package makes its files with the mode that the umask leaves.
  if (!readOnly) closeFolder(folder)
  return {
    root,
    meta: root.openDB<number, MetaKey>('meta', { encoding: 'json' }),
    changes: root.openDB<Buffer, number>('changes', { encoding: 'binary' }),
    values: root.openDB<Buffer, number>('values', { encoding: 'binary' }),
  }
}

function openRoot(folder: string, readOnly: boolean): RootDatabase {
  // Without `noSubdir` the package takes a name with a dot for a file.
  // Without `eventTurnBatching` every promise that the package rejects was handed out by `batch`: with it, the batch of a turn has one of its
  // own, whose rejection (a disk that fills up) is unhandled and would end the process.
  return open({
    path: folder,
    noSubdir: false,
    readOnly,
    overlappingSync: false,
    eventTurnBatching: false,
    maxDbs: 4,
    // What only reads has a map of just the file.
    ...(!readOnly && hasManyAddresses() ? { mapSize: mapBytes } : {}),
  })
}

/** On other systems they may be few, or count as memory; the package dies of a map that it does not get. */
function hasManyAddresses(): boolean {
  if (process.platform !== 'linux' || !process.arch.endsWith('64')) return false
  try {
    return /^Max address space +unlimited/m.test(readFileSync('/proc/self/limits', 'latin1'))
  } catch {
    return false
  }
}

/** The package reports files that it cannot open without their names, and dies of some. */
function refuseUnusable(file: string, readOnly: boolean, look: typeof statSync): void {
  const found = look(file, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isFile()) throw new StoreError('corrupt', `${file} is no file; move it away to begin anew`)
  accessSync(file, readOnly ? constants.R_OK : constants.R_OK | constants.W_OK)
}

/** Throws `corrupt` or `newer-format`. No format at all is that of a file that was just being made. */
export function checkStoreFormat(format: number | undefined, file: string): void {
  if (format !== undefined && !Number.isInteger(format)) throw new StoreError('corrupt', `${file} names no format`)
  if (format !== undefined && format > formatVersion) {
    const hint = 'use the version of pilothouse that wrote it, or a newer one'
    throw new StoreError(
      'newer-format',
      `${file} has format ${format}, this version knows up to ${formatVersion}; ${hint}`,
    )
  }
}
