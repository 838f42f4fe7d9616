import { CacheEntry, type EntryShape } from '../cache-entry.ts'
import { RecentObjects } from '../recent-objects.ts'

const shape: EntryShape = {
  current: true,
  fieldValues: () => undefined,
  parse: (text) => JSON.parse(text),
  recent: new RecentObjects(0),
}

/** The entry of `namespace/name`, or of `name` alone, with some text of its own. */
export function testEntry(key: string, revision: number, { labels = {}, text = '' } = {}): CacheEntry {
  const [first = '', second] = key.split('/')
  const [namespace, name] = second === undefined ? ['', first] : [first, second]
  const head = `{"metadata":{"name":"${name}","namespace":"${namespace}",`
  const bytes = Buffer.from(`${head}"creationTimestamp":null},"text":"${text}"}`)
  return new CacheEntry(
    { key, namespace, name, labels, fields: undefined, bytes, splice: head.length },
    revision,
    shape,
  )
}
