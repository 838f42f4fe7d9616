/**
 * Which entry of managed fields a write made or changed. It is derived from the two versions alone, so where more than one may have been it, none is named: entries
 * have times of whole seconds, and a forced apply changes those of others.
 */
import { equalJson, isJsonObject, type JsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'

export function writingManager(object: KubeObject, older: KubeObject | undefined): JsonObject | undefined {
  const entries = managedFields(object)
  const before = new Map(managedFields(older).map((entry) => [identityOf(entry), entry]))
  const earlier = (entry: JsonObject): JsonObject | undefined => before.get(identityOf(entry))
  const stamped = entries.filter((entry) => earlier(entry)?.['time'] !== entry['time'])
  if (stamped.length > 0) return only(stamped)
  const changed = entries.filter((entry) => !equalJson(entry, earlier(entry)))
  // The same fields, written again within the second of the entry.
  return changed.length > 0 ? only(changed) : only(newestOf(entries))
}

const only = (entries: readonly JsonObject[]): JsonObject | undefined => (entries.length === 1 ? entries[0] : undefined)

const identityOf = ({ manager, operation, apiVersion, subresource }: JsonObject): string =>
  JSON.stringify([manager, operation, apiVersion, subresource])

const timeOf = ({ time }: JsonObject): string => (typeof time === 'string' ? time : '')

function newestOf(entries: readonly JsonObject[]): JsonObject[] {
  const newest = entries.map(timeOf).toSorted().at(-1)
  return entries.filter((entry) => timeOf(entry) === newest)
}

function managedFields(object: KubeObject | undefined): JsonObject[] {
  const entries: unknown = object?.metadata.managedFields
  return Array.isArray(entries) ? entries.filter(isJsonObject) : []
}
