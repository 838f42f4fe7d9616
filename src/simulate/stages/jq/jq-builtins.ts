/** The functions of jq that filters may call. A name that is not here is refused when the filter runs. */
import { isJsonObject, type JsonObject, type JsonValue, setKey } from '../../../api/json.ts'
import { pushAll } from '../../../lib/push-all.ts'
import { JqError, JqLimitError } from './jq-error.ts'
import { items, type JqScope, type JqStream } from './jq-operations.ts'
import type { JqNode } from './jq-parser.ts'
import { arrayOf, entries, fromEntries, plainFunctions } from './jq-value-functions.ts'
import { compareJq, isTrue, numberOf, textOf } from './jq-values.ts'

type Call = Extract<JqNode, { op: 'call' }>

export function* callBuiltin(node: Call, input: JsonValue, scope: JqScope): JqStream {
  const { name, args } = node
  const plain = plainFunctions.get(`${name}/${args.length}`)
  if (plain !== undefined) {
    yield* spread(args, input, scope, (values) => plain(input, values, scope))
    return
  }
  const stream = streamFunctions.get(`${name}/${args.length}`)
  if (stream === undefined) throw new JqError(`the function ${name}/${args.length} is not offered`)
  yield* stream(input, args, scope)
}

export const hasBuiltin = (name: string, arity: number): boolean =>
  plainFunctions.has(`${name}/${arity}`) || streamFunctions.has(`${name}/${arity}`)

/** Calls with every combination of the arguments' values. */
function* spread(
  args: readonly JqNode[],
  input: JsonValue,
  scope: JqScope,
  call: (values: readonly JsonValue[]) => JsonValue,
  given: readonly JsonValue[] = [],
): JqStream {
  const [first, ...rest] = args
  if (first === undefined) {
    yield call(given)
    return
  }
  for (const value of scope.evaluate(first, input, scope)) yield* spread(rest, input, scope, call, [...given, value])
}

type Stream = (input: JsonValue, args: readonly JqNode[], scope: JqScope) => JqStream
const none: JqNode = { op: 'identity' }

/** The values of an array with what a filter makes of each, in the order of that. */
function keyed(input: JsonValue, filter: JqNode, scope: JqScope): { value: JsonValue; key: JsonValue }[] {
  return arrayOf(input, 'sort_by')
    .map((value) => ({ value, key: [...scope.evaluate(filter, value, scope)] as JsonValue }))
    .sort((a, b) => compareJq(a.key, b.key))
}

function grouped(input: JsonValue, filter: JqNode, scope: JqScope): JsonValue[][] {
  const groups: { key: JsonValue; values: JsonValue[] }[] = []
  for (const { key, value } of keyed(input, filter, scope)) {
    const last = groups.at(-1)
    if (last !== undefined && compareJq(last.key, key) === 0) last.values.push(value)
    else groups.push({ key, values: [value] })
  }
  return groups.map(({ values }) => values)
}

