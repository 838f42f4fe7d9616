// Watches the free space of the disk, so that writes are refused while there is still some left. LMDB does not take a failing write well: the
// store could not write again until it is reopened, or the process could end. Refused this way, it goes on when there is room again.
//
// Others may fill the disk to its last byte. A ballast file is kept for that: it goes when there is next to nothing left, so that the store
// can still be opened and objects be deleted; and it comes back when there is room.
import { randomBytes } from 'node:crypto'
import { rmSync, statfsSync } from 'node:fs'
import { rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { StoreError } from '../store.ts'

const checkIntervalMs = 1000
const defaultReserveBytes = 64 * 1024 * 1024
const ballastBytes = 4 * 1024 * 1024
/** With less than this left the ballast goes. */
const leastBytes = 1024 * 1024

export class DiskSpace {
  readonly #folder: string
  readonly #reserveBytes: number | undefined
  readonly #clock: Clock
  #freeBytes = Number.POSITIVE_INFINITY
  #totalBytes = Number.POSITIVE_INFINITY
  #checkedAt = 0
  #checking = false

  constructor(folder: string, reserveBytes: number | undefined, clock: Clock) {
    this.#folder = folder
    this.#reserveBytes = reserveBytes
    this.#clock = clock
  }

  get #ballast(): string {
    return join(this.#folder, 'ballast')
  }

  /** Makes room for what opening the store itself writes. */
  prepare(): void {
    const { bavail, bsize } = statfsSync(this.#folder)
    if (bavail * bsize < leastBytes) rmSync(this.#ballast, { force: true })
  }

  /** Lets the ballast go, or brings it back. Whether that succeeds shows in the room that there is. */
  async #trim(): Promise<void> {
    if (this.#freeBytes < leastBytes) await rm(this.#ballast, { force: true })
    const isAmple = this.#freeBytes > this.#reserve + 2 * ballastBytes && Number.isFinite(this.#totalBytes)
    if (!isAmple || (await stat(this.#ballast).catch(() => undefined)) !== undefined) return
    await writeFile(this.#ballast, randomBytes(ballastBytes), { mode: 0o600, flag: 'wx' }).catch(() =>
      rm(this.#ballast, { force: true }),
    )
  }

  async check(): Promise<void> {
    this.#checking = true
    try {
      const { bavail, blocks, bsize } = await statfs(this.#folder)
      this.#freeBytes = bavail * bsize
      this.#totalBytes = blocks * bsize
    } catch {
      // Where the system does not report it, the write itself fails.
      this.#freeBytes = Number.POSITIVE_INFINITY
    }
    await this.#trim().catch(() => undefined)
    this.#checkedAt = this.#clock.now()
    this.#checking = false
  }

  /** Counts what is written between two checks as used. */
  use(bytes: number): void {
    this.#freeBytes -= bytes
  }

  /** Configured, or the default, which a small disk bounds to an eighth of its size. */
  get #reserve(): number {
    return this.#reserveBytes ?? Math.min(defaultReserveBytes, this.#totalBytes / 8)
  }

  /** The reason not to write more, if there is one. It may be a second old. */
  refusal(): StoreError | undefined {
    const reserve = this.#reserve
    const isOld = this.#clock.now() - this.#checkedAt > checkIntervalMs || this.#freeBytes < reserve
    if (isOld && !this.#checking) void this.check()
    if (this.#freeBytes >= reserve) return undefined
    return new StoreError(
      'unavailable',
      `the disk of ${this.#folder} is almost full: ${inMegabytes(this.#freeBytes)} are free, ${inMegabytes(reserve)} are kept in reserve (--storage-reserve-megabytes); only deletes are taken until there is room`,
    )
  }
}

const inMegabytes = (bytes: number): string => `${(Math.max(bytes, 0) / 1024 / 1024).toFixed(1)} MiB`
