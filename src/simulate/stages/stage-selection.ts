/**
 * Which stage an object is in: the stages that match it, the draw among them, and the delay before it is played. Mirrors
 * sigs.k8s.io/kwok/pkg/utils/lifecycle.
 */
import type { JsonValue } from '../../api/json.ts'
import type { KubeObject, StringMap } from '../../api/object.ts'
import { type Stage, type StageRequirement, type StageStep, stepsOf } from './stage.ts'
import {
  celExpression,
  durationIn,
  expressionFrom,
  jqExpression,
  StageError,
  type StageExpression,
  wholeNumberIn,
} from './stage-expression.ts'
import { compileTemplate } from './template/template-execute.ts'

export interface CompiledStage {
  readonly name: string
  readonly steps: readonly StageStep[]
  readonly isImmediate: boolean
  matches(object: KubeObject, now: number): boolean
  /** Undefined: its expression gives no number. */
  weight(object: KubeObject, now: number): number | undefined
  delayMs(object: KubeObject, now: number, random: () => number): number
}

type Test = (object: KubeObject, now: number) => boolean

/** Undefined: without a selector it matches nothing. Throws a `StageError` or a `TemplateError`. */
export function compileStage({ metadata, spec }: Stage): CompiledStage | undefined {
  const { selector, weight = 0, immediateNextStage = false } = spec
  if (selector === undefined) return undefined
  const tests: Test[] = [
    ...labelTests(selector.matchLabels, ({ metadata: { labels } }) => labels),
    ...labelTests(selector.matchAnnotations, ({ metadata: { annotations } }) => annotations),
    ...(selector.matchExpressions ?? []).map(requirementTest),
  ]
  const steps = stepsOf(spec)
  for (const { patch, apply } of steps) compileTemplate((patch ?? apply)?.template ?? '')
  const weightFrom = expressionFrom(spec.weightFrom)
  return {
    name: metadata.name ?? '',
    steps,
    isImmediate: immediateNextStage,
    matches: (object, now) => tests.every((test) => test(object, now)),
    weight: (object, now) => (weightFrom === undefined ? weight : wholeNumberIn(weightFrom(object, now))),
    delayMs: delayOf(spec.delay),
  }
}

function labelTests(wanted: StringMap | undefined, of: (object: KubeObject) => StringMap | undefined): Test[] {
  return Object.entries(wanted ?? {}).map(
    ([key, value]): Test =>
      (object) =>
        of(object)?.[key] === value,
  )
}

function requirementTest(requirement: StageRequirement): Test {
  const { cel, jq } = requirement
  if (cel?.expression !== undefined) {
    const expression = celExpression(cel.expression)
    return (object, now) => expression(object, now)[0] === true
  }
  const { key, operator = '', values = [] } = jq ?? requirement
  if (key === undefined) throw new StageError('an expression needs a key, jq or cel')
  const expression = jqExpression(key)
  const holds = operatorTest(operator, values)
  return (object, now) => holds(expression(object, now))
}

function operatorTest(operator: string, wanted: readonly string[]): (values: readonly JsonValue[]) => boolean {
  const isWanted = (value: JsonValue): boolean =>
    (typeof value === 'string' || typeof value === 'boolean' || Number.isInteger(value)) &&
    wanted.includes(String(value))
  const exists = (values: readonly JsonValue[]): boolean => values.some((value) => value !== null)
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (wanted.length === 0) throw new StageError(`the operator ${operator} needs values`)
      return operator === 'In' ? (values) => values.some(isWanted) : (values) => !values.some(isWanted)
    case 'Exists':
    case 'DoesNotExist':
      if (wanted.length > 0) throw new StageError(`the operator ${operator} takes no values`)
      return operator === 'Exists' ? exists : (values) => !exists(values)
    default:
      throw new StageError(
        `the operator ${JSON.stringify(operator)} is not known; known are In, NotIn, Exists, DoesNotExist`,
      )
  }
}

function delayOf(delay: Stage['spec']['delay']): CompiledStage['delayMs'] {
  if (delay === undefined) return () => 0
  const { durationMilliseconds = 0, jitterDurationMilliseconds } = delay
  const from = expressionFrom(delay.durationFrom)
  const jitterFrom = expressionFrom(delay.jitterDurationFrom)
  return (object, now, random) => {
    const duration = durationOf(from, { object, now }) ?? durationMilliseconds
    const jitter = durationOf(jitterFrom, { object, now }) ?? jitterDurationMilliseconds
    if (jitter === undefined) return duration
    return jitter <= duration ? jitter : duration + random() * (jitter - duration)
  }
}

const durationOf = (
  from: StageExpression | undefined,
  { object, now }: { object: KubeObject; now: number },
): number | undefined => (from === undefined ? undefined : durationIn(from(object, now), now))

export interface DrawFacts {
  readonly now: number
  readonly random: () => number
}

/** One of those that match, by weight; those without a weight lose to any that has one. Undefined: none matches. */
export function drawStage(
  stages: readonly CompiledStage[],
  object: KubeObject,
  { now, random }: DrawFacts,
): CompiledStage | undefined {
  const matching = stages.filter((stage) => stage.matches(object, now))
  if (matching.length <= 1) return matching[0]
  const weighed = matching.map((stage) => ({ stage, weight: stage.weight(object, now) }))
  const counted = weighed.filter(({ weight }) => weight !== undefined)
  const total = counted.reduce((sum, { weight = 0 }) => sum + Math.max(weight, 0), 0)
  if (total === 0) {
    const among = counted.length === 0 ? weighed : counted
    return among[Math.floor(random() * among.length)]?.stage
  }
  let left = random() * total
  for (const { stage, weight = 0 } of counted) {
    if (weight <= 0) continue
    left -= weight
    if (left < 0) return stage
  }
  return counted.at(-1)?.stage
}
