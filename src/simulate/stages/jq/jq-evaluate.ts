/** Runs a filter of jq: every expression gives any number of values, one after the other, within a bound of steps. */
import { isJsonObject, type JsonObject, type JsonValue, setKey } from '../../../api/json.ts'
import { callBuiltin, hasBuiltin } from './jq-builtins.ts'
import { JqError, JqLimitError } from './jq-error.ts'
import { checkNames } from './jq-names.ts'
import { addJq, index, items, type JqScope, type JqStream, maxTextLength } from './jq-operations.ts'
import type { JqNode } from './jq-parser.ts'
import { parseJq } from './jq-parser.ts'
import { compareJq, isTrue, jqJson, jqTypeOf, numberOf, textOf } from './jq-values.ts'

export interface JqFilter {
  /** All values that the filter gives. Throws a `JqError`. */
  run(input: JsonValue, now: number): JsonValue[]
}

const maxSteps = 50_000

/** Throws a `JqError` for what is no filter, or beyond what is offered. */
export function compileJq(source: string): JqFilter {
  const node = parseJq(source)
  checkNames(node, hasBuiltin)
  return {
    run(input, now) {
      const scope = { variables: new Map<string, JsonValue>(), evaluate, budget: { steps: maxSteps }, now }
      return [...evaluate(node, input, scope)]
    },
  }
}

function* evaluate(node: JqNode, input: JsonValue, scope: JqScope): JqStream {
  if (--scope.budget.steps < 0) throw new JqLimitError(`a filter takes at most ${maxSteps} steps`)
  switch (node.op) {
    case 'identity':
      yield input
      return
    case 'recurse':
      yield* recurse(input, scope)
      return
    case 'empty-array':
      yield []
      return
    case 'literal':
      yield node.value
      return
    case 'field':
      for (const target of evaluate(node.target, input, scope)) {
        for (const name of evaluate(node.name, input, scope)) yield index(target, name)
      }
      return
    case 'slice':
      yield* slice(node, input, scope)
      return
    case 'iterate':
      for (const target of evaluate(node.target, input, scope)) yield* items(target)
      return
    case 'array':
      yield [...evaluate(node.target, input, scope)]
      return
    case 'negate':
      for (const value of evaluate(node.target, input, scope)) yield -numberOf(value, 'negation')
      return
    case 'try':
      yield* attempt(node.target, input, scope)
      return
    case 'try-catch':
      yield* attempt(node.target, input, scope, node.handler)
      return
    case 'text':
      yield* interpolate(node, input, scope)
      return
    case 'object':
      yield* construct(node.entries, input, scope)
      return
    case 'binary':
      yield* binary(node, input, scope)
      return
    case 'if':
      for (const test of evaluate(node.test, input, scope))
        yield* evaluate(isTrue(test) ? node.yes : node.no, input, scope)
      return
    case 'variable':
      yield variableOf(node.name, scope)
      return
    case 'bind':
      for (const value of evaluate(node.source, input, scope))
        yield* evaluate(node.body, input, bound(scope, node.name, value))
      return
    case 'reduce':
    case 'foreach':
      yield* fold(node, input, scope)
      return
    case 'call':
      yield* callBuiltin(node, input, scope)
  }
}

const bound = (scope: JqScope, name: string, value: JsonValue): JqScope => ({
  ...scope,
  variables: new Map([...scope.variables, [name, value]]),
})

function variableOf(name: string, { variables }: JqScope): JsonValue {
  const value = variables.get(name)
  if (value === undefined) throw new JqError(`$${name} is not defined`)
  return value
}

function* recurse(value: JsonValue, scope: JqScope): JqStream {
  if (--scope.budget.steps < 0) throw new JqLimitError(`a filter takes at most ${maxSteps} steps`)
  yield value
  if (Array.isArray(value) || isJsonObject(value)) for (const each of items(value)) yield* recurse(each, scope)
}

function* slice(node: Extract<JqNode, { op: 'slice' }>, input: JsonValue, scope: JqScope): JqStream {
  const bounds = (each: JqNode | undefined): JsonValue[] =>
    each === undefined ? [null] : [...evaluate(each, input, scope)]
  for (const target of evaluate(node.target, input, scope)) {
    for (const to of bounds(node.to)) {
      for (const from of bounds(node.from)) {
        const [first, last] = [from, to].map((each) => (each === null ? undefined : numberOf(each, 'slice')))
        if (target === null) yield null
        else if (typeof target === 'string') yield [...target].slice(first, last).join('')
        else if (Array.isArray(target)) yield target.slice(first, last)
        else throw new JqError(`cannot slice ${jqTypeOf(target)}`)
      }
    }
  }
}

