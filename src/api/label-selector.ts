/**
 * Label selectors in both of their forms: the text of a query (label-selector-text.ts) and the object of an API type
 * (`matchLabels`, `matchExpressions`). Both become one immutable list of requirements and a predicate, each term of which
 * is read when it is first asked. Bad input throws a 400 with the reference's text.
 */

import { runToEnd, type Steps } from '../lib/in-turns.ts'
import { compileOnce } from '../lib/memo.ts'
import { limitErrorsOf } from './error-limit.ts'
import { type FieldError, invalid, invalidAs, quote } from './field-error.ts'
import { FieldPath } from './field-path.ts'
import { goStrings } from './golang/value.ts'
import type { JsonObject } from './json.ts'
import { compareTexts, entriesOf, keysOf } from './key-lists.ts'
import { listInSteps, sortInSteps } from './large-values.ts'
import { checkLabelValue, checkQualifiedName } from './names.ts'
import type { StringMap } from './object.ts'
import type { SelectorRequirement } from './request-attributes.ts'
import { aggregate, badRequest } from './status-error.ts'

export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!'

export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  readonly values: readonly string[]
}

export type LabelPredicate = (labels: StringMap | undefined) => boolean

/** The object form. */
export interface LabelSelectorObject extends JsonObject {
  matchLabels?: StringMap
  matchExpressions?: LabelSelectorExpression[]
}

export interface LabelSelectorExpression extends JsonObject {
  key: string
  operator: string
  values?: string[]
}

export class LabelSelector {
  /** No labels satisfy it, although no requirement says so. */
  readonly selectsNothing: boolean
  /** As given; may be read again. */
  readonly #terms: Iterable<LabelRequirement>
  #sorted: readonly LabelRequirement[] | undefined
  #shown: readonly SelectorRequirement[] | undefined
  /** The first terms: the others were not asked for yet. */
  readonly #read: LabelRequirement[] = []
  /** The terms that are not read; undefined before the first one. */
  #left: Iterator<LabelRequirement> | undefined
  /** Of the terms, once all of them are read. */
  #count = Number.POSITIVE_INFINITY

  private constructor(terms: Iterable<LabelRequirement>, selectsNothing = false) {
    this.#terms = terms
    this.selectsNothing = selectsNothing
  }

  static readonly everything: LabelSelector = new LabelSelector([])
  static readonly nothing: LabelSelector = new LabelSelector([], true)

  /** Terms that are made when they are first asked for may throw then. */
  static of(terms: Iterable<LabelRequirement>): LabelSelector {
    return new LabelSelector(terms)
  }

  /** Sorted by key. */
  get requirements(): readonly LabelRequirement[] {
    this.#sorted ??= [...this.#terms].sort(byKey)
    return this.#sorted
  }

  /** Mostly one of the first terms decides, and no other is read. */
  readonly matches: LabelPredicate = (labels) => {
    if (this.selectsNothing) return false
    for (let i = 0; i < this.#count; i++) {
      const term = this.#read[i] ?? this.#readNext()
      if (term !== undefined && !satisfies(labels, term)) return false
    }
    return true
  }

