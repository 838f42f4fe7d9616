/** What differs between two objects, for the messages that say that something must not change. */
import { equalSemantic, type JsonObject, type JsonValue } from '../../../api/json.ts'

/** One line for each field that was (`-`) and one that is (`+`), fields in alphabetical order. */
export function describeChanges(old: object, now: object): string {
  const [before, after] = [old as JsonObject, now as JsonObject]
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  const line = (sign: string, key: string, value: JsonValue | undefined): string =>
    value === undefined ? '' : `${sign} ${key}: ${JSON.stringify(value)}\n`
  return keys
    .filter((key) => !equalSemantic(before[key], after[key]))
    .map((key) => line('-', key, before[key]) + line('+', key, after[key]))
    .join('')
}
