/** Objects built field by field in the order of the wire, without the fields that are not there. */
import type { JsonObject, JsonValue } from '../../api/json.ts'

export function withoutAbsent(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const object: JsonObject = {}
  for (const key of Object.keys(fields)) {
    const value = fields[key]
    if (value !== undefined) object[key] = value
  }
  return object
}
