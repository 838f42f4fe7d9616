/** The uid of an entry, read off its text: shards ask for that of every object. */
import type { CacheEntry } from './cache-entry.ts'

/** More than a uid with its key takes. */
const reach = 64

/**
 * The resourceVersion goes in right behind the uid in built-in types, and right before it in custom ones, whose keys are sorted. A
 * text in another order is parsed.
 */
export function entryUid(entry: CacheEntry): string {
  if (entry.links !== undefined) return entry.links.uid
  const { bytes, splice } = entry
  const before = /"uid":"([^"\\]*)",$/.exec(bytes.toString('latin1', Math.max(splice - reach, 0), splice))
  const found = before ?? /^"uid":"([^"\\]*)"/.exec(bytes.toString('latin1', splice, splice + reach))
  return found?.[1] ?? entry.peek().metadata.uid ?? ''
}
