/**
 * Selection by fields of a version that only a webhook can convert to: the stored form does not have them. The values
 * of an entry are memoized, because an entry is immutable.
 */

import type { FieldSelector } from '../api/field-selector.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import { SideTable } from '../lib/memo.ts'
import { allInVersion } from './convert.ts'
import type { ResourceDefinition, ResourceVersion } from './resource-definition.ts'

/** By entry: the values of all selectable fields, by version. */
type Known = SideTable<CacheEntry, Map<string, readonly string[]>>

const known = new SideTable<ResourceDefinition, Known>()

/** Objects in one review. */
const batchSize = 128

/** Which of the entries have the fields that the selector wants, in a version of the request. */
export function convertedFieldFilter(
  definition: ResourceDefinition,
  version: ResourceVersion,
  selector: FieldSelector,
): (entries: readonly CacheEntry[]) => Promise<readonly boolean[]> {
  const paths = [...definition.storage.fields.keys()]
  const checks = selector.map(({ field, operator, value }) => {
    const position = paths.indexOf(field)
    return (values: readonly string[]): boolean => (values[position] === value) === (operator !== '!=')
  })
  return async (entries) => {
    const all = await fieldsIn(definition, version, entries)
    return all.map((values) => checks.every((check) => check(values)))
  }
}

async function fieldsIn(
  definition: ResourceDefinition,
  version: ResourceVersion,
  entries: readonly CacheEntry[],
): Promise<readonly (readonly string[])[]> {
  const { apiVersion } = version
  const memo = memoOf(definition)
  const missing = entries.filter((entry) => memo.get(entry)?.has(apiVersion) !== true)
  const getters = [...definition.storage.fields.values()]
  for (let at = 0; at < missing.length; at += batchSize) {
    const batch = missing.slice(at, at + batchSize)
    const objects = await allInVersion(
      definition,
      version,
      batch.map((entry) => entry.object()),
    )
    for (const [i, object] of objects.entries()) {
      const entry = batch[i] as CacheEntry
      const byVersion = memo.get(entry) ?? new Map<string, readonly string[]>()
      byVersion.set(
        apiVersion,
        getters.map((get) => get(object)),
      )
      memo.set(entry, byVersion)
    }
  }
  return entries.map((entry) => memo.get(entry)?.get(apiVersion) ?? [])
}

const memoOf = (definition: ResourceDefinition): Known => known.getOrMake(definition, () => new SideTable())
