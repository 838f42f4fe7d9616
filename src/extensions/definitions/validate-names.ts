/** The rules of a definition's names and of the parts of a version that are not its schema. */

import { duplicate, type FieldError, forbidden, invalid, required, tooMany } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import { isRequestUri, readUrl } from '../../api/golang/url-parts.ts'
import { checkDns1035Label } from '../../api/names.ts'
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionNames,
  CustomResourceSubresources,
  JSONSchemaProps,
  SelectableField,
} from '../../catalog/types/apiextensions-v1.ts'
import { pushAll } from '../../lib/push-all.ts'
import { findSchemaPath } from './schema-path.ts'

export function requireNames(names: Partial<CustomResourceDefinitionNames>, at: FieldPath): FieldError[] {
  const wanted = ['plural', 'singular', 'kind', 'listKind'] as const
  return wanted.flatMap((key) => ((names[key] ?? '') === '' ? [required(at.child(key))] : []))
}

export function validateDefinitionNames(names: Partial<CustomResourceDefinitionNames>, at: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const { plural = '', singular = '', kind = '', listKind = '', shortNames = [], categories = [] } = names
  const check = (value: string, place: FieldPath, mixedCase = false): void => {
    const problems = checkDns1035Label(mixedCase ? value.toLowerCase() : value)
    if (problems.length === 0) return
    const prefix = mixedCase ? 'may have mixed case, but should otherwise match: ' : ''
    errors.push(invalid(place, value, prefix + problems.join(',')))
  }
  if (plural !== '') check(plural, at.child('plural'))
  if (singular !== '') check(singular, at.child('singular'))
  if (kind !== '') check(kind, at.child('kind'), true)
  if (listKind !== '') check(listKind, at.child('listKind'), true)
  for (const [i, name] of shortNames.entries()) check(name, at.child('shortNames').index(i))
  if (kind !== '' && kind === listKind) {
    errors.push(invalid(at.child('listKind'), listKind, 'kind and listKind may not be the same'))
  }
  for (const [i, name] of categories.entries()) check(name, at.child('categories').index(i))
  return errors
}

