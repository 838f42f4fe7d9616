/**
 * The audit log: one event a line, appended before the request goes on. When the file has grown to its limit it is
 * renamed with the time in its name and a new one begun; old ones are compressed if asked, and go by age and by number.
 */
import {
  closeSync,
  createReadStream,
  createWriteStream,
  fstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Clock } from '../../lib/clock.ts'
import { openPrivateFile } from '../../lib/private-files.ts'
import type { AuditEvent } from './event.ts'
import type { AuditSink, OnLost } from './sink.ts'

export interface LogSinkOptions {
  /** A path, or `-` for standard output. */
  readonly path: string
  readonly format: 'json' | 'legacy'
  /** 0 for 100. */
  readonly maxSizeMegabytes: number
  /** Days; 0 keeps all. */
  readonly maxAgeDays: number
  /** 0 keeps all. */
  readonly maxBackups: number
  readonly compress: boolean
  readonly clock: Clock
  readonly onLost: OnLost
}

const day = 86_400_000
const megabyte = 1024 * 1024
const defaultMegabytes = 100

export class LogSink implements AuditSink {
  readonly #options: LogSinkOptions
  readonly #maxBytes: number
  #file: number | undefined
  #size = 0
  /** A device or a pipe is no file to be renamed. */
  #rotates = true
  /** Rotated files that are being compressed, one after the other. */
  #compressing: Promise<void> = Promise.resolve()

  /** Throws when the file cannot be opened: a server that should audit and cannot must not start. */
  constructor(options: LogSinkOptions) {
    this.#options = options
    this.#maxBytes = (options.maxSizeMegabytes || defaultMegabytes) * megabyte
    if (options.path !== '-') mkdirSync(dirname(options.path), { recursive: true, mode: 0o700 })
    this.#open()
  }

  process(events: readonly AuditEvent[]): boolean {
    const { format, onLost } = this.#options
    const lines = events.map((event) => `${format === 'legacy' ? event.legacyLine : event.text}\n`)
    const bytes = Buffer.from(lines.join(''))
    try {
      this.#rotateFor(bytes.length)
      writeAll(this.#file ?? this.#open(), bytes)
      this.#size += bytes.length
      return true
    } catch (error) {
      onLost('log', error instanceof Error ? error.message : String(error), events.length)
      return false
    }
  }

  close(): Promise<void> {
    if (this.#file !== undefined && this.#file !== process.stdout.fd) closeSync(this.#file)
    this.#file = undefined
    return this.#compressing
  }

  #open(): number {
    const { path } = this.#options
    this.#file = path === '-' ? process.stdout.fd : openPrivateFile(path, 'a')
    const stats = fstatSync(this.#file)
    this.#rotates = path !== '-' && stats.isFile()
    this.#size = this.#rotates ? stats.size : 0
    return this.#file
  }

  #rotateFor(length: number): void {
    const { path, clock } = this.#options
    if (!this.#rotates || this.#size === 0 || this.#size + length <= this.#maxBytes) return
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
    const backup = this.#backupName(clock.now())
    renameSync(path, backup)
    this.#open()
    this.#removeOld()
    if (this.#options.compress) this.#compressing = this.#compressing.then(() => compressFile(backup))
  }

  #parts(): { folder: string; stem: string; extension: string } {
    const { path } = this.#options
    const extension = extname(path)
    return { folder: dirname(path), stem: basename(path, extension), extension }
  }

  /** `audit-2025-01-01T00-00-00.000.log` */
  #backupName(now: number): string {
    const { folder, stem, extension } = this.#parts()
    return join(folder, `${stem}-${new Date(now).toISOString().replaceAll(':', '-').slice(0, -1)}${extension}`)
  }

  #removeOld(): void {
    const { maxAgeDays, maxBackups, clock } = this.#options
    const { folder, stem, extension } = this.#parts()
    const backups = readdirSync(folder)
      .flatMap((name) => {
        const time =
          name.startsWith(`${stem}-`) && name.replace(/\.gz$/, '').endsWith(extension)
            ? timeOf(name.slice(stem.length + 1))
            : NaN
        return Number.isNaN(time) ? [] : [{ name, time }]
      })
      .sort((a, b) => b.time - a.time)
    backups.forEach(({ name, time }, i) => {
      const tooMany = maxBackups > 0 && i >= maxBackups
      const tooOld = maxAgeDays > 0 && time < clock.now() - maxAgeDays * day
      if (tooMany || tooOld) rmSync(join(folder, name), { force: true })
    })
  }
}

/** Standard output may take less than all at once. */
function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}

/** A file that cannot be compressed stays as it is. */
async function compressFile(file: string): Promise<void> {
  const compressed = `${file}.gz`
  try {
    // What an earlier process has left there, or a link, is not written to.
    rmSync(compressed, { force: true })
    const target = createWriteStream(compressed, { fd: openPrivateFile(compressed, 'wx') })
    await pipeline(createReadStream(file), createGzip(), target)
    rmSync(file, { force: true })
  } catch {
    rmSync(compressed, { force: true })
  }
}

function timeOf(text: string): number {
  const [, date, hour, minute, second] = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})/.exec(text) ?? []
  return date === undefined ? NaN : Date.parse(`${date}T${hour}:${minute}:${second}Z`)
}
