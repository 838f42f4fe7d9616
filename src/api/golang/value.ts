/** Decoded JSON as Go prints it: in the reference's messages, where values are not plain. */

import { isJsonObject, type JsonValue } from '../json.ts'
import { jsonText } from '../json-text.ts'
import { sortedKeysOf } from '../key-lists.ts'
import { goFloat } from './float.ts'
import { goJson } from './json-text.ts'
import { GoLiteral } from './literal.ts'
import { quote } from './quote.ts'
import { firstItems, quotedItems, quotedJson } from './quoted-items.ts'

/** `%#v`: `map[string]interface {}{"a":1}`. */
export function goValue(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'interface {}(nil)'
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value)) return `[]interface {}{${quotedItems(value, goValue)}}`
  if (!isJsonObject(value)) return goText(value)
  const keys = sortedKeysOf(value)
  return `map[string]interface {}{${quotedItems(keys, (key) => `${quote(key)}:${goValue(value[key])}`)}}`
}

/** A bad value as field errors show it. */
export const shownValue = (value: JsonValue | undefined): GoLiteral =>
  new GoLiteral(goValue(value ?? 'null'), () => quotedJson(value ?? null))

export const goStrings = (texts: readonly string[] | null | undefined): GoLiteral =>
  texts == null
    ? new GoLiteral('[]string(nil)', 'null')
    : new GoLiteral(`[]string{${quotedItems(texts, quote)}}`, () => goJson([...firstItems(texts)]))

/** `%v`: `map[a:1 b:[x y]]`. */
export function goText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`
  if (typeof value === 'number') return goFloat(value)
  if (!isJsonObject(value)) return String(value)
  const keys = sortedKeysOf(value)
  return `map[${keys.map((key) => `${key}:${goText(value[key])}`).join(' ')}]`
}

/** `%T`. */
export function goType(value: JsonValue): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return '[]interface {}'
  if (typeof value === 'object') return 'map[string]interface {}'
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? 'int64' : 'float64'
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'int64' : 'string'
}

/** Characters of it that are shown: six times as many. */
const maxRawText = 16 * 1024

/** JSON that is kept as it came. */
export function goRawExtension(value: JsonValue | undefined): GoLiteral {
  const text = value === undefined || value === null ? '' : jsonText(value)
  const bytes = [...Buffer.from(text.slice(0, maxRawText))]
  const raw = bytes.length === 0 ? '(nil)' : `{${bytes.map((byte) => `0x${byte.toString(16)}`).join(', ')}}`
  return new GoLiteral(`runtime.RawExtension{Raw:[]uint8${raw}, Object:runtime.Object(nil)}`, () =>
    quotedJson(value ?? null),
  )
}
