/** What a cache entry knows of an object beside its text: its key, its links to others, its indexed fields. */
import { equalJson, type JsonObject } from '../api/json.ts'
import type { KubeObject, ObjectMeta } from '../api/object.ts'
import type { CacheEntry, EntryFacts, ObjectLinks } from '../cache/cache-entry.ts'
import type { ResourceDefinition } from './resource-definition.ts'
import { ReadError } from './unreadable.ts'

/** The cache has an object under its key in the store, whatever the object itself says. */
export type KeyParts = Pick<EntryFacts, 'key' | 'namespace' | 'name'>

export function keyPartsOf(key: string): KeyParts {
  const slash = key.lastIndexOf('/')
  return { key, namespace: slash < 0 ? '' : key.slice(0, slash), name: key.slice(slash + 1) }
}

/**
 * What was stored without a name or namespace has those of its key: the reference keeps its records of ports and addresses
 * without a name, and others may have stored anything.
 */
export function withNamesOfKey(object: KubeObject, { namespace, name }: KeyParts): KubeObject {
  const { metadata } = object
  for (const text of [metadata.name ?? '', metadata.namespace ?? '']) {
    if (typeof text !== 'string') throw new ReadError('decode', 'the name of the stored object is not text')
  }
  const lacksNamespace = namespace !== '' && (metadata.namespace ?? '') === ''
  if ((metadata.name ?? '') !== '' && !lacksNamespace) return object
  return {
    ...object,
    metadata: { ...metadata, name: metadata.name || name, ...(lacksNamespace ? { namespace } : {}) },
  }
}

/** Those that it had are kept if nothing has changed: many states of an object share them. */
export function linksOf(metadata: ObjectMeta, before: ObjectLinks | undefined): ObjectLinks | undefined {
  const { uid = '', ownerReferences, deletionTimestamp, finalizers = [] } = metadata
  if ((ownerReferences?.length ?? 0) === 0 && deletionTimestamp == null) return undefined
  const links = { uid, owners: ownerReferences ?? [], isDeleted: deletionTimestamp != null, finalizers }
  return before !== undefined && equalJson(before as unknown as JsonObject, links) ? before : links
}

export function fieldIndexes({
  indexes,
  storage,
}: ResourceDefinition): ReadonlyMap<string, (entry: CacheEntry) => string> {
  const paths = [...storage.fields.keys()]
  return new Map(indexes.map((path) => [path, (entry: CacheEntry) => entry.fields?.[paths.indexOf(path)] ?? '']))
}

/** Of a value that could not be read: nothing but its key, and why. */
export const unreadableFacts = (parts: KeyParts, unreadable: NonNullable<EntryFacts['unreadable']>): EntryFacts => ({
  ...parts,
  bytes: Buffer.alloc(0),
  splice: 0,
  labels: undefined,
  fields: undefined,
  unreadable,
})
