/** The functions of jq that filters may call. A name that is not here is refused when the filter runs. */
import { isJsonObject, type JsonObject, type JsonValue, setKey } from '../../../api/json.ts'
import { runToEnd } from '../../../lib/in-turns.ts'
import { pushAll } from '../../../lib/push-all.ts'
import { Pattern, patternAtOnce } from '../../../lib/regexp/pattern.ts'
import { JqError, JqLimitError } from './jq-error.ts'
import { add, index, items, type JqScope, type JqStream } from './jq-operations.ts'
import type { JqNode } from './jq-parser.ts'
import { compare, isTrue, jsonText, numberOf, own, sortedKeys, stringOf, textOf, typeOf } from './jq-values.ts'

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

type Plain = (input: JsonValue, args: readonly JsonValue[], scope: JqScope) => JsonValue

const arrayOf = (value: JsonValue, what: string): JsonValue[] => {
  if (Array.isArray(value)) return value
  throw new JqError(`${what}: ${typeOf(value)} is not an array`)
}

function length(value: JsonValue): JsonValue {
  if (value === null) return 0
  if (typeof value === 'string') return [...value].length
  if (Array.isArray(value)) return value.length
  if (isJsonObject(value)) return Object.keys(value).length
  if (typeof value === 'number') return Math.abs(value)
  throw new JqError(`${typeOf(value)} has no length`)
}

function has(value: JsonValue, key: JsonValue): boolean {
  if (isJsonObject(value) && typeof key === 'string') return Object.hasOwn(value, key)
  if (Array.isArray(value) && typeof key === 'number') return key >= 0 && key < value.length
  throw new JqError(`cannot check whether ${typeOf(value)} has a ${typeOf(key)} key`)
}

function contains(a: JsonValue, b: JsonValue): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a.includes(b)
  if (Array.isArray(a) && Array.isArray(b))
    return b.every((each) => a.some((other) => sameType(other, each) && contains(other, each)))
  if (isJsonObject(a) && isJsonObject(b)) {
    return Object.keys(b).every((key) => Object.hasOwn(a, key) && contains(own(a, key), own(b, key)))
  }
  return compare(a, b) === 0
}

const sameType = (a: JsonValue, b: JsonValue): boolean => typeOf(a) === typeOf(b)

function entries(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) throw new JqError(`${typeOf(value)} has no entries`)
  return Object.keys(value).map((key) => ({ key, value: own(value, key) }))
}

function fromEntries(value: JsonValue): JsonValue {
  const made: JsonObject = {}
  for (const entry of arrayOf(value, 'from_entries')) {
    if (!isJsonObject(entry)) throw new JqError('from_entries: an entry is an object')
    const key = ['key', 'k', 'name', 'Name', 'Key', 'K'].map((name) => own(entry, name)).find((each) => each !== null)
    const found = ['value', 'v', 'Value', 'V'].map((name) => own(entry, name)).find((each) => each !== null)
    setKey(made, typeof key === 'string' ? key : jsonText(key ?? null), found ?? null)
  }
  return made
}

function toNumber(value: JsonValue): JsonValue {
  if (typeOf(value) === 'number') return value
  const text = stringOf(value, 'tonumber').trim()
  const number = Number(text)
  if (text === '' || Number.isNaN(number)) throw new JqError(`cannot parse ${JSON.stringify(text)} as a number`)
  return number
}

function fromJson(value: JsonValue): JsonValue {
  try {
    return JSON.parse(stringOf(value, 'fromjson')) as JsonValue
  } catch {
    throw new JqError('fromjson: this is no JSON')
  }
}

function test(value: JsonValue, pattern: JsonValue, flags: JsonValue): boolean {
  const prefix = textOf(flags ?? '').includes('i') ? '(?i)' : ''
  const compiled = patternAtOnce(`${prefix}${stringOf(pattern, 'test')}`)
  if (!(compiled instanceof Pattern)) throw new JqError(`test: ${compiled.message}`)
  return runToEnd(compiled.test(stringOf(value, 'test')))
}

