/**
 * How much of a value a message quotes. The reference quotes all of it; beyond what people read, and answers have room for, it
 * only takes time.
 */
import { type JsonObject, type JsonValue, setKey } from '../json.ts'
import { sortedKeysOf } from '../key-lists.ts'
import { isHeavy } from '../large-values.ts'
import { goJson } from './json-text.ts'
import { maxQuotedText, quote } from './quote.ts'

/** Of a list or map. */
const maxQuotedItems = 1_000

export const firstItems = <T>(items: readonly T[]): readonly T[] =>
  items.length > maxQuotedItems ? items.slice(0, maxQuotedItems) : items

/** The printed items, with `...` for those that are not shown. */
export function quotedItems<T>(items: readonly T[], print: (item: T) => string): string {
  const shown = firstItems(items).map((item) => print(item))
  if (shown.length < items.length) shown.push('...')
  return shown.join(', ')
}

/** A text in quotes, of a long one how it begins. */
export const quotedText = (text: string): string =>
  text.length > maxQuotedText ? `${quote(text.slice(0, maxQuotedText))}...` : quote(text)

/** The same without quotes. */
export const shownText = (text: string, most = maxQuotedText): string =>
  text.length > most ? `${text.slice(0, most)}...` : text

/** The same in JSON, as later releases show it. */
export const quotedJsonText = (text: string): string =>
  text.length > maxQuotedText ? `${goJson(text.slice(0, maxQuotedText))}...` : goJson(text)

/** The value as JSON, of large lists and maps those members that are shown. */
export const quotedJson = (value: JsonValue): string => goJson(isHeavy(value) ? shownPart(value) : value)

function shownPart(value: JsonValue): JsonValue {
  if (!isHeavy(value)) return value
  if (Array.isArray(value)) return firstItems(value).map(shownPart)
  const part: JsonObject = {}
  for (const key of firstItems(sortedKeysOf(value))) setKey(part, key, shownPart(value[key] ?? null))
  return part
}
