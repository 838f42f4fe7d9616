/** What filters do with values, and what runs them. */
import { isJsonObject, type JsonObject, type JsonValue, setKey } from '../../../api/json.ts'
import { JqError, JqLimitError } from './jq-error.ts'
import type { JqNode } from './jq-parser.ts'
import { jqTypeOf, own, shortened } from './jq-values.ts'

export const maxTextLength: number = 1 << 20

export type JqStream = Generator<JsonValue, void, undefined>

export interface JqScope {
  readonly variables: ReadonlyMap<string, JsonValue>
  /** The values that an expression gives of its input. */
  readonly evaluate: (node: JqNode, input: JsonValue, scope: JqScope) => JqStream
  readonly budget: { steps: number }
  /** Milliseconds since 1970. */
  readonly now: number
}

export function* items(value: JsonValue): JqStream {
  if (Array.isArray(value)) yield* value
  else if (isJsonObject(value)) for (const key of Object.keys(value)) yield own(value, key)
  else throw new JqError(`cannot iterate over ${jqTypeOf(value)}${value === null ? '' : ` (${shortened(value)})`}`)
}

export function index(target: JsonValue, name: JsonValue): JsonValue {
  if (target === null && (typeof name === 'string' || typeof name === 'number' || name === null)) return null
  if (typeof name === 'string' && isJsonObject(target)) return own(target, name)
  if (typeof name === 'number' && Array.isArray(target)) return target.at(Math.floor(name)) ?? null
  const what = typeof name === 'string' ? JSON.stringify(name) : jqTypeOf(name)
  throw new JqError(`cannot index ${jqTypeOf(target)} with ${what}`)
}

export function addJq(a: JsonValue, b: JsonValue): JsonValue {
  if (a === null) return b
  if (b === null) return a
  if (typeof a === 'string' && typeof b === 'string') {
    if (a.length + b.length > maxTextLength) throw new JqLimitError('a text became too long')
    return a + b
  }
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b]
  if (isJsonObject(a) && isJsonObject(b)) {
    const sum: JsonObject = {}
    for (const each of [a, b]) for (const [key, value] of Object.entries(each)) setKey(sum, key, value)
    return sum
  }
  if (jqTypeOf(a) !== 'number' || jqTypeOf(b) !== 'number') {
    throw new JqError(`${jqTypeOf(a)} (${shortened(a)}) and ${jqTypeOf(b)} (${shortened(b)}) cannot be added`)
  }
  return Number(a) + Number(b)
}
