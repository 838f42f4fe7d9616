/**
 * The variables of a container: a name, and a value or one source of it.
 * Mirrors pkg/apis/core/validation: ValidateEnv, ValidateEnvFrom.
 */
import { invalid, required } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import {
  checkConfigMapKey,
  checkEnvVarName,
  checkRelaxedEnvVarName,
  checkSubdomainName,
  type Messages,
} from '../../../api/names.ts'
import type { ConfigMapKeySelector, EnvFromSource, EnvVar } from '../../../catalog/types/core-v1.ts'
import { addMessages, type Errors, isUnset } from '../../checks/checks.ts'
import { envFields, validateFieldRef, validateResourceFieldRef } from './downward-api.ts'

const checkName = (name: string, relaxed: boolean): Messages =>
  relaxed ? checkRelaxedEnvVarName(name) : checkEnvVarName(name)

export function validateEnv(errors: Errors, variables: readonly EnvVar[], at: FieldPath, relaxed: boolean): void {
  for (let i = 0; i < variables.length; i++) {
    const variable = variables[i] as EnvVar
    if (isUnset(variable.name)) errors.push(required(at.index(i).child('name')))
    else {
      const messages = checkName(variable.name, relaxed)
      if (messages.length > 0) addMessages(errors, at.index(i).child('name'), variable.name, messages)
    }
    if (variable.valueFrom !== undefined) validateSource(errors, variable, at.index(i).child('valueFrom'))
  }
}

function validateSource(errors: Errors, { value = '', valueFrom = {} }: EnvVar, at: FieldPath): void {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom
  if (fieldRef !== undefined) validateFieldRef(errors, fieldRef, envFields, at.child('fieldRef'))
  if (resourceFieldRef !== undefined) {
    validateResourceFieldRef(errors, resourceFieldRef, at.child('resourceFieldRef'), false)
  }
  if (configMapKeyRef !== undefined) validateKey(errors, configMapKeyRef, at.child('configMapKeyRef'))
  if (secretKeyRef !== undefined) validateKey(errors, secretKeyRef, at.child('secretKeyRef'))
  const given = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef].filter((each) => each !== undefined).length
  if (given === 0) {
    const why = 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`'
    errors.push(invalid(at, '', why))
  } else if (value !== '') errors.push(invalid(at, '', 'may not be specified when `value` is not empty'))
  else if (given > 1) errors.push(invalid(at, '', 'may not have more than one field specified at a time'))
}

function validateKey(errors: Errors, { name = '', key }: ConfigMapKeySelector, at: FieldPath): void {
  addMessages(errors, at.child('name'), name, checkSubdomainName(name))
  if (isUnset(key)) errors.push(required(at.child('key')))
  else addMessages(errors, at.child('key'), key, checkConfigMapKey(key))
}

export function validateEnvFrom(
  errors: Errors,
  sources: readonly EnvFromSource[],
  at: FieldPath,
  relaxed: boolean,
): void {
  sources.forEach(({ prefix = '', configMapRef, secretRef }, i) => {
    const itemAt = at.index(i)
    if (prefix !== '') addMessages(errors, itemAt.child('prefix'), prefix, checkName(prefix, relaxed))
    if (configMapRef !== undefined) validateName(errors, configMapRef.name, itemAt.child('configMapRef'))
    if (secretRef !== undefined) validateName(errors, secretRef.name, itemAt.child('secretRef'))
    const given = [configMapRef, secretRef].filter((each) => each !== undefined).length
    if (given === 0) errors.push(invalid(at, '', 'must specify one of: `configMapRef` or `secretRef`'))
    else if (given > 1) errors.push(invalid(at, '', 'may not have more than one field specified at a time'))
  })
}

function validateName(errors: Errors, name = '', at: FieldPath): void {
  if (name === '') errors.push(required(at.child('name')))
  else addMessages(errors, at.child('name'), name, checkSubdomainName(name, true))
}
