/**
 * Label selectors in both of their forms: the text of a query (label-selector-text.ts) and the object of an API type
 * (`matchLabels`, `matchExpressions`). Both become one immutable list of requirements and a predicate, each term of which
 * is compiled once, when it is first asked. Bad input throws a 400 with the reference's text.
 */

import type { Steps } from '../lib/in-turns.ts'
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
  /** Of the first terms: the others were not asked for yet. */
  readonly #compiled: LabelPredicate[] = []
  /** The terms that are not compiled; undefined before the first one. */
  #left: Iterator<LabelRequirement> | undefined
  /** Of the terms, once all of them are compiled. */
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
    this.#sorted ??= [...this.#terms].sort((a, b) => compareTexts(a.key, b.key))
    return this.#sorted
  }

  /** Mostly one of the first terms decides, and no other is compiled. */
  readonly matches: LabelPredicate = (labels) => {
    if (this.selectsNothing) return false
    for (let i = 0; i < this.#count; i++) {
      const matches = this.#compiled[i] ?? this.#compileNext()
      if (matches?.(labels) === false) return false
    }
    return true
  }

  /** Undefined when there is no other. A term that cannot be read is not passed over the next time. */
  #compileNext(): LabelPredicate | undefined {
    try {
      this.#left ??= this.#terms[Symbol.iterator]()
      const next = this.#left.next()
      if (next.done === true) {
        this.#count = this.#compiled.length
        return undefined
      }
      const predicate = compileRequirement(next.value)
      this.#compiled.push(predicate)
      return predicate
    } catch (error) {
      this.#left = failing(error)
      throw error
    }
  }

  /** It restricts nothing. */
  isEmpty(): boolean {
    return !this.selectsNothing && (this.#compiled[0] ?? this.#compileNext()) === undefined
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
  toSelectorRequirements(): SelectorRequirement[] {
    return this.requirements.map(({ key, operator, values }) => ({ key, operator: setOperators[operator], values }))
  }
}

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
export function selectorOfObject(object: LabelSelectorObject | null | undefined): LabelSelector {
  if (object === null || object === undefined) return LabelSelector.nothing
  return LabelSelector.of([...termsOf(object, checkedRequirement)])
}

/**
 * The same of an object that was checked when it was written: its terms are read when they are first asked for, so that one of very
 * many costs nothing before, and mostly little then. Only an operator that there is not is still refused.
 */
export const checkedSelector = (object: LabelSelectorObject): LabelSelector =>
  LabelSelector.of({ [Symbol.iterator]: () => termsOf(object, (key, operator, values) => ({ key, operator, values })) })

function* termsOf(
  { matchLabels, matchExpressions }: LabelSelectorObject,
  term: typeof checkedRequirement,
): Generator<LabelRequirement> {
  for (const [key, value] of entriesOf(matchLabels ?? {})) yield term(key, '=', [value])
  for (const { key, operator, values } of matchExpressions ?? []) {
    const known = objectOperators.get(operator)
    if (known === undefined) throw badRequest(`${quote(operator)} is not a valid label selector operator`)
    yield term(key, known, values ?? [])
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
  const terms: LabelRequirement[] = []
  for (const term of termsOf(object, checkedRequirement)) if (terms.push(term) % termsPerStep === 0) yield
  const sorted = yield* sortInSteps(terms, (a, b) => compareTexts(a.key, b.key))
  return (yield* listInSteps(sorted, formatRequirement)).join(',')
}

const termsPerStep = 256

/** A requirement that holds together; throws a 400 otherwise. */
export function checkedRequirement(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  const at = FieldPath.of('values')
  const errors: FieldError[] = []
  const keyMessages = checkQualifiedName(key)
  if (keyMessages.length > 0) errors.push(invalid(FieldPath.of('key'), key, keyMessages.join('; ')))
  const countMessage = countError(operator, values.length)
  if (countMessage !== undefined) errors.push(wrongValues(at, values, countMessage))
  values.forEach((value, i) => {
    if ((operator === 'gt' || operator === 'lt') && parseInteger(value) === undefined) {
      errors.push(invalid(at.index(i), value, "for 'Gt', 'Lt' operators, the value must be an integer"))
    }
  })
  values.forEach((value, i) => {
    const messages = checkLabelValue(value)
    if (messages.length > 0) errors.push(invalid(at.index(i).key(key), value, messages.join('; ')))
  })
  if (errors.length > 0) throw badRequest(aggregate(errors))
  return { key, operator, values }
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

/** Only strings count as labels: what an object inherits is none. */
function compileRequirement({ key, operator, values }: LabelRequirement): LabelPredicate {
  const labelValue = (labels: StringMap | undefined): string | undefined => {
    const value: unknown = labels?.[key]
    return typeof value === 'string' ? value : undefined
  }
  switch (operator) {
    case 'in':
    case '=':
    case '==': {
      const [only] = values
      if (values.length === 1) return (labels) => labels !== undefined && labels[key] === only
      const set: ReadonlySet<string | undefined> = new Set(values)
      return (labels) => set.has(labelValue(labels))
    }
    case 'notin':
    case '!=': {
      const set: ReadonlySet<string | undefined> = new Set(values)
      return (labels) => !set.has(labelValue(labels))
    }
    case 'exists':
      return (labels) => labelValue(labels) !== undefined
    case '!':
      return (labels) => labelValue(labels) === undefined
    case 'gt':
    case 'lt': {
      const bound = parseInteger(values[0] ?? '')
      if (bound === undefined) return () => false
      return (labels) => {
        const value = parseInteger(labelValue(labels) ?? '')
        return value !== undefined && (operator === 'gt' ? value > bound : value < bound)
      }
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
