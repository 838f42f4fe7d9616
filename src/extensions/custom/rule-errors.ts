/** What a broken rule of a schema is reported as: its type, its text and the path that it names. */

import {
  duplicate,
  duplicateUnshown,
  type FieldError,
  forbidden,
  internal,
  invalid,
  invalidUnshown,
  required,
} from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import type { JsonValue } from '../../api/json.ts'
import type { ExpressionRule, Schema } from '../../schema/schema.ts'
import { followPath, type PathStep } from './field-path.ts'

/** What the definition calls the type; nothing where it says none. */
export function typeText(schema: Schema): string {
  switch (schema.kind) {
    case 'object':
    case 'map':
      return 'object'
    case 'list':
      return 'array'
    case 'any':
    case 'int-or-string':
      return ''
    default:
      return schema.kind
  }
}

export const shortText = ({ rule, message = '' }: ExpressionRule): string => (message === '' ? rule : message).trim()

export const defaultText = (rule: ExpressionRule): string =>
  (rule.message ?? '') === '' ? `failed rule: ${shortText(rule)}` : (rule.message ?? '').trim()

export function errorFor(
  { reason }: ExpressionRule,
  at: FieldPath,
  shown: JsonValue | undefined,
  text: string,
): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(at, text)
    case 'FieldValueRequired':
      return required(at, text)
    case 'FieldValueDuplicate':
      return shown === undefined ? duplicateUnshown(at) : duplicate(at, shown)
    case 'InternalError':
      return internal(at, text)
    default:
      return shown === undefined ? invalidUnshown(at, text) : invalid(at, shown, text)
  }
}

const step: PathStep<Schema> = (schema, name) => {
  if (schema.kind === 'object' && schema.fields.size > 0) {
    const field = schema.fields.get(name)
    return field === undefined ? undefined : { to: field.schema, isField: true }
  }
  return schema.kind === 'map' ? { to: schema.values, isField: false } : undefined
}

export function normalizedPath(path: string, schema: Schema): string | undefined {
  const found = followPath(path, schema, step)
  return 'problem' in found || found.text === '' ? undefined : found.text
}
