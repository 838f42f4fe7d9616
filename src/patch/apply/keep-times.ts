/**
 * A write that changes nothing but times of `managedFields` is no change: the old times come back, so that the object
 * is equal to the live one and is not written again.
 */
import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import { metadataOf, withManagedFields } from './managed-fields.ts'

/** The new object, or the new object with the live entries. Call it with both complete: defaulted and admitted. */
export function keepTimes(live: JsonObject, next: JsonObject): JsonObject {
  const before = metadataOf(live)['managedFields']
  const after = metadataOf(next)['managedFields']
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return next
  const differ = after.some((entry, i) => timeOf(entry) !== timeOf(before[i]))
  if (!differ || !after.every((entry, i) => equalJson(withoutTime(entry), withoutTime(before[i])))) return next
  if (!equalJson(withManagedFields(live, undefined), withManagedFields(next, undefined))) return next
  return { ...next, metadata: { ...metadataOf(next), managedFields: before } }
}

const timeOf = (entry: JsonValue | undefined): JsonValue | undefined =>
  isJsonObject(entry) ? entry['time'] : undefined

function withoutTime(entry: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(entry)) return entry
  const { time: _, ...rest } = entry
  return rest
}
