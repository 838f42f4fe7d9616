/** Rules that claims, classes, slices and taint rules share: names, selectors, configurations, taints, bounded lists. */

import {
  duplicate,
  type FieldError,
  fieldErrorWith,
  forbidden,
  invalid,
  notSupported,
  ofNamedText,
  ofPlainText,
  required,
  tooLong,
  tooMany,
} from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { isJsonObject, type JsonValue } from '../../../api/json.ts'
import { jsonText } from '../../../api/json-text.ts'
import {
  checkCIdentifier,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  checkQualifiedName,
  isLongerThan,
} from '../../../api/names.ts'
import { eachItem } from '../../../api/rules-in-steps.ts'
import type {
  DeviceSelector,
  DeviceTaint,
  DeviceToleration,
  OpaqueDeviceConfiguration,
} from '../../../catalog/types/resource-v1beta2.ts'
import { pushAll } from '../../../lib/push-all.ts'
import { addMessages, type Errors } from '../../checks/checks.ts'
import { validateDriverName } from '../../checks/csi-names.ts'
import { type ExpressionProblem, expressionErrors } from '../control/expressions.ts'

/** Compiles a selector of devices. `too-complex`: it is right, but could take too long. */
export type CheckDeviceSelector = (expression: string, stored: boolean) => ExpressionProblem | 'too-complex' | undefined

/** What was stored before is held to less. */
export interface CheckLeniency {
  readonly stored: boolean
  /** Constraints may ask for attributes that differ. */
  readonly distinct?: boolean
  /** Names that are empty are of a wrong form, and not missing. */
  readonly emptyIsWrong?: boolean
  /** A request that asks in two ways is looked at no further. */
  readonly oneWay?: boolean
  /** What tolerations may be about, where it is more than by default. */
  readonly effects?: readonly string[]
  readonly selector: CheckDeviceSelector
}

const maxPoolName = 253
const maxIdentifier = 32
const maxSelectors = 32
const maxExpression = 10 * 1024
const maxParameters = 10 * 1024
export const maxConfigurations = 32

export type CheckItem<T> = (errors: Errors, item: T, at: FieldPath) => void

export function checkList<T>(
  errors: Errors,
  items: readonly T[] | null | undefined,
  limit: number,
  at: FieldPath,
  check: CheckItem<T>,
): void {
  eachItem(errors, items ?? [], (errors, item, i) => {
    check(errors, item, at.index(i))
  })
  if (items && items.length > limit) errors.push(tooMany(at, items.length, limit))
}

/** A list without two of the same key, which is reported at its field. */
export function checkSet<T>(
  errors: Errors,
  items: readonly T[] | null | undefined,
  limit: number,
  at: FieldPath,
  { check, key, field }: { readonly check: CheckItem<T>; readonly key: (item: T) => string; readonly field?: string },
): void {
  checkList(errors, items, limit, at, check)
  const seen = new Set<string>()
  eachItem(errors, items ?? [], (errors, item, i) => {
    const name = key(item)
    if (seen.has(name)) errors.push(duplicate(field === undefined ? at.index(i) : at.index(i).child(field), name))
    seen.add(name)
  })
}

export const textItself = (text: string): string => text

export function checkLabelAt(errors: Errors, name: string, at: FieldPath): void {
  addMessages(errors, at, name, checkDns1123Label(name))
}

export function checkClassName(errors: Errors, name: string, at: FieldPath): void {
  addMessages(errors, at, name, checkDns1123Subdomain(name))
}

export function checkPoolName(errors: Errors, name: string, at: FieldPath): void {
  if (name === '') {
    errors.push(required(at))
    return
  }
  if (isLongerThan(name, maxPoolName)) errors.push(tooLong(at, maxPoolName))
  for (const part of name.split('/')) addMessages(errors, at, part, checkDns1123Subdomain(part))
}

/** An identifier, of a domain or of the driver's own. */
export function checkIdentifier(errors: Errors, name: string, at: FieldPath, emptyIsWrong = false): void {
  const missing = (why: string): FieldError => (emptyIsWrong ? invalid(at, '', why) : required(at, why))
  if (name === '' && !emptyIsWrong) {
    errors.push(required(at, 'name required'))
    return
  }
  const [first = '', second, ...more] = name.split('/')
  if (more.length > 0) return
  if (second === undefined) {
    checkPlainIdentifier(errors, first, at, emptyIsWrong)
    return
  }
  if (first === '') errors.push(missing('the domain must not be empty'))
  else {
    const found: Errors = []
    validateDriverName(found, first, at)
    pushAll(errors, found.map(ofPlainText))
  }
  if (second === '') errors.push(missing('the name must not be empty'))
  else checkPlainIdentifier(errors, second, at, emptyIsWrong)
}

