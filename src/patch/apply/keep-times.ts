/**
 * A write that changes nothing but times of `managedFields` is no change: the old times come back, so that the object
 * is equal to the live one and is not written again.
 */
import { isJsonObject, isOmitted, type JsonObject, type JsonValue, ownValue } from '../../api/json.ts'
import { metadataOf } from './managed-fields.ts'
import { sameValue } from './topology.ts'

/** The new object, or the new object with the live entries. Call it with both complete: defaulted and admitted. */
export function keepTimes(live: JsonObject, next: JsonObject): JsonObject {
  const before = metadataOf(live)['managedFields']
  const after = metadataOf(next)['managedFields']
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return next
  if (before === after || !after.some((entry, i) => timeOf(entry) !== timeOf(before[i]))) return next
  if (!equalBut('metadata', live, next) || !equalBut('managedFields', metadataOf(live), metadataOf(next))) return next
  if (!after.every((entry, i) => equalBut('time', entry, before[i]))) return next
  return { ...next, metadata: { ...metadataOf(next), managedFields: before } }
}

const timeOf = (entry: JsonValue | undefined): JsonValue | undefined =>
  isJsonObject(entry) ? entry['time'] : undefined

/** Equality of two objects without one of their members. An explicit empty list or map that is not written is no member, either. */
function equalBut(name: string, a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (!isJsonObject(a) || !isJsonObject(b)) return sameValue(a, b)
  for (const key of Object.keys(a)) if (key !== name && !sameValue(shown(a, key), shown(b, key))) return false
  for (const key of Object.keys(b)) {
    if (key !== name && shown(b, key) !== undefined && shown(a, key) === undefined) return false
  }
  return true
}

function shown(object: JsonObject, key: string): JsonValue | undefined {
  const value = ownValue(object, key)
  return isOmitted(value) ? undefined : value
}
