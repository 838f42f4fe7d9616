/**
 * What the writer of a value knows of it, as the text that goes along with it to other processes of the server (`hint` in
 * `store/store.ts`): they make their cache's entry of it without looking into the value.
 */
import type { StringMap } from '../api/object.ts'
import type { EntryFacts, ObjectLinks } from '../cache/cache-entry.ts'
import { entryKey } from '../cache/snapshot.ts'

type Hint = readonly [
  namespace: string,
  name: string,
  splice: number,
  labels: StringMap | null,
  fields: readonly string[] | null,
  links: ObjectLinks | null,
]

/** For facts whose text is the stored value. */
export function hintOf({ namespace, name, splice, labels, fields, links }: EntryFacts): string {
  const hint: Hint = [namespace, name, splice, labels ?? null, fields ?? null, links ?? null]
  return JSON.stringify(hint)
}

export function hintedFacts(value: Uint8Array, text: string): EntryFacts {
  const [namespace, name, splice, labels, fields, links] = JSON.parse(text) as Hint
  return {
    key: entryKey(namespace, name),
    namespace,
    name,
    bytes: Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength),
    splice,
    labels: labels ?? undefined,
    fields: fields ?? undefined,
    links: links ?? undefined,
  }
}
