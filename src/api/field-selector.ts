/**
 * Field selectors: `metadata.name=a,status.phase!=Running`. Commas, equal signs and backslashes of a value are escaped
 * with a backslash. Which fields a kind has is the caller's business. Bad input throws a 400 with the reference's text.
 */
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
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = []
  for (const term of splitTerms(text).sort()) {
    if (term === '') continue
    const [, field, operator, value] = /^(.*?)(!=|==|=)(.*)$/s.exec(term) ?? []
    if (field === undefined || value === undefined) {
      throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`)
    }
    const requirement = { field, operator: operator === '!=' ? '!=' : '=', value: unescapeValue(value) } as const
    if (requirement.field !== '' || requirement.value !== '') requirements.push(requirement)
  }
  return requirements
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
function splitTerms(text: string): string[] {
  const terms: string[] = []
  let start = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') {
      i++
    } else if (text[i] === ',') {
      terms.push(text.slice(start, i))
      start = i + 1
    }
  }
  return [...terms, text.slice(start)]
}

function unescapeValue(value: string): string {
  return value.replace(/\\([\s\S])?|[,=]/gu, (found, escaped: string | undefined) => {
    if (found === ',' || found === '=') {
      throw badRequest(`invalid field selector: unescaped character in value: ${found.charCodeAt(0)}`)
    }
    if (escaped === '\\' || escaped === ',' || escaped === '=') return escaped
    throw badRequest(`invalid field selector: invalid escape sequence: ${found}`)
  })
}