function* attempt(target: JqNode, input: JsonValue, scope: JqScope, handler?: JqNode): JqStream {
  let message: string
  try {
    yield* evaluate(target, input, scope)
    return
  } catch (error) {
    if (!(error instanceof JqError)) throw error
    message = error.message
  }
  if (handler !== undefined) yield* evaluate(handler, message, scope)
}

function* construct(entries: readonly (readonly [JqNode, JqNode])[], input: JsonValue, scope: JqScope): JqStream {
  const [entry, ...rest] = entries
  if (entry === undefined) {
    yield {}
    return
  }
  for (const key of evaluate(entry[0], input, scope)) {
    if (typeof key !== 'string') throw new JqError('keys of objects must be strings')
    for (const value of evaluate(entry[1], input, scope)) {
      for (const more of construct(rest, input, scope)) {
        const made: JsonObject = {}
        setKey(made, key, value)
        for (const [name, each] of Object.entries(more as JsonObject)) setKey(made, name, each)
        yield made
      }
    }
  }
}

function* fold(node: Extract<JqNode, { op: 'reduce' | 'foreach' }>, input: JsonValue, scope: JqScope): JqStream {
  for (const init of evaluate(node.init, input, scope)) {
    let state: JsonValue = init
    for (const value of evaluate(node.source, input, scope)) {
      const inner = bound(scope, node.name, value)
      let last: JsonValue = null
      for (const next of evaluate(node.update, state, inner)) {
        last = next
        if (node.op === 'foreach') yield* node.extract === undefined ? [next] : evaluate(node.extract, next, inner)
      }
      state = last
    }
    if (node.op === 'reduce') yield state
  }
}

function* interpolate(node: Extract<JqNode, { op: 'text' }>, input: JsonValue, scope: JqScope): JqStream {
  let text = ''
  for (const part of node.parts) {
    if (typeof part === 'string') text += part
    else for (const value of evaluate(part, input, scope)) text += formatted(node.format, value)
    if (text.length > maxTextLength) throw new JqLimitError('a text became too long')
  }
  yield text
}

function formatted(format: string, value: JsonValue): string {
  switch (format) {
    case 'text':
      return textOf(value)
    case 'json':
      return jqJson(value)
    case 'base64':
      return Buffer.from(textOf(value)).toString('base64')
    case 'base64d':
      return Buffer.from(textOf(value), 'base64').toString('utf8')
    case 'uri':
      return encodeURIComponent(textOf(value))
    default:
      throw new JqError(`the format @${format} is not offered`)
  }
}

function* binary(node: Extract<JqNode, { op: 'binary' }>, input: JsonValue, scope: JqScope): JqStream {
  const { operator, left, right } = node
  switch (operator) {
    case '|':
      for (const value of evaluate(left, input, scope)) yield* evaluate(right, value, scope)
      return
    case ',':
      yield* evaluate(left, input, scope)
      yield* evaluate(right, input, scope)
      return
    case '//': {
      let isFound = false
      for (const value of attempt(left, input, scope)) {
        if (!isTrue(value)) continue
        isFound = true
        yield value
      }
      if (!isFound) yield* evaluate(right, input, scope)
      return
    }
    case 'and':
    case 'or':
      for (const value of evaluate(left, input, scope)) {
        if (isTrue(value) === (operator === 'or')) yield operator === 'or'
        else for (const other of evaluate(right, input, scope)) yield isTrue(other)
      }
      return
    default:
      for (const b of evaluate(right, input, scope)) {
        for (const a of evaluate(left, input, scope)) yield arithmetic(operator, a, b)
      }
  }
}

function arithmetic(operator: string, a: JsonValue, b: JsonValue): JsonValue {
  switch (operator) {
    case '==':
      return compareJq(a, b) === 0
    case '!=':
      return compareJq(a, b) !== 0
    case '<':
      return compareJq(a, b) < 0
    case '<=':
      return compareJq(a, b) <= 0
    case '>':
      return compareJq(a, b) > 0
    case '>=':
      return compareJq(a, b) >= 0
    case '+':
      return addJq(a, b)
    case '-':
      if (Array.isArray(a) && Array.isArray(b))
        return a.filter((each) => !b.some((other) => compareJq(each, other) === 0))
      return numberOf(a, 'subtraction') - numberOf(b, 'subtraction')
    case '*':
      return numberOf(a, 'multiplication') * numberOf(b, 'multiplication')
    case '/':
      if (typeof a === 'string' && typeof b === 'string') return a.split(b)
      return divided(numberOf(a, 'division'), numberOf(b, 'division'))
    default:
      return Math.trunc(
        divided(1, numberOf(b, 'remainder')) * 0 +
          (Math.trunc(numberOf(a, 'remainder')) % Math.trunc(numberOf(b, 'remainder'))),
      )
  }
}

function divided(a: number, b: number): number {
  if (b === 0) throw new JqError('cannot divide by zero')
  return a / b
}
