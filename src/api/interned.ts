/**
 * Interned values: deeply frozen parts that many objects share by reference. Whatever is a pure function of such a part is memoized
 * with it (`memoizeInterned`).
 */
import type { JsonValue } from './json.ts'

const interned = new WeakSet<object>()

export const isInterned = (value: object): boolean => interned.has(value)

/** Freezes it deeply. */
export function markInterned<T extends object>(value: T): T {
  freeze(value as JsonValue)
  interned.add(value)
  return value
}

function freeze(value: JsonValue | undefined): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const item of Object.values(value)) freeze(item)
}

/** Memoizes a pure function over interned values; its results are interned, too. */
export function memoizeInterned<In extends object, Out extends object>(make: (part: In) => Out): (part: In) => Out {
  const made = new WeakMap<In, Out>()
  return (part) => {
    if (!interned.has(part)) return make(part)
    const known = made.get(part)
    if (known !== undefined) return known
    const result = markInterned(make(part))
    made.set(part, result)
    return result
  }
}
