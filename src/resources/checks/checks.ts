/**
 * The small checks that validation is made of. Each adds what it finds to a list that the caller owns, and makes a path
 * only when there is something to say: a good object costs no text and next to no memory.
 */
import { type FieldError, forbidden, invalid, notSupported, required } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkGroupId,
  checkLabelValue,
  checkQualifiedName,
  type Messages,
} from '../../api/names.ts'
import type { CheckedOnce } from '../../api/release-changes.ts'
import { eachMember } from '../../api/rules-in-steps.ts'
import type { WriteContext } from '../../registry/strategy.ts'

export type Errors = FieldError[]

/** How messages name the object as a whole. */
export const wholePath = '[]'

export const negativeMessage = 'must be greater than or equal to 0'
export const immutableMessage = 'field is immutable'

export const isUnset = (text: string | null | undefined): boolean => text === undefined || text === '' || text === null

export function addMessages(errors: Errors, at: FieldPath, value: string | number, messages: Messages): void {
  for (const message of messages) errors.push(invalid(at, value, message))
}

/** The text of a field that must not be empty. */
export function requireText(errors: Errors, value: string | undefined, at: FieldPath, name: string): void {
  if (isUnset(value)) errors.push(required(at.child(name)))
}

export function checkNotNegative(errors: Errors, value: number | undefined, at: FieldPath, name: string): void {
  if (value !== undefined && value < 0) errors.push(invalid(at.child(name), value, negativeMessage))
}

export function checkPositive(errors: Errors, value: number | undefined, at: FieldPath, name: string): void {
  if ((value ?? 0) <= 0) errors.push(invalid(at.child(name), value ?? 0, 'must be greater than zero'))
}

export function checkLabel(errors: Errors, value: string, at: FieldPath, name: string): void {
  const messages = checkDns1123Label(value)
  if (messages.length > 0) addMessages(errors, at.child(name), value, messages)
}

export function checkSubdomain(errors: Errors, value: string, at: FieldPath, name: string): void {
  const messages = checkDns1123Subdomain(value)
  if (messages.length > 0) addMessages(errors, at.child(name), value, messages)
}

export function checkQualified(errors: Errors, value: string, at: FieldPath): void {
  const messages = checkQualifiedName(value)
  if (messages.length > 0) addMessages(errors, at, value, messages)
}

export function checkId(errors: Errors, value: number | undefined, at: FieldPath, name: string): void {
  if (value === undefined) return
  const messages = checkGroupId(value)
  if (messages.length > 0) addMessages(errors, at.child(name), value, messages)
}

/** Keys and values of labels, all reported at the map itself. */
export function checkLabels(errors: Errors, labels: Readonly<Record<string, string>> | undefined, at: FieldPath): void {
  if (labels === undefined) return
  eachMember(errors, labels, (errors, key, value = '') => {
    const keyMessages = checkQualifiedName(key)
    if (keyMessages.length > 0) addMessages(errors, at, key, keyMessages)
    const valueMessages = checkLabelValue(value)
    if (valueMessages.length > 0) addMessages(errors, at, value, valueMessages)
  })
}

export function checkOneOf(
  errors: Errors,
  value: string,
  supported: readonly string[],
  at: FieldPath,
  name: string,
): void {
  if (!supported.includes(value)) errors.push(notSupported(at.child(name), value, supported))
}

/** A value of a closed set that must be there. */
export function requireOneOf(
  errors: Errors,
  value: string | undefined,
  supported: readonly string[],
  at: FieldPath,
  name: string,
): void {
  if (value === undefined || value === '') errors.push(required(at.child(name)))
  else checkOneOf(errors, value, supported, at, name)
}

/** The permissions of a file. */
export function checkFileMode(errors: Errors, mode: number | undefined, at: FieldPath, name: string): void {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return
  errors.push(invalid(at.child(name), mode, 'must be a number between 0 and 0777 (octal), both inclusive'))
}

const stepsUp = (path: string): boolean => path.includes('..') && path.split('/').includes('..')

/** No element of the path is `..`. */
export function checkNoBacksteps(errors: Errors, path: string, at: FieldPath): void {
  if (stepsUp(path)) errors.push(invalid(at, path, "must not contain '..'"))
}

export const hasBacksteps = stepsUp

/** A path below where it is used. */
export function checkDescendingPath(errors: Errors, path: string, at: FieldPath): void {
  if (path.startsWith('/')) errors.push(invalid(at, path, 'must be a relative path'))
  checkNoBacksteps(errors, path, at)
}

/** A path below where it is used whose name is not kept for the system. */
export function checkLocalPath(errors: Errors, path: string, at: FieldPath): void {
  checkDescendingPath(errors, path, at)
  if (path.startsWith('..') && !path.startsWith('../')) errors.push(invalid(at, path, "must not start with '..'"))
}

/** Fields that may not be there at all. */
export function forbidPresent<T extends object>(
  errors: Errors,
  object: T,
  names: readonly (keyof T & string)[],
  at: FieldPath,
  why: string,
): void {
  for (const name of names) if (object[name] !== undefined) errors.push(forbidden(at.child(name), why))
}

/** What an update finds that checks the object as a new one first; later releases leave that out. */
export const repeatedCheck = (
  { gate }: Pick<WriteContext, 'gate'>,
  kind: CheckedOnce,
  errors: readonly FieldError[],
): readonly FieldError[] => (gate(`release:checksOnce/${kind}`) ? [] : errors)
