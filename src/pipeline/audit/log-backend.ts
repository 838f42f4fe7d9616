/**
 * The audit log: one JSON object a line, appended before the request goes on. When the file has grown to its limit it is
 * renamed with the time in its name and a new one begun; old ones go by age and by number.
 */
import { closeSync, fstatSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import type { JsonObject } from '../../api/json.ts'
import type { Clock } from '../../lib/clock.ts'
import type { AuditBackend } from './backend.ts'

export interface LogBackendOptions {
  /** A path, or `-` for standard output. */
  readonly path: string
  /** 0 never rotates. */
  readonly maxSizeMegabytes: number
  /** Days; 0 keeps all. */
  readonly maxAgeDays: number
  /** 0 keeps all. */
  readonly maxBackups: number
  readonly clock: Clock
  readonly onDropped: (error: Error) => void
}

const day = 86_400_000

export class LogBackend implements AuditBackend {
  readonly #options: LogBackendOptions
  #file: number | undefined
  #size = 0

  /** Throws when the file cannot be opened: a server that should audit and cannot must not start. */
  constructor(options: LogBackendOptions) {
    this.#options = options
    this.#open()
  }

  write(event: JsonObject): void {
    const line = Buffer.from(`${JSON.stringify(event)}\n`)
    try {
      this.#rotateFor(line.length)
      writeSync(this.#file ?? this.#open(), line)
      this.#size += line.length
    } catch (error) {
      this.#options.onDropped(error instanceof Error ? error : new Error(String(error)))
    }
  }

  close(): Promise<void> {
    if (this.#file !== undefined && this.#file !== process.stdout.fd) closeSync(this.#file)
    this.#file = undefined
    return Promise.resolve()
  }

  #open(): number {
    const { path } = this.#options
    this.#file = path === '-' ? process.stdout.fd : openSync(path, 'a', 0o600)
    this.#size = path === '-' ? 0 : fstatSync(this.#file).size
    return this.#file
  }

  #rotateFor(length: number): void {
    const { path, maxSizeMegabytes, clock } = this.#options
    if (path === '-' || maxSizeMegabytes <= 0 || this.#size === 0) return
    if (this.#size + length <= maxSizeMegabytes * 1024 * 1024) return
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
    renameSync(path, this.#backupName(clock.now()))
    this.#open()
    this.#removeOld()
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
        const time = name.startsWith(`${stem}-`) && name.endsWith(extension) ? timeOf(name.slice(stem.length + 1)) : NaN
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

function timeOf(text: string): number {
  const [, date, hour, minute, second] = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})/.exec(text) ?? []
  return date === undefined ? NaN : Date.parse(`${date}T${hour}:${minute}:${second}Z`)
}