function fromDate(value: JsonValue): JsonValue {
  const millis = Date.parse(stringOf(value, 'fromdate'))
  if (Number.isNaN(millis)) throw new JqError(`fromdate: ${textOf(value)} is no date`)
  return Math.floor(millis / 1000)
}

const toDate = (value: JsonValue): JsonValue =>
  `${new Date(Math.floor(numberOf(value, 'todate')) * 1000).toISOString().slice(0, 19)}Z`

function getPath(value: JsonValue, path: JsonValue): JsonValue {
  let found = value
  for (const name of arrayOf(path, 'getpath')) found = found === null ? null : index(found, name)
  return found
}

function sorted(values: JsonValue): JsonValue[] {
  return [...arrayOf(values, 'sort')].sort(compare)
}

const unique = (values: readonly JsonValue[]): JsonValue[] =>
  values.filter((value, i) => i === 0 || compare(values[i - 1] as JsonValue, value) !== 0)

function joined(value: JsonValue, separator: JsonValue): JsonValue {
  return arrayOf(value, 'join')
    .map((each) => (each === null ? '' : textOf(each)))
    .join(stringOf(separator, 'join'))
}

function flattened(value: JsonValue, depth: number): JsonValue[] {
  return arrayOf(value, 'flatten').flatMap((each) =>
    Array.isArray(each) && depth > 0 ? flattened(each, depth - 1) : [each],
  )
}

const text =
  (change: (text: string) => JsonValue): Plain =>
  (input) =>
    change(stringOf(input, 'text'))

const plainFunctions: ReadonlyMap<string, Plain> = new Map<string, Plain>([
  ['not/0', (input) => !isTrue(input)],
  ['length/0', length],
  ['utf8bytelength/0', text((value) => Buffer.byteLength(value))],
  ['type/0', (input) => typeOf(input)],
  ['keys/0', (input) => keys(input)],
  ['keys_unsorted/0', (input) => (isJsonObject(input) ? Object.keys(input) : keys(input))],
  ['values/1', (_, [value = null]) => value],
  ['has/1', (input, [key = null]) => has(input, key)],
  ['in/1', (input, [object = null]) => has(object, input)],
  ['contains/1', (input, [part = null]) => contains(input, part)],
  ['inside/1', (input, [whole = null]) => contains(whole, input)],
  ['add/0', (input) => [...items(input)].reduce<JsonValue>(add, null)],
  ['any/0', (input) => arrayOf(input, 'any').some(isTrue)],
  ['all/0', (input) => arrayOf(input, 'all').every(isTrue)],
  ['tostring/0', (input) => textOf(input)],
  ['tonumber/0', toNumber],
  ['tojson/0', (input) => jsonText(input)],
  ['fromjson/0', fromJson],
  ['test/1', (input, [pattern = null]) => test(input, pattern, '')],
  ['test/2', (input, [pattern = null, flags = null]) => test(input, pattern, flags)],
  ['startswith/1', (input, [part = null]) => stringOf(input, 'startswith').startsWith(stringOf(part, 'startswith'))],
  ['endswith/1', (input, [part = null]) => stringOf(input, 'endswith').endsWith(stringOf(part, 'endswith'))],
  ['ltrimstr/1', (input, [part]) => trimmed(input, part, 'left')],
  ['rtrimstr/1', (input, [part]) => trimmed(input, part, 'right')],
  ['ascii_downcase/0', text((value) => value.replace(/[A-Z]/g, (each) => each.toLowerCase()))],
  ['ascii_upcase/0', text((value) => value.replace(/[a-z]/g, (each) => each.toUpperCase()))],
  ['trim/0', text((value) => value.trim())],
  ['explode/0', text((value) => [...value].map((each) => each.codePointAt(0) ?? 0))],
  ['split/1', (input, [separator = null]) => stringOf(input, 'split').split(stringOf(separator, 'split'))],
  ['join/1', (input, [separator = null]) => joined(input, separator)],
  ['to_entries/0', entries],
  ['from_entries/0', fromEntries],
  ['sort/0', sorted],
  ['unique/0', (input) => unique(sorted(input))],
  ['min/0', (input) => sorted(input)[0] ?? null],
  ['max/0', (input) => sorted(input).at(-1) ?? null],
  [
    'reverse/0',
    (input) =>
      typeof input === 'string' ? [...input].reverse().join('') : [...arrayOf(input ?? [], 'reverse')].reverse(),
  ],
  ['flatten/0', (input) => flattened(input, 100)],
  ['flatten/1', (input, [depth = null]) => flattened(input, numberOf(depth, 'flatten'))],
  ['first/0', (input) => index(input, 0)],
  ['last/0', (input) => index(input, -1)],
  ['nth/1', (input, [n = null]) => index(input, n)],
  ['index/1', (input, [part = null]) => position(input, part, false)],
  ['rindex/1', (input, [part = null]) => position(input, part, true)],
  ['floor/0', (input) => Math.floor(numberOf(input, 'floor'))],
  ['ceil/0', (input) => Math.ceil(numberOf(input, 'ceil'))],
  ['round/0', (input) => Math.round(numberOf(input, 'round'))],
  ['fabs/0', (input) => Math.abs(numberOf(input, 'fabs'))],
  ['sqrt/0', (input) => Math.sqrt(numberOf(input, 'sqrt'))],
  ['getpath/1', (input, [path = null]) => getPath(input, path)],
  ['now/0', (_, __, { now }) => now / 1000],
  ['fromdate/0', fromDate],
  ['fromdateiso8601/0', fromDate],
  ['todate/0', toDate],
  ['todateiso8601/0', toDate],
  ['infinite/0', () => Number.MAX_VALUE],
  ['ascii/0', (input) => String.fromCharCode(numberOf(input, 'ascii'))],
])