  /** Undefined when there is no other. A term that cannot be read is not passed over the next time. */
  #readNext(): LabelRequirement | undefined {
    try {
      this.#left ??= this.#terms[Symbol.iterator]()
      const next = this.#left.next()
      if (next.done !== true) {
        this.#read.push(next.value)
        return next.value
      }
      this.#count = this.#read.length
      return undefined
    } catch (error) {
      this.#left = failing(error)
      throw error
    }
  }

  /** Makes all that is made when it is first asked for: what comes after takes the time of a look at each term at the most. */
  *prepareInSteps(): Steps<void> {
    const terms: LabelRequirement[] = []
    for (const term of this.#terms) {
      if (term.values.length > fewValues) valueSet(term.values)
      if (terms.push(term) % termsPerStep === 0) yield
    }
    this.#sorted = yield* sortInSteps(terms, byKey)
    this.#shown = yield* listInSteps(this.#sorted, shownRequirement)
  }

  /** It restricts nothing. */
  isEmpty(): boolean {
    return !this.selectsNothing && (this.#read[0] ?? this.#readNext()) === undefined
  }

  /** The one value that the label must have, if there is one. */
  exactValue(key: string): string | undefined {
    const found = this.requirements.find((requirement) => requirement.key === key)
    const exact = found !== undefined && (found.operator === '=' || found.operator === '==' || found.operator === 'in')
    return exact && found.values.length === 1 ? found.values[0] : undefined
  }

  /** The canonical text; it reads as the same selector. */
  toString(): string {
    return this.requirements.map(formatRequirement).join(',')
  }

  /** As authorization sees it, in the words of the object form. */
  toSelectorRequirements(): readonly SelectorRequirement[] {
    this.#shown ??= this.requirements.map(shownRequirement)
    return this.#shown
  }
}

const byKey = (a: LabelRequirement, b: LabelRequirement): number => compareTexts(a.key, b.key)

const shownRequirement = ({ key, operator, values }: LabelRequirement): SelectorRequirement => ({
  key,
  operator: setOperators[operator],
  values,
})

const failing = (error: unknown): Iterator<never> => ({
  next() {
    throw error
  },
})

const setOperators: Readonly<Record<LabelOperator, string>> = {
  in: 'In',
  '=': 'In',
  '==': 'In',
  notin: 'NotIn',
  '!=': 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
  gt: 'Gt',
  lt: 'Lt',
}

/** A selector that asks for exactly these labels; none ask for nothing in particular. */
export function selectorOfLabels(labels: StringMap | undefined): LabelSelector {
  return LabelSelector.of(
    Array.from(entriesOf(labels ?? {})).map(([key, value]) => ({ key, operator: '=', values: [value] })),
  )
}

const objectOperators: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
])

/** Reads the object form; throws a 400. No object selects nothing, an empty one everything. */
export const selectorOfObject = (object: LabelSelectorObject | null | undefined): LabelSelector =>
  runToEnd(selectorInSteps(object))

/** As `selectorOfObject`. */
export function* selectorInSteps(object: LabelSelectorObject | null | undefined): Steps<LabelSelector> {
  if (object === null || object === undefined) return LabelSelector.nothing
  return LabelSelector.of(yield* checkedTerms(object))
}

function* checkedTerms(object: LabelSelectorObject): Steps<LabelRequirement[]> {
  const terms: LabelRequirement[] = []
  for (const { key, operator, values } of termsOf(object)) {
    if (terms.push(yield* requirementInSteps(key, operator, values)) % termsPerStep === 0) yield
  }
  return terms
}

/**
 * The same of an object that was checked when it was written: its terms are read when they are first asked for, so that one of very
 * many costs nothing before, and mostly little then. Only an operator that there is not is still refused.
 */
export const checkedSelector = (object: LabelSelectorObject): LabelSelector =>
  LabelSelector.of({ [Symbol.iterator]: () => termsOf(object) })

function* termsOf({ matchLabels, matchExpressions }: LabelSelectorObject): Generator<LabelRequirement> {
  for (const [key, value] of entriesOf(matchLabels ?? {})) yield { key, operator: '=', values: [value] }
  for (const { key, operator, values } of matchExpressions ?? []) {
    const known = objectOperators.get(operator)
    if (known === undefined) throw badRequest(`${quote(operator)} is not a valid label selector operator`)
    yield { key, operator: known, values: values ?? [] }
  }
}

/** How many terms and values there are. */
export function termCount({ matchLabels, matchExpressions }: LabelSelectorObject): number {
  let count = keysOf(matchLabels ?? {}).length
  for (const { values } of matchExpressions ?? []) count += 1 + (values?.length ?? 0)
  return count
}

/** The canonical text of an object, as `selectorOfObject` reads it. */
export function* selectorTextInSteps(object: LabelSelectorObject): Steps<string> {
  const sorted = yield* sortInSteps(yield* checkedTerms(object), byKey)
  return (yield* listInSteps(sorted, formatRequirement)).join(',')
}

