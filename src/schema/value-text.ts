/** A text by which values can be compared: equal values have equal texts, whatever the order of their keys. */
import { isJsonObject, type JsonValue } from '../api/json.ts'

export function sortedText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join(',')}]`
  if (!isJsonObject(value)) return typeof value === 'bigint' ? String(value) : JSON.stringify(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${sortedText(value[key] ?? null)}`).join(',')}}`
}
