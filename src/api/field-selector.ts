/**
 * Field selectors: `metadata.name=a,status.phase!=Running`. Commas, equal signs and backslashes of a value are escaped
 * with a backslash. Which fields a kind has is the caller's business. Bad input throws a 400 with the reference's text.
 */
import { runToEnd, type Steps } from '../lib/in-turns.ts'
import { compareTexts } from './key-lists.ts'
import { sortInSteps } from './large-values.ts'
import type { SelectorRequirement } from './request-attributes.ts'
import { badRequest } from './status-error.ts'

export interface FieldRequirement {
  readonly field: string
  readonly operator: '=' | '!='
  readonly value: string
}

/** Every requirement must hold; an empty list asks for nothing. Sorted as the reference sorts them. */
export type FieldSelector = readonly FieldRequirement[]

/** Throws a 400. */
export const parseFieldSelector = (text: string): FieldSelector => runToEnd(fieldSelectorInSteps(text))

/** As `parseFieldSelector`. */
export function* fieldSelectorInSteps(text: string): Steps<FieldSelector> {
  if (text === '') return []
  const requirements: FieldRequirement[] = []
  const terms = yield* sortInSteps(yield* termsInSteps(text), compareTexts)
  for (let i = 0; i < terms.length; i++) {
    if (i % termsOfStep === termsOfStep - 1) yield
    const requirement = yield* requirementInSteps(terms[i] as string, text)
    if (requirement !== undefined) requirements.push(requirement)
  }
  return requirements
}

const termsOfStep = 256

/** Undefined where the term says nothing. */
function* requirementInSteps(term: string, selector: string): Steps<FieldRequirement | undefined> {
  if (term === '') return undefined
  const [, field, operator, value] = /^(.*?)(!=|==|=)(.*)$/s.exec(term) ?? []
  if (field === undefined || value === undefined) {
    throw badRequest(`invalid selector: '${selector}'; can't understand '${term}'`)
  }
  const requirement = { field, operator: operator === '!=' ? '!=' : '=', value: yield* unescapeInSteps(value) } as const
  return requirement.field === '' && requirement.value === '' ? undefined : requirement
}

export const matchesFields = (selector: FieldSelector, fieldValue: (field: string) => string): boolean =>
  selector.every(({ field, operator, value }) => (fieldValue(field) === value) === (operator === '='))

/** The one value that the field must have, if there is one. */
export const exactFieldValue = (selector: FieldSelector, field: string): string | undefined =>
  selector.find((requirement) => requirement.field === field && requirement.operator === '=')?.value

export const formatFieldSelector = (selector: FieldSelector): string =>
  selector.map(({ field, operator, value }) => field + operator + value.replace(/[\\,=]/g, '\\$&')).join(',')

/** As authorization sees it. */
export const fieldSelectorRequirements = (selector: FieldSelector): SelectorRequirement[] =>
  selector.map(({ field, operator, value }) => ({
    key: field,
    operator: operator === '=' ? 'In' : 'NotIn',
    values: [value],
  }))

/** At commas that no backslash precedes; the backslashes stay. */
function* termsInSteps(text: string): Steps<string[]> {
  const terms: string[] = []
  let [start, count] = [0, 0]
  for (const { index } of text.matchAll(/\\[\s\S]|,/g)) {
    if (++count % termsOfStep === 0) yield
    if (text[index] !== ',') continue
    terms.push(text.slice(start, index))
    start = index + 1
  }
  terms.push(text.slice(start))
  return terms
}

function* unescapeInSteps(value: string): Steps<string> {
  let [text, start, count] = ['', 0, 0]
  for (const { 0: found, index } of value.matchAll(/\\[\s\S]?|[,=]/gu)) {
    if (++count % termsOfStep === 0) yield
    if (found === ',' || found === '=') {
      throw badRequest(`invalid field selector: unescaped character in value: ${found.charCodeAt(0)}`)
    }
    if (!escapes.has(found)) throw badRequest(`invalid field selector: invalid escape sequence: ${found}`)
    text += value.slice(start, index)
    start = index + 1
  }
  return text + value.slice(start)
}

const escapes: ReadonlySet<string> = new Set(['\\\\', '\\,', '\\='])
