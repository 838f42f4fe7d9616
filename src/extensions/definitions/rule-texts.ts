/** What can be said of validation rules without compiling them. */
import { type FieldError, invalid, notSupported, required } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import type { JSONSchemaProps, ValidationRule } from '../../catalog/types/apiextensions-v1.ts'
import { findSchemaPath } from './schema-path.ts'
import { unsupportedKeyword } from './validate-structural.ts'

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']

const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text)

export function validateRuleTexts(
  rules: readonly ValidationRule[],
  schema: JSONSchemaProps,
  at: FieldPath,
): FieldError[] {
  return rules.flatMap((rule, i) => validateRule(rule, schema, at.index(i)))
}

function validateRule(rule: ValidationRule, schema: JSONSchemaProps, at: FieldPath): FieldError[] {
  const { message = '', messageExpression = '', reason, fieldPath = '' } = rule
  const errors = validateMessage((rule.rule ?? '').trim(), message, at)
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(required(at.child('messageExpression'), 'messageExpression must be non-empty if specified'))
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    errors.push(notSupported(at.child('reason'), reason, reasons))
  }
  const path = at.child('fieldPath')
  if (fieldPath !== '' && fieldPath.trim() === '') {
    errors.push(invalid(path, fieldPath, 'fieldPath must be non-empty if specified'))
  }
  if (hasLineBreak(fieldPath)) errors.push(invalid(path, fieldPath, 'fieldPath must not contain line breaks'))
  if (fieldPath !== '' && !leads(fieldPath, schema)) {
    errors.push(invalid(path, fieldPath, 'fieldPath must be a valid path'))
  }
  return errors
}

/** Where there is no structure, any path will do. */
const leads = (path: string, schema: JSONSchemaProps): boolean =>
  unsupportedKeyword(schema) !== undefined || !('problem' in findSchemaPath(path, schema))

function validateMessage(rule: string, message: string, at: FieldPath): FieldError[] {
  if (rule === '') return [required(at.child('rule'), 'rule is not specified')]
  const text = message.trim()
  if (message !== '' && text === '') {
    return [invalid(at.child('message'), message, 'message must be non-empty if specified')]
  }
  if (hasLineBreak(text)) return [invalid(at.child('message'), message, 'message must not contain line breaks')]
  if (hasLineBreak(rule) && text === '') {
    return [required(at.child('message'), 'message must be specified if rule contains line breaks')]
  }
  return []
}