function keys(value: JsonValue): JsonValue {
  if (isJsonObject(value)) return sortedKeys(value)
  return arrayOf(value, 'keys').map((_, i) => i)
}

function trimmed(input: JsonValue, part: JsonValue | undefined, side: 'left' | 'right'): JsonValue {
  if (typeof input !== 'string' || typeof part !== 'string' || part === '') return input
  if (side === 'left') return input.startsWith(part) ? input.slice(part.length) : input
  return input.endsWith(part) ? input.slice(0, -part.length) : input
}

function position(input: JsonValue, part: JsonValue, isLast: boolean): JsonValue {
  if (input === null) return null
  if (typeof input === 'string' && typeof part === 'string') {
    const at = isLast ? input.lastIndexOf(part) : input.indexOf(part)
    return at < 0 ? null : at
  }
  const values = arrayOf(input, 'index')
  const found = values.map((each, i) => (compare(each, part) === 0 ? i : -1)).filter((i) => i >= 0)
  return (isLast ? found.at(-1) : found[0]) ?? null
}

type Stream = (input: JsonValue, args: readonly JqNode[], scope: JqScope) => JqStream
const none: JqNode = { op: 'identity' }

/** The values of an array with what a filter makes of each, in the order of that. */
function keyed(input: JsonValue, filter: JqNode, scope: JqScope): { value: JsonValue; key: JsonValue }[] {
  return arrayOf(input, 'sort_by')
    .map((value) => ({ value, key: [...scope.evaluate(filter, value, scope)] as JsonValue }))
    .sort((a, b) => compare(a.key, b.key))
}

function grouped(input: JsonValue, filter: JqNode, scope: JqScope): JsonValue[][] {
  const groups: { key: JsonValue; values: JsonValue[] }[] = []
  for (const { key, value } of keyed(input, filter, scope)) {
    const last = groups.at(-1)
    if (last !== undefined && compare(last.key, key) === 0) last.values.push(value)
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
