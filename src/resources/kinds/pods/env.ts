/**
 * The variables of a container: a name, and a value or one source of it.
 * Mirrors pkg/apis/core/validation: ValidateEnv, ValidateEnvFrom.
 */

import { invalid, notFound, required } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import {
  checkConfigMapKey,
  checkDns1123Label,
  checkEnvVarName,
  checkRelaxedEnvVarName,
  checkSubdomainName,
  type Messages,
} from '../../../api/names.ts'
import { eachItem } from '../../../api/rules-in-steps.ts'
import type {
  ConfigMapKeySelector,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  PodSpec,
} from '../../../catalog/types/core-v1.ts'
import { addMessages, type Errors, isUnset } from '../../checks/checks.ts'
import { envFields, validateFieldRef, validateResourceFieldRef } from './downward-api.ts'

const checkName = (name: string, relaxed: boolean): Messages =>
  relaxed ? checkRelaxedEnvVarName(name) : checkEnvVarName(name)

interface EnvRules {
  readonly relaxedEnv: boolean
  /** Values may come from files of volumes. */
  readonly envFiles: boolean
}

export function validateEnv(errors: Errors, variables: readonly EnvVar[], at: FieldPath, rules: EnvRules): void {
  eachItem(errors, variables, (errors, variable, i) => {
    if (isUnset(variable.name)) errors.push(required(at.index(i).child('name')))
    else {
      const messages = checkName(variable.name, rules.relaxedEnv)
      if (messages.length > 0) addMessages(errors, at.index(i).child('name'), variable.name, messages)
    }
    if (variable.valueFrom !== undefined)
      validateSource(errors, variable, at.index(i).child('valueFrom'), rules.envFiles)
  })
}

/** A variable of a file in a volume; releases after the default one have it. */
interface FileKeySelector {
  readonly volumeName?: string
  readonly path?: string
  readonly key?: string
}

type Source = EnvVarSource & { readonly fileKeyRef?: FileKeySelector }

const fileKeyOf = ({ valueFrom }: EnvVar): FileKeySelector | undefined => (valueFrom as Source | undefined)?.fileKeyRef

function validateSource(errors: Errors, variable: EnvVar, at: FieldPath, files: boolean): void {
  const { value = '', valueFrom = {} } = variable
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom
  const fileKeyRef = fileKeyOf(variable)
  if (fieldRef !== undefined) validateFieldRef(errors, fieldRef, envFields, at.child('fieldRef'))
  if (resourceFieldRef !== undefined) {
    validateResourceFieldRef(errors, resourceFieldRef, at.child('resourceFieldRef'), false)
  }
  if (configMapKeyRef !== undefined) validateKey(errors, configMapKeyRef, at.child('configMapKeyRef'))
  if (secretKeyRef !== undefined) validateKey(errors, secretKeyRef, at.child('secretKeyRef'))
  if (fileKeyRef !== undefined) validateFileKey(errors, fileKeyRef, at.child('fileKeyRef'))
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef]
  const given = sources.filter((each) => each !== undefined).length
  if (given === 0) {
    const last = files ? ', `secretKeyRef` or `fileKeyRef`' : ' or `secretKeyRef`'
    errors.push(invalid(at, '', `must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\`${last}`))
  } else if (value !== '') errors.push(invalid(at, '', 'may not be specified when `value` is not empty'))
  else if (given > 1) errors.push(invalid(at, '', 'may not have more than one field specified at a time'))
}

function validateFileKey(
  errors: Errors,
  { volumeName = '', path = '', key = '' }: FileKeySelector,
  at: FieldPath,
): void {
  if (key === '') errors.push(required(at.child('key')))
  else addMessages(errors, at.child('key'), key, checkRelaxedEnvVarName(key))
  if (volumeName === '') errors.push(required(at.child('volumeName')))
  else addMessages(errors, at.child('volumeName'), volumeName, checkDns1123Label(volumeName))
  if (path === '') errors.push(required(at.child('path')))
  else if (path.split('/').includes('..')) errors.push(invalid(at.child('path'), path, "must not contain '..'"))
}

/** What variables take from files is in a volume of the pod that is empty at first. Mirrors pkg/apis/core/validation: validateFileKeyRefVolumes. */
export function validateFileVolumes(errors: Errors, spec: PodSpec, at: FieldPath): void {
  const volumes = new Map(spec.volumes?.map((volume) => [volume.name, volume]))
  const check = (errors: Errors, variable: EnvVar, place: FieldPath): void => {
    const fileKey = fileKeyOf(variable)
    if (fileKey === undefined) return
    const { volumeName = '' } = fileKey
    const volume = volumes.get(volumeName)
    const nameAt = place.child('valueFrom', 'fileKeyRef', 'volumeName')
    if (volume === undefined) errors.push(notFound(nameAt, volumeName))
    else if (volume.emptyDir === undefined) {
      errors.push(invalid(nameAt, volumeName, 'referenced volume must be of type emptyDir'))
    }
  }
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    eachItem(errors, spec[list] ?? [], (errors, { env = [] }, i) => {
      eachItem(errors, env, (errors, variable, j) => {
        check(errors, variable, at.child(list).index(i).child('env').index(j))
      })
    })
  }
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
  eachItem(errors, sources, (errors, { prefix = '', configMapRef, secretRef }, i) => {
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
