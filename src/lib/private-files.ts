/**
 * Files and folders for their owner alone: whatever the umask is and whatever was there before, a folder has the mode 0700
 * and a file 0600 when these functions return. Everything that the server keeps on disk is made here.
 *
 * Others may have been able to write where these lie. What they put there, or a link of theirs, is refused and not used; see
 * `isPlanted`. Links of the owner's own are followed. What is no file (a device, a pipe, a socket) is not replaced by one.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { readGivenFile, withoutWaiting } from './given-file.ts'

const ownerOnly = { folder: 0o700, file: 0o600 }
const others = 0o077
const writableByOthers = 0o022

/** Whether others than the owner have any right to it. */
export const isOpenToOthers = (path: string): boolean => (statSync(path).mode & others) !== 0

interface Owned {
  readonly uid: number
  readonly mode: number
}

/** Whether an entry of a folder belongs to another user than the folder's owner's, root's or this process's: only where others may write. */
export const isPlanted = ({ uid }: Pick<Owned, 'uid'>, folder: Owned, self: number): boolean =>
  (folder.mode & writableByOthers) !== 0 && uid !== 0 && uid !== self && uid !== folder.uid

/** Throws for a file, folder or link that another user has put there. */
function refusePlanted(path: string): void {
  const self = process.geteuid?.()
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (self === undefined || entry === undefined) return
  if (isPlanted(entry, statSync(dirname(path)), self)) {
    throw new Error(
      `${path} belongs to the user ${entry.uid}, who could put it there: look at it, then remove or chown it`,
    )
  }
}

/** Throws for a socket that another user has put there, or could while it is waited for. */
export function refuseForeignSocket(path: string): void {
  refusePlanted(path)
  const folder = statSync(dirname(path), { throwIfNoEntry: false })
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined
  if (folder !== undefined && !isThere && (folder.mode & writableByOthers) !== 0) {
    throw new Error(`${path} is not there, and others could put it there: ${dirname(path)} is open to them`)
  }
}

/** Throws for what must not be replaced by a file. */
export function refuseSpecial(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found !== undefined && !found.isFile() && !found.isDirectory())
    throw new Error(`${path} is there, and is no file`)
}

/** A folder that belongs to this program as a whole. */
export function makePrivateFolder(path: string): void {
  refusePlanted(path)
  mkdirSync(path, { recursive: true, mode: ownerOnly.folder })
  const { mode } = statSync(path)
  if ((mode & writableByOthers) !== 0) for (const name of readdirSync(path)) refusePlanted(join(path, name))
  if ((mode & others) !== 0) chmodSync(path, ownerOnly.folder)
}

/**
 * Takes what others could read in a folder of this program from them: its files, not what lies deeper. Another process may work in the
 * folder: a draft of it that is moved into place meanwhile is its own to close.
 */
export function closeFolder(path: string): void {
  makePrivateFolder(path)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isFile()) closeFileIfThere(join(path, entry.name))
  }
}

function closeFileIfThere(path: string): void {
  try {
    closeFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function closeFile(path: string): void {
  if (isOpenToOthers(path)) chmodSync(path, ownerOnly.file)
}

/** A pipe without a reader is an error, not a wait. */
const opening = {
  a: constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NONBLOCK ?? 0),
  wx: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
} as const

/** As `openSync`; a file that was there is closed to others. Devices and pipes, for `a`, are left as they are. */
export function openPrivateFile(path: string, how: keyof typeof opening): number {
  refusePlanted(path)
  const file = openSync(path, opening[how], ownerOnly.file)
  try {
    if (fstatSync(file).isFile()) {
      fchmodSync(file, ownerOnly.file)
      return file
    }
  } catch (error) {
    closeSync(file)
    throw error
  }
  closeSync(file)
  return openSync(path, how)
}

/** Written beside, synced and moved into place, so that a crash leaves the old file or the new one. A no-op when it says the same. */
export function writePrivateFile(path: string, text: string): void {
  refusePlanted(path)
  refuseSpecial(path)
  if (readIfThere(path) === text) {
    closeFile(path)
    return
  }
  mkdirSync(dirname(path), { recursive: true, mode: ownerOnly.folder })
  const draft = `${path}.${process.pid}.new`
  rmSync(draft, { force: true })
  try {
    const file = openPrivateFile(draft, 'wx')
    try {
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readGivenFile(path, withoutWaiting)
  } catch {
    return undefined
  }
}
