/** Lists of texts, alone and by key, as Go's `%#v` shows them. */
import { quote } from './quote.ts'

const items = (list: readonly string[]): string => `{${list.map(quote).join(', ')}}`

export const goStringsLiteral = (list: readonly string[]): string =>
  list.length === 0 ? '[]string(nil)' : `[]string${items(list)}`

/** Keys in order. */
export function goStringMapOfLists(map: ReadonlyMap<string, readonly string[]>): string {
  if (map.size === 0) return 'map[string][]string(nil)'
  const entries = [...map].sort(([a], [b]) => (a < b ? -1 : 1))
  return `map[string][]string{${entries.map(([key, list]) => `${quote(key)}:${goStringsLiteral(list)}`).join(', ')}}`
}
