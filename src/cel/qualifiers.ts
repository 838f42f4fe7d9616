/** Chains of selections and indices: `a.b[c].?d`. Each step costs one; through an optional, only what is there does. */
import type { Evaluate } from './compiled.ts'
import type { Evaluation } from './evaluation.ts'
import { find, isContainer, isPresent, noSuchKey, qualify } from './qualify.ts'
import type { Value } from './values.ts'
import { CelError, Optional } from './values.ts'

export interface Qualifier {
  readonly key: Value | Evaluate
  readonly optional: boolean
  /** Only whether it is there. */
  readonly test: boolean
  /** Testing for a key of what is no container is an error. */
  readonly strict: boolean
}

export const presence = (value: Value): Value => (value instanceof Optional ? value.value !== undefined : value)

export function refunded(e: Evaluation, value: Value): Value {
  e.cost--
  return value
}

export function applyQualifiers(read: Evaluate, qualifiers: readonly Qualifier[]): Evaluate {
  return (e) => {
    let value = read(e)
    if (value instanceof CelError) return value
    let optional = false
    if (value instanceof Optional) {
      if (value.value === undefined) return value
      value = value.value
      optional = true
    }
    for (const qualifier of qualifiers) {
      optional ||= qualifier.optional
      const next = optional ? qualifyIfPresent(e, value, qualifier) : qualifyOnce(e, value, qualifier)
      if (next === undefined) return Optional.none
      if (next instanceof CelError) return next
      value = next
    }
    return optional ? new Optional(value) : value
  }
}

function qualifyOnce(e: Evaluation, object: Value, { key, test, strict }: Qualifier): Value {
  const actual = typeof key === 'function' ? key(e) : key
  e.cost++
  if (actual instanceof CelError) return actual
  if (test && strict && !isContainer(object)) return noSuchKey(actual)
  return test ? isPresent(object, actual as string) : qualify(object, actual)
}

/** Undefined where nothing is there; only what is there is charged for. */
function qualifyIfPresent(e: Evaluation, object: Value, { key, strict }: Qualifier): Value | undefined {
  const actual = typeof key === 'function' ? key(e) : key
  if (actual instanceof CelError) return actual
  if (typeof object === 'object' && object !== null && object.kind === 'map' && object.isSet) {
    const set = object.isSet(actual as string)
    if (set !== true) return set === false ? undefined : set
  }
  const found = find(object, actual)
  if (found !== undefined && !(found instanceof CelError)) e.cost++
  return found === undefined && strict && !isContainer(object) ? noSuchKey(actual) : found
}
