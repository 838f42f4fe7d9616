/**
 * Interned values: deeply frozen parts that many objects share by reference. Whatever is a pure function of such a part is memoized
 * with it (`memoizeInterned`).
 */
import { deepFreeze, memoize, SideTable } from '../lib/memo.ts'

const interned = new SideTable<object, true>()

export const isInterned = (value: object): boolean => interned.has(value)

/** Freezes it deeply. */
export function markInterned<T extends object>(value: T): T {
  deepFreeze(value)
  interned.set(value, true)
  return value
}

/** Memoizes a pure function over interned values; its results are interned, too. */
export function memoizeInterned<In extends object, Out extends object>(
  name: string,
  make: (part: In) => Out,
): (part: In) => Out {
  const memo = memoize(name, (part: In) => markInterned(make(part)))
  return (part) => (interned.has(part) ? memo(part) : make(part))
}
