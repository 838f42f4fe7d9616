/** The functions of jq that make one value of their input and the values of their arguments. */
import { isJsonObject, type JsonObject, type JsonValue, setKey } from '../../../api/json.ts'
import { runToEnd } from '../../../lib/in-turns.ts'
import { Pattern, patternAtOnce } from '../../../lib/regexp/pattern.ts'
import { JqError } from './jq-error.ts'
import { addJq, index, items, type JqScope } from './jq-operations.ts'
import { compareJq, isTrue, jqJson, jqTypeOf, numberOf, own, sortedJqKeys, stringOf, textOf } from './jq-values.ts'

type Plain = (input: JsonValue, args: readonly JsonValue[], scope: JqScope) => JsonValue

export const arrayOf = (value: JsonValue, what: string): JsonValue[] => {
  if (Array.isArray(value)) return value
  throw new JqError(`${what}: ${jqTypeOf(value)} is not an array`)
}

function length(value: JsonValue): JsonValue {
  if (value === null) return 0
  if (typeof value === 'string') return [...value].length
  if (Array.isArray(value)) return value.length
  if (isJsonObject(value)) return Object.keys(value).length
  if (typeof value === 'number') return Math.abs(value)
  throw new JqError(`${jqTypeOf(value)} has no length`)
}

function has(value: JsonValue, key: JsonValue): boolean {
  if (isJsonObject(value) && typeof key === 'string') return Object.hasOwn(value, key)
  if (Array.isArray(value) && typeof key === 'number') return key >= 0 && key < value.length
  throw new JqError(`cannot check whether ${jqTypeOf(value)} has a ${jqTypeOf(key)} key`)
}

function contains(a: JsonValue, b: JsonValue): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a.includes(b)
  if (Array.isArray(a) && Array.isArray(b))
    return b.every((each) => a.some((other) => sameType(other, each) && contains(other, each)))
  if (isJsonObject(a) && isJsonObject(b)) {
    return Object.keys(b).every((key) => Object.hasOwn(a, key) && contains(own(a, key), own(b, key)))
  }
  return compareJq(a, b) === 0
}

const sameType = (a: JsonValue, b: JsonValue): boolean => jqTypeOf(a) === jqTypeOf(b)

export function entries(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) throw new JqError(`${jqTypeOf(value)} has no entries`)
  return Object.keys(value).map((key) => ({ key, value: own(value, key) }))
}

export function fromEntries(value: JsonValue): JsonValue {
  const made: JsonObject = {}
  for (const entry of arrayOf(value, 'from_entries')) {
    if (!isJsonObject(entry)) throw new JqError('from_entries: an entry is an object')
    const key = ['key', 'k', 'name', 'Name', 'Key', 'K'].map((name) => own(entry, name)).find((each) => each !== null)
    const found = ['value', 'v', 'Value', 'V'].map((name) => own(entry, name)).find((each) => each !== null)
    setKey(made, typeof key === 'string' ? key : jqJson(key ?? null), found ?? null)
  }
  return made
}

function toNumber(value: JsonValue): JsonValue {
  if (jqTypeOf(value) === 'number') return value
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

function testPattern(value: JsonValue, pattern: JsonValue, flags: JsonValue): boolean {
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
  return [...arrayOf(values, 'sort')].sort(compareJq)
}

const unique = (values: readonly JsonValue[]): JsonValue[] =>
  values.filter((value, i) => i === 0 || compareJq(values[i - 1] as JsonValue, value) !== 0)

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

export const plainFunctions: ReadonlyMap<string, Plain> = new Map<string, Plain>([
  ['not/0', (input) => !isTrue(input)],
  ['length/0', length],
  ['utf8bytelength/0', text((value) => Buffer.byteLength(value))],
  ['type/0', (input) => jqTypeOf(input)],
  ['keys/0', (input) => keys(input)],
  ['keys_unsorted/0', (input) => (isJsonObject(input) ? Object.keys(input) : keys(input))],
  ['values/1', (_, [value = null]) => value],
  ['has/1', (input, [key = null]) => has(input, key)],
  ['in/1', (input, [object = null]) => has(object, input)],
  ['contains/1', (input, [part = null]) => contains(input, part)],
  ['inside/1', (input, [whole = null]) => contains(whole, input)],
  ['add/0', (input) => [...items(input)].reduce<JsonValue>(addJq, null)],
  ['any/0', (input) => arrayOf(input, 'any').some(isTrue)],
  ['all/0', (input) => arrayOf(input, 'all').every(isTrue)],
  ['tostring/0', (input) => textOf(input)],
  ['tonumber/0', toNumber],
  ['tojson/0', (input) => jqJson(input)],
  ['fromjson/0', fromJson],
  ['test/1', (input, [pattern = null]) => testPattern(input, pattern, '')],
  ['test/2', (input, [pattern = null, flags = null]) => testPattern(input, pattern, flags)],
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
  if (isJsonObject(value)) return sortedJqKeys(value)
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
  const found = values.map((each, i) => (compareJq(each, part) === 0 ? i : -1)).filter((i) => i >= 0)
  return (isLast ? found.at(-1) : found[0]) ?? null
}
