// The file of a snapshot: every key of a store as it was at one revision. All numbers are little-endian.
//
//   16 bytes  "pilothouse-snap\n"
//   u32       format
//   u32 n, n bytes      JSON: { revision, keys, savedAt }
//   for each key, in the order of their revisions:
//     u32 n, n bytes    f64 revision, then the change (see change-record.ts)
//     u32 n, n bytes    the value
//   u32       0xffffffff
//   32 bytes  SHA-256 of everything before
//
// A reader gives out nothing of a file whose end is missing or whose sum is wrong: `checkSnapshot` reads it all first.
import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, rmSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { onKill } from '../../lib/on-kill.ts'
import { refuseSpecial } from '../../lib/private-files.ts'
import type { Change } from '../embedded/change.ts'
import { StoreError } from '../store.ts'
import { decodeChange, encodeChange } from './change-record.ts'
import { emptyTally } from './tally.ts'

export interface SnapshotHeader {
  readonly revision: number
  readonly keys: number
  /** In milliseconds since 1970. */
  readonly savedAt: number
}

export interface SnapshotEntry {
  readonly change: Change
  readonly value: Buffer
}

const magic = Buffer.from('pilothouse-snap\n')
/** Format 1 has records without checksums. */
const snapshotFormat = 2
const endMark = 0xffffffff
const sumBytes = 32
/** More than the largest value and key that a store takes. */
const maxFrameBytes = 16 * 1024 * 1024
const chunkBytes = 256 * 1024

/** Writes a file as a whole or not at all: under another name until it is complete and synced. */
export async function writeSnapshot(
  path: string,
  header: SnapshotHeader,
  entries: Iterable<SnapshotEntry>,
): Promise<number> {
  refuseSpecial(path)
  const draft = draftOf(path)
  removeDeadDrafts(path)
  const takeBack = onKill(() => rmSync(draft, { force: true }))
  const file = await openNew(draft).catch((error: unknown) => {
    takeBack()
    throw error
  })
  const hash = createHash('sha256')
  let bytes = 0
  let waiting: Buffer[] = []
  let waitingBytes = 0
  const flush = async (): Promise<void> => {
    const chunk = Buffer.concat(waiting)
    waiting = []
    waitingBytes = 0
    hash.update(chunk)
    await file.writeFile(chunk)
    bytes += chunk.length
  }
  const put = (part: Buffer): void => {
    waiting.push(part)
    waitingBytes += part.length
  }
  try {
    put(magic)
    put(u32(snapshotFormat))
    putFrame(put, Buffer.from(JSON.stringify(header)))
    for (const { change, value } of entries) {
      putFrame(put, Buffer.concat([f64(change.revision), encodeChange(change, value.length, emptyTally)]))
      putFrame(put, value)
      if (waitingBytes >= chunkBytes) await flush()
    }
    put(u32(endMark))
    await flush()
    await file.writeFile(hash.digest())
    await file.sync()
    await file.close()
    await rename(draft, path)
  } catch (error) {
    await file.close().catch(() => undefined)
    await rm(draft, { force: true })
    throw error
  } finally {
    takeBack()
  }
  return bytes + sumBytes
}

/** It is made in one go: no clean-up can come while another thread makes it. */
async function openNew(path: string): Promise<FileHandle> {
  closeSync(openSync(path, 'wx', 0o600))
  return open(path, 'r+')
}

/** Named after the process that writes it, so that what a killed one has left can be identified. */
const draftOf = (path: string): string => `${path}.${process.pid}.part`

