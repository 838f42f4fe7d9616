/** The checks of validate.ts that look at one value alone: its type, its text, its number. */
import { goFloat } from '../api/golang/float.ts'
import { quotedText } from '../api/golang/quoted-items.ts'
import type { JsonValue } from '../api/json.ts'
import { hasChange } from '../api/release-changes.ts'
import type { Steps } from '../lib/in-turns.ts'
import { Pattern, PatternLimitError, patternOf } from '../lib/regexp/pattern.ts'
import { fitsRange, isKnownFormat, isNumberFormat, matchesFormat } from './formats.ts'
import type { Constraints } from './schema.ts'

/** What is wrong with a value, before it is put into the words of a field error. */
export interface ValueProblem {
  readonly code: 'type' | 'required' | 'enum' | 'tooLong' | 'tooMany' | 'invalid' | 'composite'
  readonly path: string
  readonly text: string
  readonly value?: JsonValue
  readonly limit?: number
  readonly values?: readonly JsonValue[]
}

export interface ScalarRules {
  readonly types: readonly string[]
  readonly nullable: boolean
  readonly format: string
  readonly constraints: Omit<Constraints, 'rules'>
}

/** What the schema language calls the type of a value. */
function typeName(value: JsonValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return isWhole(value) ? 'integer' : 'number'
  return typeof value === 'bigint' ? 'integer' : typeof value
}

/** A float is a whole number only where every one has a float of its own; integers beyond that are read as such. Mirrors swag: IsFloat64AJSONInteger. */
const isWhole = (value: number | bigint): boolean => typeof value === 'bigint' || Number.isSafeInteger(value)

const numberFormats: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64' }

export interface ScalarContext {
  readonly path: string
  /** Formats that are not known count, too, as they do for defaults. */
  readonly everyFormat: boolean
  /** The minor number of the release. */
  readonly release: number
}

const isChecked = (rules: ScalarRules, { everyFormat, release }: ScalarContext): boolean =>
  everyFormat ? rules.format !== '' : isKnownFormat(rules, release)

export function checkType(value: JsonValue, rules: ScalarRules, place: ScalarContext): ValueProblem | undefined {
  const { types, nullable, format } = rules
  const { path } = place
  if (value === null) return types.length === 0 || nullable ? undefined : typeProblem(path, types.join(','), 'null')
  const hasFormat = isChecked(rules, place)
  if (types.length === 0 && !hasFormat) return undefined
  const name = typeName(value)
  const fits = types.includes(name) || (name === 'integer' && types.includes('number'))
  if (!hasFormat) return fits ? undefined : typeProblem(path, types.join(','), name)
  // A format of a text or list is checked by itself; other values must have the type.
  const isNumeric = types.includes('number') || types.includes('integer')
  if (typeof value !== 'string' && !Array.isArray(value)) {
    return fits ? undefined : typeProblem(path, format, numberFormats[name] ?? '')
  }
  return fits || !isNumeric ? undefined : typeProblem(path, types.join(','), name)
}

const typeProblem = (path: string, wanted: string, found: string): ValueProblem => ({
  code: 'type',
  path,
  value: found,
  text: `${path} in body must be of type ${wanted}: ${quotedText(found)}`,
})

/** The first of length and pattern that fails, and the format. */
export function* checkText(text: string, rules: ScalarRules, place: ScalarContext): Steps<ValueProblem[]> {
  const { format, constraints } = rules
  const { path } = place
  const problems: ValueProblem[] = []
  const first = checkLength(text, constraints, path) ?? (yield* checkPattern(text, constraints.pattern, path))
  if (first !== undefined) problems.push(first)
  if (isChecked(rules, place) && !(yield* matchesFormat(format, text, place.release)))
    problems.push(typeProblem(path, format, text))
  return problems
}

function checkLength(
  text: string,
  { minLength, maxLength }: ScalarRules['constraints'],
  path: string,
): ValueProblem | undefined {
  if (minLength === undefined && maxLength === undefined) return undefined
  const length = characterCount(text)
  if (maxLength !== undefined && length > maxLength) {
    return {
      code: 'tooLong',
      path,
      limit: maxLength,
      text: `${path} in body should be at most ${maxLength} chars long`,
    }
  }
  if (minLength === undefined || length >= minLength) return undefined
  return { code: 'invalid', path, value: text, text: `${path} in body should be at least ${minLength} chars long` }
}

