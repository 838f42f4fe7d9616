import type { Clock } from '../../lib/clock.ts'
import { CacheEntry, type EntryShape } from '../cache-entry.ts'
import type { IndexedFields } from '../entry-indexes.ts'
import { EntryTree } from '../entry-tree.ts'
import { RecentObjects } from '../recent-objects.ts'
import { ResourceCache } from '../resource-cache.ts'

/** What an entry knows of its resource; parsed objects are held up to so many bytes. */
export const testShape = (maxBytes = 0, changed: Partial<EntryShape> = {}): EntryShape => ({
  current: true,
  fieldValues: () => undefined,
  parse: (text) => JSON.parse(text),
  recent: new RecentObjects(maxBytes),
  ...changed,
})

interface TestEntryOptions {
  readonly labels?: Readonly<Record<string, string>>
  readonly fields?: readonly string[] | undefined
  readonly text?: string
  readonly shape?: EntryShape
}

const scopeOf = (key: string): { key: string; namespace: string; name: string } => {
  const [first = '', second] = key.split('/')
  return second === undefined ? { key, namespace: '', name: first } : { key, namespace: first, name: second }
}

/** The entry of `namespace/name`, or of `name` alone, with some text of its own. */
export function testEntry(key: string, revision: number, options: TestEntryOptions = {}): CacheEntry {
  const { labels = {}, fields, text = '', shape = testShape() } = options
  const scope = scopeOf(key)
  const head = `{"metadata":{"name":"${scope.name}","namespace":"${scope.namespace}",`
  const bytes = Buffer.from(`${head}"creationTimestamp":null},"text":"${text}"}`)
  return new CacheEntry({ ...scope, labels, fields, bytes, splice: head.length }, revision, shape)
}

/** The entry of a value that cannot be read. */
export function unreadableEntry(key: string, revision: number, value: Uint8Array = Buffer.from('?')): CacheEntry {
  const why = 'the key is away'
  const unreadable = { value, reason: 'transform', why, error: () => new Error(why) } as const
  const facts = { ...scopeOf(key), labels: undefined, fields: undefined, bytes: Buffer.alloc(0), splice: 0 }
  return new CacheEntry({ ...facts, unreadable }, revision, testShape())
}

interface TestCacheOptions {
  readonly clock: Clock
  readonly maxEvents?: number
  readonly indexes?: IndexedFields
  readonly entries?: readonly CacheEntry[]
  readonly revision?: number
}

/** A cache that only the test feeds. */
export function testCache({
  clock,
  maxEvents = 1000,
  indexes = new Map(),
  entries = [],
  revision = 1,
}: TestCacheOptions) {
  const bounds = { maxEvents, maxAgeMs: 60_000, maxRetiredBytes: 1 << 20 }
  return new ResourceCache(EntryTree.of(entries), revision, { clock, bounds, snapshotMs: 1000, indexes })
}