const streamFunctions: ReadonlyMap<string, Stream> = new Map<string, Stream>([
  ['empty/0', function* () {}],
  [
    'error/0',
    // biome-ignore lint/correctness/useYield: it only fails
    function* (input) {
      throw new JqError(textOf(input))
    },
  ],
  [
    'error/1',
    // biome-ignore lint/correctness/useYield: it only fails
    function* (input, [message = none], scope) {
      for (const value of scope.evaluate(message, input, scope)) throw new JqError(textOf(value))
    },
  ],
  [
    'select/1',
    function* (input, [test = none], scope) {
      for (const value of scope.evaluate(test, input, scope)) if (isTrue(value)) yield input
    },
  ],
  [
    'map/1',
    function* (input, [filter = none], scope) {
      const made: JsonValue[] = []
      for (const each of items(input)) pushAll(made, scope.evaluate(filter, each, scope))
      yield made
    },
  ],
  [
    'map_values/1',
    function* (input, [filter = none], scope) {
      if (Array.isArray(input)) {
        yield input.flatMap((each) => [...scope.evaluate(filter, each, scope)].slice(0, 1))
        return
      }
      const made: JsonObject = {}
      for (const [key, each] of Object.entries(isJsonObject(input) ? input : {})) {
        const [first] = scope.evaluate(filter, each ?? null, scope)
        if (first !== undefined) setKey(made, key, first)
      }
      yield made
    },
  ],
  [
    'with_entries/1',
    function* (input, [filter = none], scope) {
      const made: JsonValue[] = []
      for (const each of items(entries(input))) pushAll(made, scope.evaluate(filter, each, scope))
      yield fromEntries(made)
    },
  ],
  [
    'any/1',
    function* (input, [test = none], scope) {
      yield [...items(input)].some((each) => [...scope.evaluate(test, each, scope)].some(isTrue))
    },
  ],
  [
    'all/1',
    function* (input, [test = none], scope) {
      yield [...items(input)].every((each) => [...scope.evaluate(test, each, scope)].every(isTrue))
    },
  ],
  [
    'first/1',
    function* (input, [filter = none], scope) {
      for (const value of scope.evaluate(filter, input, scope)) {
        yield value
        return
      }
    },
  ],
  [
    'last/1',
    function* (input, [filter = none], scope) {
      const all = [...scope.evaluate(filter, input, scope)]
      if (all.length > 0) yield all.at(-1) as JsonValue
    },
  ],
  [
    'limit/2',
    function* (input, [count = none, filter = none], scope) {
      for (const value of scope.evaluate(count, input, scope)) {
        let left = numberOf(value, 'limit')
        if (left <= 0) continue
        for (const each of scope.evaluate(filter, input, scope)) {
          yield each
          if (--left <= 0) break
        }
      }
    },
  ],
  [
    'isempty/1',
    function* (input, [filter = none], scope) {
      yield scope.evaluate(filter, input, scope).next().done === true
    },
  ],
  [
    'range/1',
    function* (input, [end = none], scope) {
      for (const to of scope.evaluate(end, input, scope)) yield* range(0, numberOf(to, 'range'), scope)
    },
  ],
  [
    'range/2',
    function* (input, [begin = none, end = none], scope) {
      for (const from of scope.evaluate(begin, input, scope)) {
        for (const to of scope.evaluate(end, input, scope))
          yield* range(numberOf(from, 'range'), numberOf(to, 'range'), scope)
      }
    },
  ],
  [
    'values/0',
    function* (input) {
      if (input !== null) yield input
    },
  ],
  [
    'nulls/0',
    function* (input) {
      if (input === null) yield input
    },
  ],
  [
    'strings/0',
    function* (input) {
      if (typeof input === 'string') yield input
    },
  ],
  [
    'numbers/0',
    function* (input) {
      if (typeof input === 'number') yield input
    },
  ],
  [
    'booleans/0',
    function* (input) {
      if (typeof input === 'boolean') yield input
    },
  ],
  [
    'arrays/0',
    function* (input) {
      if (Array.isArray(input)) yield input
    },
  ],
  [
    'objects/0',
    function* (input) {
      if (isJsonObject(input)) yield input
    },
  ],
  [
    'scalars/0',
    function* (input) {
      if (!Array.isArray(input) && !isJsonObject(input)) yield input
    },
  ],
  ['recurse/0', (input, _, scope) => scope.evaluate({ op: 'recurse' }, input, scope)],
  [
    'sort_by/1',
    function* (input, [filter = none], scope) {
      yield keyed(input, filter, scope).map(({ value }) => value)
    },
  ],
  [
    'group_by/1',
    function* (input, [filter = none], scope) {
      yield grouped(input, filter, scope)
    },
  ],
  [
    'unique_by/1',
    function* (input, [filter = none], scope) {
      yield grouped(input, filter, scope).map(([first = null]) => first)
    },
  ],
  [
    'min_by/1',
    function* (input, [filter = none], scope) {
      yield keyed(input, filter, scope)[0]?.value ?? null
    },
  ],
  [
    'max_by/1',
    function* (input, [filter = none], scope) {
      yield keyed(input, filter, scope).at(-1)?.value ?? null
    },
  ],
])

function* range(from: number, to: number, scope: JqScope): JqStream {
  for (let i = from; i < to; i++) {
    if (--scope.budget.steps < 0) throw new JqLimitError('a range is too long')
    yield i
  }
}
