/** What is wrong with labels and with the object form of selectors, with paths and words of the reference. */

import { pushAll } from '../lib/push-all.ts'
import { type FieldError, forbidden, invalid, required } from './field-error.ts'
import type { FieldPath } from './field-path.ts'
import type { LabelSelectorExpression, LabelSelectorObject } from './label-selector.ts'
import { checkLabelValue, checkQualifiedName } from './names.ts'
import type { StringMap } from './object.ts'
import { eachItem, eachMember } from './rules-in-steps.ts'

export interface LabelSelectorValidation {
  /** For updates of objects that already hold such values. */
  readonly allowInvalidLabelValue?: boolean
  /** For access reviews, whose authorizers may know more operators. */
  readonly allowUnknownOperator?: boolean
}

export function validateLabelSelector(
  selector: LabelSelectorObject | null | undefined,
  at: FieldPath,
  options: LabelSelectorValidation = {},
): FieldError[] {
  if (selector === null || selector === undefined) return []
  const found = validateLabelMap(selector.matchLabels, at.child('matchLabels'))
  eachItem(found, selector.matchExpressions ?? [], (errors, expression, i) => {
    pushAll(errors, validateLabelExpression(expression, at.child('matchExpressions').index(i), options))
  })
  return found
}

export function validateLabelExpression(
  expression: LabelSelectorExpression,
  at: FieldPath,
  options: LabelSelectorValidation = {},
): FieldError[] {
  const { key, values = [] } = expression
  const found = [...validateOperator(expression, at, options), ...validateLabelKey(key, at.child('key'))]
  if (options.allowInvalidLabelValue) return found
  eachItem(found, values, (errors, value, i) => {
    for (const message of checkLabelValue(value)) errors.push(invalid(at.child('values').index(i), value, message))
  })
  return found
}

/** One requirement of a field selector, as access reviews carry them. */
export function validateFieldExpression(
  expression: LabelSelectorExpression,
  at: FieldPath,
  options: LabelSelectorValidation = {},
): FieldError[] {
  const key = expression.key === '' ? [required(at.child('key'), 'must be specified')] : []
  return [...key, ...validateOperator(expression, at, options)]
}

function validateOperator(
  { operator, values = [] }: LabelSelectorExpression,
  at: FieldPath,
  options: LabelSelectorValidation,
): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0
        ? []
        : [required(at.child('values'), "must be specified when `operator` is 'In' or 'NotIn'")]
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [forbidden(at.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
    default:
      return options.allowUnknownOperator
        ? []
        : [invalid(at.child('operator'), operator, 'not a valid selector operator')]
  }
}

const validateLabelKey = (key: string, at: FieldPath): FieldError[] =>
  checkQualifiedName(key).map((message) => invalid(at, key, message))

export function validateLabelMap(labels: StringMap | undefined, at: FieldPath): FieldError[] {
  const found: FieldError[] = []
  eachMember(found, labels ?? {}, (errors, key, value) => {
    pushAll(errors, validateLabelKey(key, at))
    for (const message of checkLabelValue(value)) errors.push(invalid(at, value, message))
  })
  return found
}

/** Whether an object that is being updated already holds values that no label can have. */
export const hasInvalidLabelValue = (selector: LabelSelectorObject | null | undefined): boolean =>
  (selector?.matchExpressions ?? []).some(({ values = [] }) =>
    values.some((value) => checkLabelValue(value).length > 0),
  )