/** The text must be printable; the place of the first character that is not counts in bytes. */
export function deprecationProblems(deprecated: boolean, warning: string | undefined): string[] {
  if (warning === undefined) return []
  if (!deprecated) return ['can only be set for deprecated versions']
  const problems: string[] = []
  if (Buffer.byteLength(warning) > 256) problems.push('must be <= 256 characters long')
  if (warning === '') problems.push('must not be an empty string')
  const bad = [...warning].findIndex((char) => !/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char))
  if (bad >= 0) {
    const index = Buffer.byteLength([...warning].slice(0, bad).join(''))
    problems.push(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`)
  }
  return problems
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

export function validateColumns(
  columns: readonly CustomResourceColumnDefinition[] | undefined,
  at: FieldPath,
): FieldError[] {
  return (columns ?? []).flatMap((column, i) => validateColumn(column, at.index(i)))
}

function validateColumn(column: CustomResourceColumnDefinition, at: FieldPath): FieldError[] {
  const { name = '', type = '', format = '', jsonPath = '' } = column
  const errors: FieldError[] = []
  const oneOf = (list: readonly string[]): string => `must be one of ${list.join(',')}`
  if (name === '') errors.push(required(at.child('name')))
  if (type === '') errors.push(required(at.child('type'), oneOf(columnTypes)))
  else if (!columnTypes.includes(type)) errors.push(invalid(at.child('type'), type, oneOf(columnTypes)))
  if (format !== '' && !columnFormats.includes(format)) {
    errors.push(invalid(at.child('format'), format, oneOf(columnFormats)))
  }
  if (jsonPath === '') errors.push(required(at.child('JSONPath')))
  else pushAll(errors, validateSimplePath(jsonPath, at.child('JSONPath')))
  return errors
}

const validateSimplePath = (path: string, at: FieldPath): FieldError[] =>
  path.startsWith('.') ? [] : [invalid(at, path, 'must be a simple json path starting with .')]

export function validateSubresources(
  subresources: CustomResourceSubresources | undefined,
  at: FieldPath,
): FieldError[] {
  const scale = subresources?.scale
  if (scale === undefined) return []
  return [
    ...validateScalePath(scale.specReplicasPath, at.child('scale.specReplicasPath'), ['.spec']),
    ...validateScalePath(scale.statusReplicasPath, at.child('scale.statusReplicasPath'), ['.status']),
    ...((scale.labelSelectorPath ?? '') === ''
      ? []
      : validateScalePath(scale.labelSelectorPath, at.child('scale.labelSelectorPath'), ['.spec', '.status'])),
  ]
}

function validateScalePath(path = '', at: FieldPath, under: readonly string[]): FieldError[] {
  if (path === '') return [required(at)]
  const errors = validateSimplePath(path, at)
  if (errors.length > 0 || under.some((root) => path.startsWith(`${root}.`))) return errors
  const where = under.length === 1 ? (under[0] ?? '') : `either ${under.join(' or ')}`
  return [invalid(at, path, `should be a json path under ${where}`)]
}

const maxSelectableFields = 8
const selectableTypes = new Set(['string', 'boolean', 'integer'])

export function validateSelectableFields(
  fields: readonly SelectableField[],
  schema: JSONSchemaProps,
  at: FieldPath,
  { isKept }: { readonly isKept: boolean },
): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [i, { jsonPath = '' }] of fields.entries()) {
    const place = at.index(i).child('jsonPath')
    if (jsonPath === '') {
      errors.push(required(place))
      continue
    }
    const found = findSchemaPath(jsonPath, schema, { brackets: false })
    if ('problem' in found) {
      errors.push(invalid(place, jsonPath, `is an invalid path: ${found.problem}`))
      continue
    }
    if (found.names[0] === 'metadata') errors.push(invalid(place, jsonPath, 'must not point to fields in metadata'))
    if (!selectableTypes.has(found.found.type ?? '')) {
      errors.push(
        invalid(
          place,
          jsonPath,
          'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        ),
      )
    }
    if (seen.has(found.text)) errors.push(duplicate(place, jsonPath))
    seen.add(found.text)
  }
  if (seen.size > maxSelectableFields && !isKept) errors.push(tooMany(at, seen.size, maxSelectableFields))
  return errors
}

/** Groups of the project itself need a sign that its API reviewers know of them. */
export function validateApproval(
  group: string,
  annotations: Readonly<Record<string, string>> | undefined,
  oldAnnotations: Readonly<Record<string, string>> | undefined,
): FieldError[] {
  if (!isProtectedGroup(group)) return []
  const state = approvalState(annotations)
  if (oldAnnotations !== undefined && approvalState(oldAnnotations).kind === state.kind) return []
  const at = `metadata.annotations[${approvedAnnotation}]`
  if (state.kind === 'missing') return [required(at, state.why)]
  return state.kind === 'invalid' ? [invalid(at, annotations?.[approvedAnnotation] ?? '', state.why)] : []
}

export const isProtectedGroup = (group: string): boolean => /(^|\.)(k8s|kubernetes)\.io$/.test(group)

const approvedAnnotation = 'api-approved.kubernetes.io'

export function approvalState(annotations: Readonly<Record<string, string>> | undefined): {
  readonly kind: 'approved' | 'missing' | 'invalid' | 'bypassed'
  readonly why: string
  readonly value: string
} {
  const value = annotations?.[approvedAnnotation] ?? ''
  if (value === '') {
    const why = `protected groups must have approval annotation ${JSON.stringify(approvedAnnotation)}, see https://github.com/kubernetes/enhancements/pull/1111`
    return { kind: 'missing', why, value }
  }
  if (value.startsWith('unapproved')) return { kind: 'bypassed', why: '', value }
  if (isRequestUri(value) && hasHost(value)) return { kind: 'approved', why: '', value }
  const why = `protected groups must have approval annotation ${JSON.stringify(approvedAnnotation)} with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`
  return { kind: 'invalid', why, value }
}

function hasHost(url: string): boolean {
  const parts = readUrl(url)
  return typeof parts !== 'string' && parts.scheme !== '' && parts.host !== ''
}

export const forbiddenUnlessWebhook = (at: FieldPath): FieldError =>
  forbidden(at, 'should not be set when strategy is not set to Webhook')
