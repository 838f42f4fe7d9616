/** Values as the reference's messages print them where they are not plain: Go's `%#v` of decoded JSON. */
import { quote } from '../api/field-error.ts'
import { isJsonObject, type JsonValue } from '../api/json.ts'

export function goValue(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'interface {}(nil)'
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(goValue).join(', ')}}`
  if (!isJsonObject(value)) return String(value)
  const keys = Object.keys(value).sort()
  return `map[string]interface {}{${keys.map((key) => `${quote(key)}:${goValue(value[key])}`).join(', ')}}`
}

export const goStrings = (texts: readonly string[] | null | undefined): string =>
  texts == null ? '[]string(nil)' : `[]string{${texts.map(quote).join(', ')}}`
