/**
 * Validation of the values of custom objects: types, required keys, enums, bounds, patterns, formats and alternatives,
 * with the reference's texts. Lists that are sets or maps are checked in list-keys.ts, expressions elsewhere.
 *
 * A schema is compiled into `Rules` on first use; alternatives (`anyOf` and its like) compile into the same. Of several
 * alternatives that all fail, the errors of the one with the most passed checks are reported, which is why checks are
 * counted as the reference counts them.
 *
 * A body may have hundreds of thousands of values, and a pattern may take long: what is inside of objects and lists is
 * validated in steps.
 */

import { noteError } from '../api/error-limit.ts'
import { type FieldError, formatValue, notSupportedAs, quote, required, tooLong, tooMany } from '../api/field-error.ts'
import { shownValue } from '../api/golang/value.ts'
import { equalJson, isJsonObject, type JsonObject, type JsonValue, ownValue } from '../api/json.ts'
import { keysOf } from '../api/key-lists.ts'
import { servedMinor } from '../api/release.ts'
import type { Steps } from '../lib/in-turns.ts'
import { memoize } from '../lib/memo.ts'
import type { Schema } from './schema.ts'
import { checkNumber, checkText, checkType, type ValueProblem } from './validate-scalar.ts'
import { type Alternatives, compiledRules, type Rules } from './value-rules.ts'
import { sortedText } from './value-text.ts'

/**
 * `old` is the value that is being replaced: what is wrong with a part that has not changed is forgiven. Without it,
 * everything counts.
 */
export function* validateValue(value: JsonValue, schema: Schema, old?: JsonValue): Steps<FieldError[]> {
  const shape = compiledRules(schema)
  const { problems } = yield* validate(value, shape, {
    path: '',
    old,
    shape,
    everyFormat: false,
    release: releaseOf(schema),
  })
  return yield* fieldErrors(problems)
}

const releaseOf = (schema: Schema): number => (schema.kind === 'object' ? schema.release : undefined) ?? servedMinor

/** A default is looked at with every format of its schema, those that objects are not checked for, too. */
export function* validateDefaultValue(value: JsonValue, schema: Schema, release: number): Steps<FieldError[]> {
  const shape = compiledRules(schema)
  const { problems } = yield* validate(value, shape, {
    path: '',
    old: undefined,
    shape,
    everyFormat: true,
    release,
  })
  return yield* fieldErrors(problems)
}

/**
 * Whether a value is what it was. Elements of a list with keys may have changed places. What a schema says nothing of
 * cannot be followed: an object with such keys counts as changed.
 */
export const isUnchangedValue = (value: JsonValue, old: JsonValue | undefined, schema: Schema): boolean =>
  isUnchanged(value, old, compiledRules(schema))

interface ValidationContext {
  /** As the reference writes it: `spec.list[0]`. */
  readonly path: string
  /** Undefined when there is no old value to compare with. */
  readonly old: JsonValue | undefined
  /** What the structure says of this place, also inside of alternatives: by it old and new values are compared. */
  readonly shape: Rules | undefined
  readonly everyFormat: boolean
  /** The minor number of the release. */
  readonly release: number
}

interface Outcome {
  readonly problems: ValueProblem[]
  /** Those of the problems. */
  readonly texts: Set<string> | undefined
  /** How many checks passed, as the reference counts. */
  readonly matchCount: number
}

// ---- validating --------------------------------------------------------------------------------------------------

function* validate(value: JsonValue, rules: Rules, place: ValidationContext): Steps<Outcome> {
  const outcome = yield* validateNew(value, rules, place)
  const isForgiven = outcome.problems.length > 0 && isUnchanged(value, place.old, place.shape)
  return isForgiven ? { problems: [], texts: undefined, matchCount: outcome.matchCount } : outcome
}

