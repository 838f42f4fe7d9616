/**
 * Texts of objects that are loaded together lie together in slabs: a Buffer of its own takes some 400 bytes beside a text. A slab is kept as
 * long as one of its texts is; together they are never more than was loaded. What is written one by one stays by itself: a few objects
 * that last would hold on to the texts of many that do not.
 */
import type { CacheEntry } from './cache-entry.ts'
import type { StoredValue } from './resource-reader.ts'

const slabBytes = 64 * 1024
/** Beside longer texts a Buffer is nothing. */
const longestPacked = 8 * 1024

/** `values`: what the entries were read from. A text that is its value itself is the store's own, and is not copied. */
export function packTexts(entries: readonly CacheEntry[], values: readonly Pick<StoredValue, 'value'>[]): void {
  let together: CacheEntry[] = []
  let bytes = 0
  for (const [i, entry] of entries.entries()) {
    if (entry.size > longestPacked || !entry.isUnpacked || entry.bytes === values[i]?.value) continue
    if (bytes + entry.size > slabBytes) {
      packInto(Buffer.allocUnsafeSlow(bytes), together)
      together = []
      bytes = 0
    }
    together.push(entry)
    bytes += entry.size
  }
  if (together.length > 1) packInto(Buffer.allocUnsafeSlow(bytes), together)
}

function packInto(slab: Buffer, entries: readonly CacheEntry[]): void {
  let at = 0
  for (const entry of entries) at = entry.pack(slab, at)
}
