/**
 * The claim that a pod or stateful set makes for a volume of its own.
 * Mirrors pkg/apis/core/validation: ValidatePersistentVolumeClaimTemplate, ValidatePersistentVolumeClaimSpec.
 */

import { forbidden, invalid, notSupported, required } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import { writingOf } from '../../../api/given-writing.ts'
import { GoLiteral } from '../../../api/golang/literal.ts'
import { validateLabelSelector } from '../../../api/label-selector-validation.ts'
import { checkDns1123Label } from '../../../api/names.ts'
import { Quantity } from '../../../api/quantity.ts'
import { goStruct, invalidAs, podSyntaxPointer, podSyntaxText } from '../../../catalog/golang/pod-syntax.ts'
import type { PersistentVolumeClaimSpec, TypedObjectReference } from '../../../catalog/types/core-v1.ts'
import { pushAll } from '../../../lib/push-all.ts'
import { addMessages, checkOneOf, checkSubdomain, type Errors, isUnset, requireText } from '../../checks/checks.ts'
import { validateAmount } from './resource-requirements.ts'

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']
const volumeModes = ['Block', 'Filesystem']

export interface ClaimRules {
  readonly attributesClasses: boolean
  readonly anySelectorValue?: boolean
  readonly anyApiGroup?: boolean
}

export function validateClaimSpec(
  errors: Errors,
  spec: PersistentVolumeClaimSpec,
  at: FieldPath,
  rules: ClaimRules,
): void {
  const modes = spec.accessModes ?? []
  if (modes.length === 0) errors.push(required(at.child('accessModes'), 'at least 1 access mode is required'))
  if (spec.selector !== undefined) {
    const options = { allowInvalidLabelValue: rules.anySelectorValue ?? false }
    pushAll(errors, validateLabelSelector(spec.selector, at.child('selector'), options))
  }
  for (const mode of modes) checkOneOf(errors, mode, accessModes, at, 'accessModes')
  if (
    modes.includes('ReadWriteOncePod') &&
    modes.some((mode) => mode !== 'ReadWriteOncePod' && accessModes.includes(mode))
  ) {
    errors.push(forbidden(at.child('accessModes'), 'may not use ReadWriteOncePod with other access modes'))
  }
  validateStorage(errors, spec.resources?.requests, at)
  if (!isUnset(spec.storageClassName)) checkSubdomain(errors, spec.storageClassName ?? '', at, 'storageClassName')
  if (spec.volumeMode !== undefined && !volumeModes.includes(spec.volumeMode)) {
    errors.push(notSupported(at.child('volumeMode'), spec.volumeMode, volumeModes))
  }
  validateSources(errors, spec, at, rules)
  if (rules.attributesClasses && !isUnset(spec.volumeAttributesClassName)) {
    checkSubdomain(errors, spec.volumeAttributesClassName ?? '', at, 'volumeAttributesClassName')
  }
}

function validateStorage(errors: Errors, requests: Readonly<Record<string, string>> | undefined, at: FieldPath): void {
  const text = requests?.['storage']
  const storageAt = at.child('resources').key('storage')
  if (text === undefined) errors.push(required(storageAt))
  else if (Quantity.parse(text).sign() <= 0) errors.push(invalid(storageAt, text, 'must be greater than zero'))
  else validateAmount(errors, 'storage', { text, written: writingOf(requests, 'storage') }, storageAt)
}

function validateSources(errors: Errors, spec: PersistentVolumeClaimSpec, at: FieldPath, rules: ClaimRules): void {
  const { dataSource, dataSourceRef } = spec
  if (dataSource !== undefined) validateSource(errors, dataSource, at.child('dataSource'), rules)
  if (dataSourceRef !== undefined) validateSource(errors, dataSourceRef, at.child('dataSourceRef'), rules)
  if (dataSource === undefined || dataSourceRef === undefined) return
  // The value that the reference quotes is the path of the other field.
  const shown = goStruct('field.Path', {
    name: podSyntaxText('dataSource'),
    index: podSyntaxText(''),
    parent: podSyntaxPointer('field.Path', at),
  })
  const path = new GoLiteral(shown.go, '{}')
  if (!isUnset(dataSourceRef.namespace)) {
    errors.push(invalidAs(at, () => path, 'may not be specified when dataSourceRef.namespace is specified'))
  } else if (
    (dataSource.apiGroup ?? null) !== (dataSourceRef.apiGroup ?? null) ||
    dataSource.kind !== dataSourceRef.kind ||
    dataSource.name !== dataSourceRef.name
  ) {
    errors.push(invalidAs(at, () => path, 'must match dataSourceRef'))
  }
}

function validateSource(errors: Errors, source: TypedObjectReference, at: FieldPath, rules: ClaimRules): void {
  const { name, kind, namespace = '' } = source
  const group = source.apiGroup ?? ''
  requireText(errors, name, at, 'name')
  requireText(errors, kind, at, 'kind')
  if (group === '' && kind !== 'PersistentVolumeClaim') {
    errors.push(invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"))
  }
  if (group !== '' && !rules.anyApiGroup) checkSubdomain(errors, group, at, 'apiGroup')
  if (namespace !== '') addMessages(errors, at.child('namespace'), namespace, checkDns1123Label(namespace))
}