function isUnchanged(value: JsonValue, old: JsonValue | undefined, shape: Rules | undefined): boolean {
  if (old === undefined || shape === undefined) return false
  if (Array.isArray(value)) return isUnchangedList(value, old, shape)
  if (!isJsonObject(value) || !isJsonObject(old)) return equalJson(value, old)
  const keys = keysOf(value)
  if (keys.length !== keysOf(old).length) return false
  return keys.every((key) => isUnchanged(value[key] as JsonValue, ownValue(old, key), innerShape(shape, key)))
}

function isUnchangedList(list: readonly JsonValue[], old: JsonValue, { listKeys, items }: Rules): boolean {
  if (!Array.isArray(old) || list.length !== old.length) return false
  if (listKeys.length === 0) return equalJson(list as JsonValue, old)
  const before = matcherByKeys(listKeys, old)
  return list.every((item) => isUnchanged(item, before(item), items))
}

function innerShape(shape: Rules | undefined, key: string): Rules | undefined {
  const inner = shape?.properties.get(key) ?? shape?.additional
  return typeof inner === 'object' ? inner : undefined
}

function* validateNew(value: JsonValue, rules: Rules, place: ValidationContext): Steps<Outcome> {
  const result = new Result()
  const typeProblem = checkType(value, rules, place)
  if (value === null) {
    result.add(typeProblem)
    result.add(checkEnum(value, rules, place.path))
    return result.outcome(typeProblem === undefined ? 1 : 0)
  }
  if (rules.types.length > 0 || rules.format !== '') {
    result.add(typeProblem)
    result.matchCount += typeProblem === undefined ? 2 : 1
  }
  if (rules.alternatives === undefined) result.matchCount++
  else result.merge(yield* checkAlternatives(value, rules.alternatives, place))
  yield* checkContent(value, rules, { place, result })
  result.add(checkEnum(value, rules, place.path))
  result.matchCount += 2
  if (isJsonObject(value)) {
    result.merge(yield* checkObject(value, rules, place))
    result.matchCount++
  }
  return result.outcome(1)
}

/** What depends on the kind of value that it is. */
function* checkContent(
  value: JsonValue,
  rules: Rules,
  { place, result }: { place: ValidationContext; result: Result },
): Steps<void> {
  if (typeof value === 'string') {
    for (const problem of yield* checkText(value, rules, place)) result.add(problem)
    result.matchCount++
  } else if (typeof value === 'number' || typeof value === 'bigint') {
    for (const problem of checkNumber(value, rules, place)) result.add(problem)
    result.matchCount += 2
  } else if (Array.isArray(value)) {
    result.merge(yield* checkList(value, rules, place))
    result.matchCount++
  }
}

class Result {
  problems: ValueProblem[] = []
  matchCount = 0
  #texts: Set<string> | undefined