function characterCount(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

function* checkPattern(text: string, source: string | undefined, path: string): Steps<ValueProblem | undefined> {
  if (source === undefined || source === '') return undefined
  const pattern = yield* patternOf(source)
  if (!(pattern instanceof Pattern)) {
    return patternProblem(text, `${source}, but pattern is invalid: ${pattern.message}`, path)
  }
  try {
    return (yield* pattern.test(text)) ? undefined : patternProblem(text, source, path)
  } catch (error) {
    if (!(error instanceof PatternLimitError)) throw error
    return patternProblem(text, `${source}, but ${error.message}`, path)
  }
}

const patternProblem = (value: string, pattern: string, path: string): ValueProblem => ({
  code: 'invalid',
  path,
  value,
  text: `${path} in body should match '${pattern}'`,
})

/** Bounds are cut to whole numbers where the value is one, as the reference does. */
export function checkNumber(
  value: number | bigint,
  rules: ScalarRules,
  { path, release }: ScalarContext,
): ValueProblem[] {
  const { minimum, maximum, multipleOf, exclusiveMinimum, exclusiveMaximum } = rules.constraints
  const bound = isWhole(value) ? wholeBound : (limit: number): number => limit
  const problems: ValueProblem[] = []
  const fail = (text: string): number =>
    problems.push({ code: 'invalid', path, value, text: `${path} in body should be ${text}` })
  if (hasChange(release, 'numberFormats') && !fitsRange(value, rules)) problems.push(rangeProblem(rules, path))
  if (multipleOf !== undefined) {
    const factor = bound(multipleOf)
    if (factor <= 0) {
      problems.push({
        code: 'invalid',
        path,
        value: factor,
        text: `factor MultipleOf declared for ${path} must be positive: ${shown(factor)}`,
      })
    } else if (!isMultiple(value, factor)) fail(`a multiple of ${shown(factor)}`)
  }
  if (minimum !== undefined) {
    const least = bound(minimum)
    if (exclusiveMinimum === true ? value <= least : value < least) {
      fail(`greater than ${exclusiveMinimum === true ? '' : 'or equal to '}${shown(least)}`)
    }
  }
  if (maximum !== undefined) {
    const most = bound(maximum)
    if (exclusiveMaximum === true ? value >= most : value > most) {
      fail(`less than ${exclusiveMaximum === true ? '' : 'or equal to '}${shown(most)}`)
    }
  }
  return problems
}

function rangeProblem({ types: [type = ''], format }: ScalarRules, path: string): ValueProblem {
  const wanted = isNumberFormat(type, format) ? `with format ${format}` : '(default format)'
  return { code: 'composite', path: '', text: `Checked value must be of type ${type} ${wanted} in ${path}` }
}

const shown = (limit: number | bigint): string => (typeof limit === 'number' ? goFloat(limit) : String(limit))

const mostWhole = 2n ** 63n - 1n

/** A bound beyond 64 bits is the last number of 64 bits. */
function wholeBound(limit: number): number | bigint {
  if (Math.abs(limit) < 2 ** 63) return Math.trunc(limit)
  return limit < 0 ? -mostWhole - 1n : mostWhole
}

/** Fractions are compared with some tolerance, relative to their size. */
function isMultiple(value: number | bigint, factor: number | bigint): boolean {
  if (typeof value === 'bigint' || typeof factor === 'bigint') return BigInt(value) % BigInt(factor) === 0n
  if (isWhole(value)) return value % factor === 0
  const ratio = factor < 1 ? (1 / factor) * value : value / factor
  if (Math.abs(ratio) > Number.MAX_SAFE_INTEGER) return false
  const rounded = Math.round(ratio)
  const difference = Math.abs(ratio - rounded)
  return ratio === rounded || difference / Math.min(Math.abs(ratio) + Math.abs(rounded), Number.MAX_VALUE) < 1e-9
}
