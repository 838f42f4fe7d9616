/**
 * Expressions of KWOK's usages, in CEL: `pod`, `node` and `container`, and its functions. Quantities and seconds are
 * numbers, so that one can reckon with them.
 */
import type { JsonObject, JsonValue } from '../../../api/json.ts'
import { isJsonObject } from '../../../api/json.ts'
import { Quantity } from '../../../api/quantity.ts'
import { type Environment, storedExpressions, typedVariable } from '../../../cel/environment.ts'
import { declareFunction } from '../../../cel/functions.ts'
import { toJson } from '../../../cel/json-values.ts'
import type { Library } from '../../../cel/library/library.ts'
import { ANY, DOUBLE, STRING, TIMESTAMP } from '../../../cel/types.ts'
import { CelError, Double, Timestamp } from '../../../cel/values.ts'

/** What an expression is about. */
export interface UsageSubject {
  readonly pod: JsonObject
  readonly node: JsonObject
  readonly container: JsonObject
  /** When the container began. */
  readonly startedAt: number
  readonly now: number
  /** Between 0 and 1. */
  random(): number
}

export type UsageExpression = (subject: UsageSubject) => number

export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Evaluation is synchronous: the subject of the one that is under way. */
let subject: UsageSubject | undefined

function current(): UsageSubject {
  if (subject === undefined) throw new UsageError('nothing is evaluated')
  return subject
}

function sinceSeconds(of: JsonValue): Double {
  const { now, startedAt } = current()
  const metadata = isJsonObject(of) ? of['metadata'] : undefined
  const created = isJsonObject(metadata) ? metadata['creationTimestamp'] : undefined
  const since = typeof created === 'string' ? Date.parse(created) : startedAt
  return new Double(Math.max(0, (now - since) / 1000))
}

const secondsOf = ({ seconds, nanos }: Timestamp): Double => new Double(seconds + nanos / 1e9)

const timestampOf = (ms: number): Timestamp => new Timestamp(Math.floor(ms / 1000), Math.floor(ms % 1000) * 1_000_000)

function amountOf(text: string): Double | CelError {
  const problem = Quantity.check(text)
  return problem === undefined ? new Double(Quantity.parse(text).asApproximateFloat()) : new CelError(problem)
}

const library: Library = {
  functions: [
    declareFunction('Now', {
      overloads: [['kwok_now', [], TIMESTAMP, () => timestampOf(current().now)]],
    }),
    declareFunction('Rand', { overloads: [['kwok_rand', [], DOUBLE, () => new Double(current().random())]] }),
    declareFunction('Quantity', {
      overloads: [['kwok_quantity', [STRING], DOUBLE, (text) => amountOf(text as string)]],
    }),
    declareFunction('UnixSecond', {
      overloads: [['kwok_unix_second', [TIMESTAMP], DOUBLE, (time) => secondsOf(time as Timestamp)]],
    }),
    declareFunction('SinceSecond', {
      overloads: [['kwok_since_second', [ANY], DOUBLE, (of) => sinceSeconds(toJson(of))]],
      members: [['kwok_since_second_member', [ANY], DOUBLE, (of) => sinceSeconds(toJson(of))]],
    }),
  ],
}

let environment: Environment | undefined

function usageEnvironment(): Environment {
  const names = ['pod', 'node', 'container']
  const variables = new Map(names.map((name) => [name, typedVariable(ANY)]))
  environment ??= storedExpressions().extend({ variables, libraries: [library] })
  return environment
}

/** Throws a `UsageError`, as does what it returns. */
export function usageExpression(source: string): UsageExpression {
  const compiled = usageEnvironment().compile(source)
  if (!compiled.ok) throw new UsageError(compiled.message)
  return (about) => {
    subject = about
    try {
      const { pod, node, container } = about
      const result = compiled.program.evaluate({ pod, node, container })
      if (result.kind !== 'value') throw new UsageError(result.kind === 'error' ? result.message : 'it has no value')
      const value = Number(toJson(result.value))
      if (!Number.isFinite(value)) throw new UsageError('it is no number')
      return Math.max(0, value)
    } finally {
      subject = undefined
    }
  }
}