const termsPerStep = 256

/** A requirement that holds together; throws a 400 otherwise. */
export const checkedRequirement = (key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement =>
  runToEnd(requirementInSteps(key, operator, values))

/** As `checkedRequirement`. */
export function* requirementInSteps(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
): Steps<LabelRequirement> {
  const requirement = { key, operator, values }
  const errors = yield* limitErrorsOf(errorsOf(requirement))
  if (errors.length > 0) throw badRequest(aggregate(errors))
  return requirement
}

function* errorsOf({ key, operator, values }: LabelRequirement): Steps<FieldError[]> {
  const at = FieldPath.of('values')
  const errors: FieldError[] = []
  const keyMessages = checkQualifiedName(key)
  if (keyMessages.length > 0) errors.push(invalid(FieldPath.of('key'), key, keyMessages.join('; ')))
  const countMessage = countError(operator, values.length)
  if (countMessage !== undefined) errors.push(wrongValues(at, values, countMessage))
  if (operator === 'gt' || operator === 'lt') {
    for (const [i, value] of values.entries())
      if (parseInteger(value) === undefined)
        errors.push(invalid(at.index(i), value, "for 'Gt', 'Lt' operators, the value must be an integer"))
  }
  for (let i = 0; i < values.length; i++) {
    if (i % termsPerStep === termsPerStep - 1) yield
    const value = values[i] as string
    const messages = checkLabelValue(value)
    if (messages.length > 0) errors.push(invalid(at.index(i).key(key), value, messages.join('; ')))
  }
  return errors
}

function countError(operator: LabelOperator, count: number): string | undefined {
  switch (operator) {
    case 'in':
    case 'notin':
      return count > 0 ? undefined : "for 'in', 'notin' operators, values set can't be empty"
    case '=':
    case '==':
    case '!=':
      return count === 1 ? undefined : 'exact-match compatibility requires one single value'
    case 'exists':
    case '!':
      return count === 0 ? undefined : 'values set must be empty for exists and does not exist'
    case 'gt':
    case 'lt':
      return count === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required"
  }
}

/** The reference prints the list as Go source. */
const wrongValues = (at: FieldPath, values: readonly string[], message: string): FieldError =>
  invalidAs(at, () => goStrings(values.length === 0 ? undefined : values), message)

/** A decimal number of 64 bits. */
function parseInteger(text: string): bigint | undefined {
  if (!/^[-+]?[0-9]{1,64}$/.test(text)) return undefined
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

/** So many values are compared one by one. */
const fewValues = 8

const valueSet = compileOnce('label-values', (values: readonly string[]): ReadonlySet<string> => new Set(values))

const isAmong = (values: readonly string[], value: string): boolean =>
  values.length > fewValues ? valueSet(values).has(value) : values.includes(value)

/** Only strings count as labels: what an object inherits is none. */
function satisfies(labels: StringMap | undefined, { key, operator, values }: LabelRequirement): boolean {
  const found: unknown = labels?.[key]
  const value = typeof found === 'string' ? found : undefined
  switch (operator) {
    case 'in':
    case '=':
    case '==':
      return value !== undefined && isAmong(values, value)
    case 'notin':
    case '!=':
      return value === undefined || !isAmong(values, value)
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    case 'gt':
    case 'lt': {
      const number = parseInteger(value ?? '')
      const bound = parseInteger(values[0] ?? '')
      if (number === undefined || bound === undefined) return false
      return operator === 'gt' ? number > bound : number < bound
    }
  }
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  const list = values.toSorted().join(',')
  switch (operator) {
    case 'exists':
      return key
    case '!':
      return `!${key}`
    case 'in':
    case 'notin':
      return `${key} ${operator} (${list})`
    case 'gt':
      return `${key}>${list}`
    case 'lt':
      return `${key}<${list}`
    default:
      return `${key}${operator}${list}`
  }
}
