// Watches the free space of the disk, so that writes are refused while there is still some left. LMDB does not take a failing write well: the
// store could not write again until it is reopened, or the process could end. Refused this way, it goes on when there is room again.
import { statfs } from 'node:fs/promises'
import type { Clock } from '../../lib/clock.ts'
import { StoreError } from '../store.ts'

const checkIntervalMs = 1000

export class DiskRoom {
  readonly #folder: string
  readonly #reserveBytes: number
  readonly #clock: Clock
  #freeBytes = Number.POSITIVE_INFINITY
  #checkedAt = 0
  #checking = false

  constructor(folder: string, reserveBytes: number, clock: Clock) {
    this.#folder = folder
    this.#reserveBytes = reserveBytes
    this.#clock = clock
  }

  async check(): Promise<void> {
    this.#checking = true
    try {
      const { bavail, bsize } = await statfs(this.#folder)
      this.#freeBytes = bavail * bsize
    } catch {
      // Where the system does not tell, the disk decides.
      this.#freeBytes = Number.POSITIVE_INFINITY
    }
    this.#checkedAt = this.#clock.now()
    this.#checking = false
  }

  /** Counts what is written between two checks as used. */
  use(bytes: number): void {
    this.#freeBytes -= bytes
  }

  /** The reason not to write more, if there is one. It may be a second old. */
  refusal(): StoreError | undefined {
    const isOld = this.#clock.now() - this.#checkedAt > checkIntervalMs || this.#freeBytes < this.#reserveBytes
    if (isOld && !this.#checking) void this.check()
    if (this.#freeBytes >= this.#reserveBytes) return undefined
    return new StoreError(
      'unavailable',
      `the disk of ${this.#folder} is almost full; only deletes are taken until there is room`,
    )
  }
}
