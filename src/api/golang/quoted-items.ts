/**
 * How much of a value a message quotes. The reference quotes all of it; beyond what people read, and answers have room for, it
 * only takes time.
 */
import { type JsonObject, type JsonValue, setKey } from '../json.ts'
import { sortedKeysOf } from '../key-lists.ts'
import { isHeavy } from '../large-values.ts'
import { goJson } from './json-text.ts'

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

/** The value as JSON, of large lists and maps those members that are shown. */
export const quotedJson = (value: JsonValue): string => goJson(isHeavy(value) ? shownPart(value) : value)

function shownPart(value: JsonValue): JsonValue {
  if (!isHeavy(value)) return value
  if (Array.isArray(value)) return firstItems(value).map(shownPart)
  const part: JsonObject = {}
  for (const key of firstItems(sortedKeysOf(value))) setKey(part, key, shownPart(value[key] ?? null))
  return part
}