  /** Duplicate problems are dropped. */
  add(problem: ValueProblem | undefined): void {
    if (problem === undefined) return
    this.#texts ??= new Set()
    if (this.#texts.has(problem.text)) return
    this.#texts.add(problem.text)
    this.problems.push(problem)
  }

  /** Takes ownership of the outcome: the caller must not use it afterwards. */
  merge({ problems, texts, matchCount }: Outcome): void {
    this.matchCount += matchCount
    if (this.#texts === undefined && texts !== undefined) {
      this.problems = problems
      this.#texts = texts
    } else for (const problem of problems) this.add(problem)
  }

  outcome(more: number): Outcome {
    return { problems: this.problems, texts: this.#texts, matchCount: this.matchCount + more }
  }
}

function checkEnum(value: JsonValue, { constraints }: Rules, path: string): ValueProblem | undefined {
  const allowed = constraints.enum
  if (allowed === undefined || allowed.length === 0) return undefined
  if (value !== null && isAmong(value, allowed)) return undefined
  return { code: 'enum', path, value, values: allowed, text: `${path} in body should be one of ${allowed.join(' ')}` }
}

const membersOf = memoize('enum-members', (allowed: readonly JsonValue[]): ReadonlySet<JsonValue> => new Set(allowed))

/** Whether an enum has the value; of a long one the plain values are looked up. */
function isAmong(value: JsonValue, allowed: readonly JsonValue[]): boolean {
  if (typeof value === 'object' || typeof value === 'bigint' || allowed.length < 16) {
    return allowed.some((item) => equalJson(item, value))
  }
  return membersOf(allowed).has(value)
}

function* checkObject(
  object: JsonObject,
  rules: Rules,
  { path, old, shape, everyFormat, release }: ValidationContext,
): Steps<Outcome> {
  const result = new Result()
  const { minProperties, maxProperties, required: wanted = [] } = rules.constraints
  const keys = keysOf(object)
  const size = keys.length
  if (minProperties !== undefined && size < minProperties) {
    const text = `${path} in body should have at least ${minProperties} properties`
    result.add({ code: 'invalid', path, value: size, text })
  }
  if (maxProperties !== undefined && size > maxProperties) {
    const text = `${path} in body should have at most ${maxProperties} properties`
    result.add({ code: 'tooMany', path, value: size, limit: maxProperties, text })
  }
  for (const key of keys) {
    yield
    const inner = rules.properties.get(key) ?? rules.additional
    const isProperty = rules.properties.has(key)
    if (inner === false)
      result.add({ code: 'invalid', path, value: key, text: `${path}.${key} in body is a forbidden property` })
    if (typeof inner === 'boolean') continue
    const at = path === '' && isProperty ? key : `${path}.${key}`
    const before = isJsonObject(old) ? ownValue(old, key) : undefined
    const value = object[key] as JsonValue
    result.merge(
      yield* validate(value, inner, { path: at, old: before, shape: innerShape(shape, key), everyFormat, release }),
    )
  }
  for (const key of wanted) {
    if (Object.hasOwn(object, key)) continue
    result.add({ code: 'required', path: `${path}.${key}`, text: `${path}.${key} in body is required` })
  }
  return result.outcome(0)
}

function* checkList(
  list: readonly JsonValue[],
  rules: Rules,
  { path, old, shape, everyFormat, release }: ValidationContext,
): Steps<Outcome> {
  const result = new Result()
  const { minItems, maxItems, uniqueItems } = rules.constraints
  if (rules.items !== undefined) {
    const before = matcherByKeys(shape?.listKeys ?? [], old)
    for (const [i, item] of list.entries()) {
      const place = { path: `${path}[${i}]`, old: before(item), shape: shape?.items, everyFormat, release }
      result.merge(yield* validate(item, rules.items, place))
      yield
    }
  }
  if (minItems !== undefined && list.length < minItems) {
    const text = `${path} in body should have at least ${minItems} items`
    result.add({ code: 'invalid', path, value: list.length, text })
  }
  if (maxItems !== undefined && list.length > maxItems) {
    const text = `${path} in body should have at most ${maxItems} items`
    result.add({ code: 'tooMany', path, value: list.length, limit: maxItems, text })
  }
  if (uniqueItems === true && new Set(list.map(sortedText)).size < list.length) {
    result.add({ code: 'invalid', path, value: '', text: `${path} in body shouldn't contain duplicates` })
  }
  return result.outcome(1)
}

/** Only elements of a list with keys can be correlated with the old list: the first that has the keys. */
function matcherByKeys(
  keys: readonly string[],
  old: JsonValue | undefined,
): (item: JsonValue) => JsonValue | undefined {
  if (keys.length === 0 || !Array.isArray(old)) return () => undefined
  let known: Map<string, JsonValue> | undefined
  return (item) => {
    const text = keyText(item, keys)
    if (text === undefined) return undefined
    known ??= byKeys(old, keys)
    return known.get(text)
  }
}

function byKeys(list: readonly JsonValue[], keys: readonly string[]): Map<string, JsonValue> {
  const found = new Map<string, JsonValue>()
  for (const item of list) {
    const text = keyText(item, keys)
    if (text !== undefined && !found.has(text)) found.set(text, item)
  }
  return found
}

/** Undefined for what has not all of the keys. */
function keyText(item: JsonValue, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item)) return undefined
  const values = keys.map((key) => ownValue(item, key))
  return values.every(isKeyValue) ? sortedText(values as JsonValue[]) : undefined
}

