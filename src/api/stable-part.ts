/**
 * Parts of objects that many objects share: frozen, each made once and in one place of one type. What follows from such a
 * part alone is worth remembering, as there will be others that have it.
 */
import type { JsonValue } from './json.ts'

const stable = new WeakSet<object>()

export const isStable = (value: object): boolean => stable.has(value)

/** From here on nobody changes it. */
export function makeStable<T extends object>(value: T): T {
  freeze(value as JsonValue)
  stable.add(value)
  return value
}

function freeze(value: JsonValue | undefined): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const item of Object.values(value)) freeze(item)
}

/** A function of one part: what it makes of a stable one is stable, and made once. */
export function overStable<In extends object, Out extends object>(make: (part: In) => Out): (part: In) => Out {
  const made = new WeakMap<In, Out>()
  return (part) => {
    if (!stable.has(part)) return make(part)
    const known = made.get(part)
    if (known !== undefined) return known
    const result = makeStable(make(part))
    made.set(part, result)
    return result
  }
}
