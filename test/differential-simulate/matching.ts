/** Whether an object says at least what is expected of it. */
import { isList, isMap, type Json } from '../differential/json.ts'

/** Null is expected of what is absent; of a list each expected item must be among the items. */
export function matches(actual: Json | undefined, expected: Json): boolean {
  if (expected === null) return actual === undefined || actual === null
  if (isList(expected)) return isList(actual) && expected.every((item) => actual.some((each) => matches(each, item)))
  if (!isMap(expected)) return actual === expected
  return isMap(actual) && Object.entries(expected).every(([key, value]) => matches(actual[key], value))
}
