/**
 * Files and folders for their owner alone: whatever the umask is and whatever was there before, a folder has the mode 0700
 * and a file 0600 when these functions return. Everything that the server keeps on disk is made here.
 */
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

const ownerOnly = { folder: 0o700, file: 0o600 }
const others = 0o077

/** Whether somebody besides the owner has any right to it. */
export const isOpenToOthers = (path: string): boolean => (statSync(path).mode & others) !== 0

/** A folder that belongs to this program as a whole. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: ownerOnly.folder })
  if (isOpenToOthers(path)) chmodSync(path, ownerOnly.folder)
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

/** As `openSync`; a file that was there is closed to others. */
export function openPrivateFile(path: string, flags: 'a' | 'w' | 'wx'): number {
  const file = openSync(path, flags, ownerOnly.file)
  fchmodSync(file, ownerOnly.file)
  return file
}

/** Written beside, synced and moved into place, so that a crash leaves the old file or the new one. A no-op when it says the same. */
export function writePrivateFile(path: string, text: string): void {
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
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
