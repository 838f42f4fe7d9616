/**
 * The selectors of a query, each read once for all who ask: the path's name, authorization, fairness and the handler. A query may be a
 * mebibyte long; selectors of such a one are read in steps before the request goes on.
 */
import type { Awaitable } from '../lib/awaitable.ts'
import { inTurns, runToEnd, type Steps } from '../lib/in-turns.ts'
import { SideTable } from '../lib/memo.ts'
import { type FieldSelector, fieldSelectorInSteps, fieldSelectorRequirements } from './field-selector.ts'
import type { LabelSelector } from './label-selector.ts'
import { labelSelectorInSteps } from './label-selector-text.ts'
import { QueryParameters } from './query-parameters.ts'
import type { SelectorRequirement } from './request-attributes.ts'

/** What reading came to. */
type Outcome<T> = { readonly value: T } | { readonly error: unknown }

/** Reads what a query says once. */
class Reading<T> {
  readonly #outcomes = new SideTable<QueryParameters, Outcome<T>>()
  readonly #read: (query: QueryParameters) => Steps<T>

  constructor(read: (query: QueryParameters) => Steps<T>) {
    this.#read = read
  }

  /** Throws what reading throws, each time. */
  of(query: QueryParameters): T {
    const outcome = this.#outcomes.get(query) ?? runToEnd(this.inSteps(query))
    if ('error' in outcome) throw outcome.error
    return outcome.value
  }

  *inSteps(query: QueryParameters): Steps<Outcome<T>> {
    const outcome = yield* outcomeOf(this.#read(query))
    this.#outcomes.set(query, outcome)
    return outcome
  }
}

function* outcomeOf<T>(steps: Steps<T>): Steps<Outcome<T>> {
  try {
    return { value: yield* steps }
  } catch (error) {
    return { error }
  }
}

const labels = new Reading<LabelSelector>((query) => labelSelectorInSteps(query.get('labelSelector') ?? ''))
const fields = new Reading<FieldSelector>((query) => fieldSelectorInSteps(query.get('fieldSelector') ?? ''))
const fieldRequirements = new Reading<readonly SelectorRequirement[]>(function* (query) {
  yield
  return fieldSelectorRequirements(fields.of(query))
})

/** Throws a 400. */
export const labelSelectorOf = (query: QueryParameters): LabelSelector => labels.of(query)

/** Throws a 400. */
export const fieldSelectorOf = (query: QueryParameters): FieldSelector => fields.of(query)

/** The field selector as authorization sees it; throws a 400. */
export const fieldRequirementsOf = (query: QueryParameters): readonly SelectorRequirement[] =>
  fieldRequirements.of(query)

/** Characters of a query whose selectors are read at once. */
const shortQuery = 8192

/** The parameters of a query, and its selectors where they may be long: who asks for them then has them. */
export function queryInTurns(query: string): Awaitable<QueryParameters> {
  const parameters = QueryParameters.parse(query)
  return query.length > shortQuery ? inTurns(readSelectors(parameters)) : parameters
}

function* readSelectors(query: QueryParameters): Steps<QueryParameters> {
  const read = yield* labels.inSteps(query)
  if ('value' in read) yield* read.value.prepareInSteps()
  yield* fields.inSteps(query)
  yield* fieldRequirements.inSteps(query)
  return query
}
