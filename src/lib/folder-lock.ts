/**
 * One process at a time makes what several share in a folder, such as a pair of key and certificate on the first starts of two
 * servers. The lock is a file that names its holder: one whose holder is gone, as after a kill, is taken over.
 */
import { closeSync, lstatSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { readGivenFile, withoutWaiting } from './given-file.ts'
import { makePrivateFolder, openPrivateFile } from './private-files.ts'

const lockName = '.lock'
const retryMs = 20
/** What is done under the lock takes milliseconds. */
const patienceMs = 30_000

/** Runs the work while no other process runs any in that folder. Waits on the thread: for what a start begins with. */
export function withFolderLock<T>(folder: string, work: () => T): T {
  makePrivateFolder(folder)
  const file = join(folder, lockName)
  for (const end = Date.now() + patienceMs; !take(file); pause(retryMs)) {
    if (Date.now() > end)
      throw new Error(`another process has held ${file} for ${patienceMs / 1000} s: remove it if there is none`)
    if (!isHeld(file)) rmSync(file, { force: true })
  }
  try {
    return work()
  } finally {
    rmSync(file, { force: true })
  }
}

/** False when another process holds it. */
function take(file: string): boolean {
  try {
    const descriptor = openPrivateFile(file, 'wx')
    writeSync(descriptor, `${process.pid}\n`)
    closeSync(descriptor)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** A holder that has not written its id yet counts as one. */
function isHeld(file: string): boolean {
  let text: string
  try {
    // No holder makes a link, or anything but a file.
    if (!lstatSync(file).isFile()) return false
    text = readGivenFile(file, withoutWaiting)
  } catch {
    return false
  }
  const holder = Number.parseInt(text, 10)
  return Number.isNaN(holder) || (holder !== process.pid && isAlive(holder))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
