/**
 * Protobuf messages of objects, shared by the lists that are being made at the same time: the message of an object is
 * made once for all of them, and there is one copy of it. What was made goes with the last of these lists.
 */
import type { CacheEntry } from '../cache/cache-entry.ts'

/** Beyond this, messages are made for their list alone. */
const maxBytes = 64 * 1024 * 1024

export class SharedMessages {
  #messages = new Map<CacheEntry, Buffer>()
  #bytes = 0
  #lists = 0

  acquire(): void {
    this.#lists++
  }

  release(): void {
    if (--this.#lists > 0) return
    this.#messages = new Map()
    this.#bytes = 0
  }

  get(entry: CacheEntry): Buffer | undefined {
    return this.#messages.get(entry)
  }

  keep(entry: CacheEntry, message: Buffer): void {
    if (this.#messages.has(entry) || this.#bytes + message.length > maxBytes) return
    this.#messages.set(entry, message)
    this.#bytes += message.length
  }
}
