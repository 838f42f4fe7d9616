/** Expressions of stages, in jq or CEL, compiled once. */

import { parseDuration } from '../../api/duration.ts'
import type { JsonValue } from '../../api/json.ts'
import { type Environment, storedExpressions, typedVariable } from '../../cel/environment.ts'
import { toJson } from '../../cel/json-values.ts'
import { ANY } from '../../cel/types.ts'
import { JqError } from './jq/jq-error.ts'
import { compileJq } from './jq/jq-evaluate.ts'
import type { ExpressionFrom } from './stage.ts'

/** A stage that cannot be used, or failed on an object. */
export class StageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StageError'
  }
}

/** All values that an expression gives of an object. Throws a `StageError`. */
export type StageExpression = (object: JsonValue, now: number) => readonly JsonValue[]

export function jqExpression(source: string): StageExpression {
  const filter = attempt(`jq ${JSON.stringify(source)}`, () => compileJq(source))
  return (object, now) => {
    try {
      return filter.run(object, now)
    } catch (error) {
      // What does not apply to an object, such as the items of a list that it does not have, gives nothing.
      if (error instanceof JqError) return []
      throw new StageError(`jq ${JSON.stringify(source)}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

let environment: Environment | undefined

export function celExpression(source: string): StageExpression {
  environment ??= storedExpressions().extend({ variables: new Map([['self', typedVariable(ANY)]]) })
  const compiled = environment.compile(source)
  if (!compiled.ok) throw new StageError(`cel ${JSON.stringify(source)}: ${compiled.message}`)
  return (object) => {
    const result = compiled.program.evaluate({ self: object })
    if (result.kind === 'value') return [toJson(result.value)]
    const why = result.kind === 'error' ? result.message : 'it asks for what is not here'
    throw new StageError(`cel ${JSON.stringify(source)}: ${why}`)
  }
}

function attempt<T>(what: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw new StageError(`${what}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

export function expressionFrom(from: ExpressionFrom | undefined): StageExpression | undefined {
  if (from === undefined) return undefined
  const { jq, cel, expressionFrom: older } = from
  if (cel?.expression !== undefined && cel.expression !== '') return celExpression(cel.expression)
  const source = jq?.expression ?? older
  return source === undefined || source === '' ? undefined : jqExpression(source)
}

/** Milliseconds from now; undefined: the expression says nothing of use. */
export function durationIn(values: readonly JsonValue[], now: number): number | undefined {
  const [value] = values
  if (typeof value !== 'string' || value === '') return undefined
  const time = Date.parse(value)
  if (/^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(time)) return Math.max(time - now, 0)
  try {
    return Math.max(Number(parseDuration(value)) / 1e6, 0)
  } catch {
    return undefined
  }
}

export function wholeNumberIn(values: readonly JsonValue[]): number | undefined {
  const [value] = values
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) ? number : undefined
}
