/**
 * A map of very many keys is a dictionary to the engine, and to list its keys takes longer than one turn may: for 200,000 of
 * them 60 ms, where looking them all up takes 25. So the keys of such a map are listed once, when it is made, and kept beside it;
 * as all that was decoded, the map does not change any more.
 */
import { checksMemos, SideTable } from '../lib/memo.ts'

type AnyMap = Readonly<Record<string, unknown>>

/** Maps with more keys have them listed beside them. */
const manyKeys = 1_000

const keyLists = new SideTable<AnyMap, readonly string[]>()

/** The own keys of a map in their order; of a large one without asking the engine. */
export function keysOf(map: AnyMap): readonly string[] {
  const listed = keyLists.get(map)
  if (listed === undefined) return Object.keys(map)
  if (checksMemos) verifyKeys(map, listed)
  return listed
}

/** As `Object.entries`. */
export function* entriesOf<T>(map: Readonly<Record<string, T>>): Generator<[key: string, value: T]> {
  for (const key of keysOf(map)) yield [key, map[key] as T]
}

/** The same in the order in which Go prints and writes maps: mostly the one that they have. */
export function sortedKeysOf(map: AnyMap): readonly string[] {
  const keys = keysOf(map)
  return isSorted(keys, compareTexts) ? keys : [...keys].sort()
}

function verifyKeys(map: AnyMap, listed: readonly string[]): void {
  const keys = Object.keys(map)
  if (keys.length === listed.length && keys.every((key, i) => key === listed[i])) return
  throw new Error('a large map was changed after it was made')
}

/** Whether the map is one of those with very many keys. */
export const hasListedKeys = (map: AnyMap): boolean => keyLists.has(map)

/** Lists the keys of a map that has just been made, in their order. */
export function listKeys<T extends AnyMap>(map: T, keys: readonly string[]): T {
  if (keys.length > manyKeys && !keys.some(isIndex)) keyLists.set(map, keys)
  return map
}

/** The engine puts keys that are indexes first. */
export const isIndex = (key: string): boolean => {
  const first = key.charCodeAt(0)
  return first >= 0x30 && first <= 0x39 && /^\d+$/.test(key)
}

/** The order of JavaScript's own sort of texts. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function isSorted<T>(list: readonly T[], compare: (a: T, b: T) => number): boolean {
  for (let i = 1; i < list.length; i++) if (compare(list[i - 1] as T, list[i] as T) > 0) return false
  return true
}
