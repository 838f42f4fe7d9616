/**
 * A write that changes nothing but times of `managedFields` is no change: the old times come back, so that the object
 * is equal to the live one and is not written again.
 */
import { equalJson, isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../api/json.ts'
import { metadataOf } from './managed-fields.ts'

export type Equality = (a: JsonValue | undefined, b: JsonValue | undefined) => boolean

/**
 * The new object, or the new object with the live entries. Call it with both complete: defaulted and admitted. `equal` says whether
 * values are the same in an object of this model. Mirrors handlers/fieldmanager: IgnoreManagedFieldsTimestampsTransformer.
 */
export function keepTimes(live: JsonObject, next: JsonObject, equal: Equality): JsonObject {
  const before = metadataOf(live)['managedFields']
  const after = metadataOf(next)['managedFields']
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return next
  if (before === after || !after.some((entry, i) => timeOf(entry) !== timeOf(before[i]))) return next
  if (!equalBut('metadata', live, next, equal)) return next
  if (!equalBut('managedFields', metadataOf(live), metadataOf(next), equal)) return next
  if (!after.every((entry, i) => equalBut('time', entry, before[i], equalJson))) return next
  return { ...next, metadata: { ...metadataOf(next), managedFields: before } }
}

const timeOf = (entry: JsonValue | undefined): JsonValue | undefined =>
  isJsonObject(entry) ? entry['time'] : undefined

/** Equality of two objects without one of their members. */
function equalBut(name: string, a: JsonValue | undefined, b: JsonValue | undefined, equal: Equality): boolean {
  if (!isJsonObject(a) || !isJsonObject(b)) return equal(a, b)
  for (const key of Object.keys(a)) if (key !== name && !equal(a[key], ownValue(b, key))) return false
  for (const key of Object.keys(b)) {
    if (key !== name && !Object.hasOwn(a, key) && !equal(undefined, b[key])) return false
  }
  return true
}