const isKeyValue = (value: JsonValue | undefined): boolean =>
  value !== undefined && value !== null && typeof value !== 'object'

/** Nothing inside of alternatives is ratcheted, only the whole value, by the caller. Mirrors kube-openapi: SchemaValidatorOptions.Options. */
function* checkAlternatives(value: JsonValue, alternatives: Alternatives, whole: ValidationContext): Steps<Outcome> {
  const result = new Result()
  const place = { ...whole, old: undefined }
  const { anyOf, oneOf, allOf, not } = alternatives
  checkAnyOf(yield* outcomesOf(value, anyOf, place), place.path, result)
  checkOneOf(yield* outcomesOf(value, oneOf, place), place.path, result)
  checkAllOf(yield* outcomesOf(value, allOf, place), place.path, result)
  if (not !== undefined && isValid(yield* validateNew(value, not, place))) {
    result.add(composite(`${quote(place.path)} must not validate the schema (not)`))
  }
  return result.outcome(1)
}

function* outcomesOf(value: JsonValue, alternatives: readonly Rules[], place: ValidationContext): Steps<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const rules of alternatives) {
    outcomes.push(yield* validateNew(value, rules, place))
    yield
  }
  return outcomes
}

const isValid = ({ problems }: Outcome): boolean => problems.length === 0

const composite = (text: string): ValueProblem => ({ code: 'composite', path: '', text })

const best = (outcomes: readonly Outcome[]): Outcome | undefined =>
  outcomes.reduce<Outcome | undefined>(
    (most, next) => (most === undefined || next.matchCount > most.matchCount ? next : most),
    undefined,
  )

function checkAnyOf(outcomes: readonly Outcome[], path: string, result: Result): void {
  if (outcomes.length === 0) return
  const success = outcomes.find(isValid)
  if (success === undefined) result.add(composite(`${quote(path)} must validate at least one schema (anyOf)`))
  const reported = success ?? best(outcomes)
  if (reported !== undefined) result.merge(reported)
}

function checkOneOf(outcomes: readonly Outcome[], path: string, result: Result): void {
  if (outcomes.length === 0) return
  const valid = outcomes.filter(isValid)
  if (valid.length === 1) {
    result.merge(valid[0] as Outcome)
    return
  }
  const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`
  result.add(composite(`${quote(path)} must validate one and only one schema (oneOf). ${found}`))
  const failed = valid.length === 0 ? best(outcomes) : undefined
  if (failed !== undefined) result.merge(failed)
}

function checkAllOf(outcomes: readonly Outcome[], path: string, result: Result): void {
  for (const outcome of outcomes) result.merge(outcome)
  const valid = outcomes.filter(isValid).length
  if (valid === outcomes.length) return
  result.add(composite(`${quote(path)} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`))
}

// ---- wording -----------------------------------------------------------------------------------------------------

function* fieldErrors(problems: readonly ValueProblem[]): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const problem of problems) {
    yield
    errors.push(toFieldError(problem))
  }
  return errors
}

function toFieldError(problem: ValueProblem): FieldError {
  const { code, path, value = '', text } = problem
  const field = path === '' || path === '.' ? '<nil>' : path.replace(/^\./, '')
  switch (code) {
    case 'required':
      return required(field)
    case 'enum':
      return notSupportedValue(field, value, (problem.values ?? []).map(enumText))
    case 'tooLong':
      return tooLong(field, problem.limit ?? 0)
    case 'tooMany':
      return tooMany(field, Number(value), problem.limit ?? 0)
    default: {
      const reason = code === 'type' ? 'FieldValueTypeInvalid' : 'FieldValueInvalid'
      const error: FieldError = { reason, field, message: `Invalid value: ${formatValue(value)}: ${text}` }
      noteError(error)
      return error
    }
  }
}

function notSupportedValue(field: string, value: JsonValue, allowed: readonly string[]): FieldError {
  return notSupportedAs(field, () => shownValue(value), allowed)
}

const enumText = (value: JsonValue): string => (typeof value === 'string' ? value : formatValue(value))
