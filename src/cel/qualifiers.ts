/** Chains of selections and indices: `a.b[c].?d`. Each step costs one; through an optional, only what is there does. */
import { type Evaluate, ProgramError } from './compiled.ts'
import type { Evaluation } from './evaluation.ts'
import { find, isContainer, isPresent, noSuchKey, qualify } from './qualify.ts'
import type { Value } from './values.ts'
import { ArrayList, CelError, EntryMap, Optional } from './values.ts'

export interface Qualifier {
  readonly key: Value | Evaluate
  readonly optional: boolean
  /** Only whether it is there. */
  readonly test: boolean
  /** Testing for a key of what is no container is an error. */
  readonly strict: boolean
}

/** The Go types of values that are no keys. */
const goTypes: Readonly<Record<string, string>> = {
  null: 'types.Null',
  bytes: 'types.Bytes',
  timestamp: 'types.Timestamp',
  duration: 'types.Duration',
  list: '[]interface {}',
  map: 'map[string]interface {}',
}

/** Why nothing can be looked up by the value; undefined for one by which something can. */
function keyProblem(key: Value): string | undefined {
  const type = goTypes[key === null ? 'null' : typeof key === 'object' ? key.kind : '']
  if (type === undefined) return undefined
  const literal = key instanceof ArrayList ? '*types.baseList' : key instanceof EntryMap ? '*types.baseMap' : type
  return `invalid qualifier type: ${literal}`
}

function keyOf(e: Evaluation, key: Value | Evaluate): Value {
  if (typeof key !== 'function') return key
  const value = key(e)
  const problem = keyProblem(value)
  return problem === undefined ? value : new CelError(problem)
}

export const presence = (value: Value): Value => (value instanceof Optional ? value.value !== undefined : value)

export function refunded(e: Evaluation, value: Value): Value {
  e.cost--
  return value
}

export function applyQualifiers(read: Evaluate, qualifiers: readonly Qualifier[]): Evaluate {
  for (const { key } of qualifiers) {
    const problem = typeof key === 'function' ? undefined : keyProblem(key)
    if (problem !== undefined) throw new ProgramError(problem)
  }
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
  const actual = keyOf(e, key)
  e.cost++
  if (actual instanceof CelError) return actual
  if (test && strict && !isContainer(object)) return noSuchKey(actual)
  return test ? isPresent(object, actual as string) : qualify(object, actual)
}

/** Undefined where nothing is there; only what is there is charged for. */
function qualifyIfPresent(e: Evaluation, object: Value, { key, strict }: Qualifier): Value | undefined {
  const actual = keyOf(e, key)
  if (actual instanceof CelError) return actual
  if (typeof object === 'object' && object !== null && object.kind === 'map' && object.isSet) {
    const set = object.isSet(actual as string)
    if (set !== true) return set === false ? undefined : set
  }
  const found = find(object, actual)
  if (found !== undefined && !(found instanceof CelError)) e.cost++
  return found === undefined && strict && !isContainer(object) ? noSuchKey(actual) : found
}
