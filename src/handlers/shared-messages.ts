/**
 * Encoded Protobuf messages of objects, shared by concurrent lists and reference-counted by them: each is encoded once, and dropped with the
 * last list.
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
