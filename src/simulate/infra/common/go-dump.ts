/**
 * The text that the reference hashes to order ports and subsets: a Go value in full, with its types and without
 * addresses. Mirrors k8s.io/apimachinery/pkg/util/dump: ForHash.
 */
import { createHash } from 'node:crypto'

/** A Go value: what `dumped` makes of it stands for itself within another. */
export const dumpStruct = (type: string, fields: readonly (readonly [name: string, value: string])[]): string =>
  `(${type})${structBody(fields)}`

/** A pointer to a struct: none is `<nil>`. */
export const goStructPointer = (
  type: string,
  fields: readonly (readonly [name: string, value: string])[] | undefined,
): string => `(*${type})${fields === undefined ? '<nil>' : structBody(fields)}`

export const goScalar = (type: string, value: string | number): string => `(${type})${value}`

export const dumpPointer = (type: string, value: string | number | undefined): string => `(*${type})${value ?? '<nil>'}`

export const goSlice = (type: string, items: readonly string[] | undefined): string =>
  `([]${type})${items === undefined ? '<nil>' : `[${items.join(' ')}]`}`

const structBody = (fields: readonly (readonly [name: string, value: string])[]): string =>
  `{${fields.map(([name, value]) => `${name}:${value}`).join(' ')}}`

/** In hexadecimal; the reference compares the bytes, which has the same order. */
const goHash = (text: string): string => createHash('md5').update(text).digest('hex')

/** A copy in the order of the hashes of what `dump` writes of each. */
export function sortedByHash<T>(items: readonly T[], dump: (item: T) => string): T[] {
  const hashed = items.map((item) => ({ item, hash: goHash(dump(item)) }))
  return hashed.sort((a, b) => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0)).map(({ item }) => item)
}