function checkPlainIdentifier(errors: Errors, id: string, at: FieldPath, isOfForm: boolean): void {
  if (isLongerThan(id, maxIdentifier)) errors.push(tooLong(at, maxIdentifier))
  for (const message of checkCIdentifier(id)) {
    const error = ofPlainText(invalid(at, id, message))
    errors.push(isOfForm ? error : fieldErrorWith(error, { reason: 'FieldValueTypeInvalid' }))
  }
}

export function checkSelectors(
  errors: Errors,
  selectors: readonly DeviceSelector[] | undefined,
  at: FieldPath,
  held: CheckLeniency,
): void {
  checkList(errors, selectors, maxSelectors, at, (errors, { cel }, itemAt) => {
    if (cel === undefined) errors.push(required(itemAt.child('cel')))
    else pushAll(errors, expressionFaults(cel.expression, itemAt.child('cel', 'expression'), held))
  })
}

function expressionFaults(expression: string, at: FieldPath, { stored, selector }: CheckLeniency): FieldError[] {
  if (isLongerThan(expression, maxExpression)) return [tooLong(at, maxExpression)]
  const problem = selector(expression, stored)
  if (problem === 'too-complex') return [forbidden(at, 'too complex, exceeds cost limit')]
  return expressionErrors(problem, at, expression)
}

export function checkConfiguration(
  errors: Errors,
  opaque: OpaqueDeviceConfiguration | undefined,
  at: FieldPath,
  stored: boolean,
): void {
  if (opaque === undefined) {
    errors.push(required(at.child('opaque')))
    return
  }
  validateDriverName(errors, opaque.driver, at.child('opaque', 'driver'))
  checkRaw(errors, opaque.parameters, at.child('opaque', 'parameters'), stored)
}

/** Any object, as long as it is not long. */
export function checkRaw(errors: Errors, raw: JsonValue | undefined, at: FieldPath, stored: boolean): void {
  if (raw === undefined || raw === null) errors.push(required(at))
  else if (!stored && isLongerThan(jsonText(raw), maxParameters)) errors.push(tooLong(at, maxParameters))
  else if (!isJsonObject(raw)) errors.push(invalid(at, '<value omitted>', 'parameters must be a valid JSON object'))
}

/** `None` came with a later release. */
export const taintEffects = (gate: (name: string) => boolean): readonly string[] =>
  gate('release:taintsWithoutEffect') ? ['NoExecute', 'NoSchedule', 'None'] : defaultEffects

const defaultEffects: readonly string[] = ['NoExecute', 'NoSchedule']
const operators = ['Equal', 'Exists']

export function checkTaint(
  errors: Errors,
  { key, value = '', effect }: DeviceTaint,
  at: FieldPath,
  effects: readonly string[] = defaultEffects,
): void {
  addMessages(errors, at.child('key'), key, checkQualifiedName(key))
  if (value !== '') addMessages(errors, at.child('value'), value, checkLabelValue(value))
  if (effect === '') errors.push(required(at.child('effect')))
  else if (!effects.includes(effect)) errors.push(ofNamedText(notSupported(at.child('effect'), effect, effects)))
}

export function checkToleration(
  errors: Errors,
  toleration: DeviceToleration,
  at: FieldPath,
  effects: readonly string[] = defaultEffects,
): void {
  const { key = '', operator = '', value = '', effect = '' } = toleration
  if (key !== '') addMessages(errors, at.child('key'), key, checkQualifiedName(key))
  if (operator === 'Exists') {
    if (value !== '') errors.push(invalid(at.child('value'), value, 'must be empty for operator `Exists`'))
  } else if (operator === 'Equal') addMessages(errors, at.child('value'), value, checkLabelValue(value))
  else if (operator === '') errors.push(required(at.child('operator')))
  else errors.push(ofNamedText(notSupported(at.child('operator'), operator, operators)))
  if (effect !== '' && !effects.includes(effect)) {
    errors.push(ofNamedText(notSupported(at.child('effect'), effect, effects)))
  }
}