function removeDeadDrafts(path: string): void {
  const [folder, name] = [dirname(path), basename(path)]
  for (const other of readdirSync(folder)) {
    const [, pid] = (other.startsWith(`${name}.`) && /^\.(\d+)\.part$/.exec(other.slice(name.length))) || []
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, other), { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function putFrame(put: (part: Buffer) => void, content: Buffer): void {
  put(u32(content.length))
  put(content)
}

function u32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function f64(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeDoubleLE(value)
  return bytes
}

/** Reads the whole file and compares its sum. Throws a StoreError that says what is wrong with it. */
export async function checkSnapshot(path: string): Promise<SnapshotHeader> {
  let last: SnapshotHeader | undefined
  let keys = 0
  for await (const part of readParts(path)) {
    if ('keys' in part) last = part
    else keys++
  }
  if (last === undefined || last.keys !== keys) throw damaged(path, 'it holds another number of keys than it says')
  return last
}

/** The entries of a file. Those that are given before an error may be wrong: check the file first. */
export async function* readSnapshot(path: string): AsyncGenerator<SnapshotEntry> {
  for await (const part of readParts(path)) if (!('keys' in part)) yield part
}

async function* readParts(path: string): AsyncGenerator<SnapshotHeader | SnapshotEntry> {
  const reader = new SummedReader(path)
  try {
    await reader.open()
    const start = await reader.take(magic.length).catch(() => undefined)
    if (start === undefined || !start.equals(magic)) throw damaged(path, 'it is no snapshot')
    const format = (await reader.take(4)).readUInt32LE()
    if (format < 1 || format > snapshotFormat) {
      const hint = `this version of pilothouse knows ${snapshotFormat}`
      throw new StoreError('newer-format', `${path} is a snapshot of format ${format}; ${hint}`)
    }
    yield parseHeader(path, await reader.frame())
    for (;;) {
      const record = await reader.frame()
      if (record === undefined) break
      const value = await reader.frame()
      const change = record.length < 8 ? undefined : decodeChange(record.readDoubleLE(0), record.subarray(8))
      if (change === undefined || value === undefined) throw damaged(path, 'it holds a record that is none')
      yield { change, value }
    }
    await reader.checkSum()
  } finally {
    await reader.close()
  }
}

function parseHeader(path: string, frame: Buffer | undefined): SnapshotHeader {
  try {
    const header = JSON.parse(frame?.toString() ?? '') as SnapshotHeader
    if (Number.isSafeInteger(header.revision) && Number.isSafeInteger(header.keys)) return header
  } catch {
    // Said below.
  }
  throw damaged(path, 'its header cannot be read')
}

/** Reads a file from its beginning and sums what it reads. */
class SummedReader {
  readonly #path: string
  readonly #hash = createHash('sha256')
  #file: Awaited<ReturnType<typeof open>> | undefined
  #chunk = Buffer.alloc(0)
  #at = 0

  constructor(path: string) {
    this.#path = path
  }

  async open(): Promise<void> {
    // A pipe would be waited for.
    refuseSpecial(this.#path)
    this.#file = await open(this.#path, 'r')
  }

  async take(count: number): Promise<Buffer> {
    const taken = await this.#read(count)
    this.#hash.update(taken)
    return taken
  }

  /** Undefined at the end mark. */
  async frame(): Promise<Buffer | undefined> {
    const length = (await this.take(4)).readUInt32LE()
    if (length === endMark) return undefined
    if (length > maxFrameBytes) throw damaged(this.#path, `it holds a part of ${length} bytes`)
    return this.take(length)
  }

  async checkSum(): Promise<void> {
    const wanted = this.#hash.digest()
    if (!(await this.#read(sumBytes)).equals(wanted)) throw damaged(this.#path, 'its checksum is wrong')
    const isAtEnd = this.#at === this.#chunk.length && (await this.#more(1)).length === 0
    if (!isAtEnd) throw damaged(this.#path, 'something follows its end')
  }

  async #read(count: number): Promise<Buffer> {
    if (this.#chunk.length - this.#at < count) {
      const rest = this.#chunk.subarray(this.#at)
      this.#chunk = Buffer.concat([rest, await this.#more(count - rest.length)])
      this.#at = 0
      if (this.#chunk.length < count) throw damaged(this.#path, 'it is cut short')
    }
    const taken = this.#chunk.subarray(this.#at, this.#at + count)
    this.#at += count
    return taken
  }

  /** At least so many bytes, or what is left. */
  async #more(count: number): Promise<Buffer> {
    const target = Buffer.alloc(Math.max(count, chunkBytes))
    let filled = 0
    while (filled < count) {
      const { bytesRead = 0 } = (await this.#file?.read(target, filled, target.length - filled)) ?? {}
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return target.subarray(0, filled)
  }

  async close(): Promise<void> {
    await this.#file?.close()
  }
}

const damaged = (path: string, why: string): StoreError => new StoreError('corrupt', `${path} cannot be used: ${why}`)
