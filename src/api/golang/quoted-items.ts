/**
 * How much of a value a message quotes. The reference quotes all of it; beyond what people read, and answers have room for, it
 * only takes time.
 */

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
