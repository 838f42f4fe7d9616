// Makes sure that one store has a folder at a time: a file `owner` that names its process. Node has no file locks that end with the process,
// so a file whose process is gone (killed, or before a reboot) is taken over. A process is known by its number and, where the system provides it,
// by the boot and its start, so that a number used again does not look like the old owner.
import { accessSync, constants, linkSync, lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readGivenFile, withoutWaiting } from '../../lib/given-file.ts'
import { StoreError } from '../store.ts'

interface Owner {
  readonly pid: number
  readonly boot: string
  readonly started: string
}

/** Takes the folder or throws `locked`. The result lets go of it. */
export function lockFolder(folder: string, unique: string): () => void {
  const path = join(folder, 'owner')
  const mine = JSON.stringify(describe(process.pid))
  const draft = `${path}.${unique}`
  writeFileSync(draft, mine, { mode: 0o600, flag: 'wx' })
  try {
    while (!tryLink(draft, path)) evictDead(path, `${draft}.old`, folder)
  } finally {
    rmSync(draft, { force: true })
  }
  return () => {
    if (readIfThere(path) === mine) rmSync(path, { force: true })
  }
}

function tryLink(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Moves the file of a dead owner away. When another process was faster, what was moved is a live owner's file, and goes back. */
function evictDead(path: string, away: string, folder: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isFile()) throw new StoreError('locked', `${path} is no file that an owner has left; remove it`)
  const seen = readIfThere(path)
  // Gone meanwhile, or not to be read.
  if (seen === undefined) {
    accessIfThere(path)
    return
  }
  const owner = parseOwner(seen)
  if (owner !== undefined && isAlive(owner)) {
    throw new StoreError(
      'locked',
      `the store in ${folder} is in use by process ${owner.pid}; stop it, or use another data folder`,
    )
  }
  try {
    renameSync(path, away)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  if (readIfThere(away) !== seen) tryLink(away, path)
  rmSync(away, { force: true })
}

function isAlive(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const now = describe(owner.pid)
  return now.boot === owner.boot && now.started === owner.started
}

function describe(pid: number): Owner {
  const stat = readIfThere(`/proc/${pid}/stat`) ?? ''
  // The process's name, in parentheses, may hold anything; the start time is the 20th field after it.
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  return { pid, boot: readIfThere('/proc/sys/kernel/random/boot_id')?.trim() ?? '', started }
}

function parseOwner(text: string): Owner | undefined {
  try {
    const owner = JSON.parse(text) as Owner
    return Number.isInteger(owner.pid) && owner.pid > 0 ? owner : undefined
  } catch {
    return undefined
  }
}

/** Throws for a file that is there and cannot be read. */
function accessIfThere(path: string): void {
  try {
    accessSync(path, constants.R_OK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readGivenFile(path, withoutWaiting)
  } catch {
    return undefined
  }
}
