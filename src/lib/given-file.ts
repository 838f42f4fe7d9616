/**
 * Reads files whose path somebody else chose (configuration, keys, locks of other processes) without blocking the start: a FIFO without a
 * writer, an endless device or a terminal is an error.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'

export interface GivenFileOptions {
  /** How long a pipe is waited for: its writer may have begun at the same time (`--token-auth-file=<(…)`). */
  readonly patienceMs?: number
}

const defaultPatienceMs = 2_000
/** For what is read while requests are served. */
export const withoutWaiting: GivenFileOptions = { patienceMs: 0 }
const pauseMs = 10
const maxBytes = 64 * 1024 * 1024
const chunkBytes = 64 * 1024
/** A pipe opens at once, with a writer or without. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** As text. Throws errors of the system, and others for what does not end. */
export const readGivenFile = (path: string, options?: GivenFileOptions): string =>
  readGivenBytes(path, options).toString('utf8')

export function readGivenBytes(path: string, { patienceMs = defaultPatienceMs }: GivenFileOptions = {}): Buffer {
  const file = openSync(path, flags)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) return readStream(path, file, { end: Date.now() + patienceMs, isPipe: stats.isFIFO() })
    if (stats.size > maxBytes) throw tooLarge(path)
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

interface Stream {
  readonly end: number
  readonly isPipe: boolean
}

function readStream(path: string, file: number, { end, isPipe }: Stream): Buffer {
  const chunks: Buffer[] = []
  for (let size = 0; size <= maxBytes; ) {
    const chunk = readNow(file)
    // Before the first byte a pipe has no writer yet.
    if (chunk?.length === 0 && (size > 0 || !isPipe)) return Buffer.concat(chunks)
    if (chunk === undefined || chunk.length === 0) {
      if (Date.now() >= end) throw new Error(`${path} is no file, and nothing comes from it`)
      pause(pauseMs)
      continue
    }
    chunks.push(chunk)
    size += chunk.length
  }
  throw tooLarge(path)
}

/** Undefined when there is nothing yet. */
function readNow(file: number): Buffer | undefined {
  const chunk = Buffer.alloc(chunkBytes)
  try {
    return chunk.subarray(0, readSync(file, chunk, 0, chunkBytes, null))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined
    throw error
  }
}

const tooLarge = (path: string): Error => new Error(`${path} holds more than ${maxBytes / 1024 / 1024} MiB`)

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** While the server runs: pipes and devices are an error at once, so that none of the few threads for files is held. */
export async function readGivenFileAsync(path: string): Promise<string> {
  const file = await open(path, flags)
  try {
    const stats = await file.stat()
    if (!stats.isFile() && !stats.isDirectory()) throw new Error(`${path} is no file`)
    if (stats.size > maxBytes) throw tooLarge(path)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}
