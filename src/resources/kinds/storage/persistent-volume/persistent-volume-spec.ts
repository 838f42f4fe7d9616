/**
 * The spec of a persistent volume, on its own or inside an attachment.
 * Mirrors pkg/apis/core/validation: ValidatePersistentVolumeSpec.
 */

import { posix } from 'node:path'
import { type FieldError, forbidden, invalid, required } from '../../../../api/field-error.ts'
import type { FieldPath } from '../../../../api/field-path.ts'
import { writingOf } from '../../../../api/given-writing.ts'
import { goJson } from '../../../../api/golang/json-text.ts'
import { GoLiteral } from '../../../../api/golang/literal.ts'
import { goQuantity } from '../../../../api/golang/quantity.ts'
import { firstItems, quotedItems } from '../../../../api/golang/quoted-items.ts'
import { keysOf, sortedKeysOf } from '../../../../api/key-lists.ts'
import { Quantity } from '../../../../api/quantity.ts'
import { eachSortedMember } from '../../../../api/rules-in-steps.ts'
import { notSupportedAs, podSyntaxText } from '../../../../catalog/golang/pod-syntax.ts'
import type { PersistentVolumeSpec } from '../../../../catalog/types/core-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import { checkOneOf, checkSubdomain, type Errors } from '../../../checks/checks.ts'
import { validateNodeSelectorTerms } from '../../pods/affinity.ts'
import { validateVolumeSource } from './persistent-volume-sources.ts'

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']
const reclaimPolicies = ['Delete', 'Recycle', 'Retain']
const volumeModes = ['Block', 'Filesystem']

export interface VolumeRules {
  /** The volume is part of an attachment: only CSI, and none of what binds it to claims. */
  readonly inline: boolean
  readonly name: string
  readonly attributesClasses: boolean
  readonly anyAffinityValue: boolean
}

const notInline = 'may not be specified in the context of inline volumes'

export function validateVolumeSpec(
  errors: Errors,
  spec: PersistentVolumeSpec,
  at: FieldPath,
  rules: VolumeRules,
): void {
  if (rules.inline) validateInline(errors, spec, at)
  validateModes(errors, spec.accessModes ?? [], at)
  if (!rules.inline) validateCapacity(errors, spec.capacity, at.child('capacity'))
  validateReclaimPolicy(errors, spec.persistentVolumeReclaimPolicy ?? '', at, rules)
  const hasNodeAffinity = validateNodeAffinity(errors, spec, at.child('nodeAffinity'), rules)
  validateVolumeSource(errors, spec, at, { name: rules.name, hasNodeAffinity })
  if (spec.hostPath !== undefined && isRoot(spec.hostPath.path) && spec.persistentVolumeReclaimPolicy === 'Recycle') {
    const why = "may not be 'recycle' for a hostPath mount of '/'"
    errors.push(forbidden(at.child('persistentVolumeReclaimPolicy'), why))
  }
  validateClassAndMode(errors, spec, at, rules)
  if (rules.attributesClasses) validateAttributesClass(errors, spec, at)
}

function validateInline(errors: Errors, spec: PersistentVolumeSpec, at: FieldPath): void {
  if (spec.claimRef !== undefined) errors.push(forbidden(at.child('claimRef'), notInline))
  if (keysOf(spec.capacity ?? {}).length > 0) errors.push(forbidden(at.child('capacity'), notInline))
  if (spec.csi === undefined) {
    errors.push(required(at.child('csi'), 'has to be specified in the context of inline volumes'))
  }
}

function validateModes(errors: Errors, modes: readonly string[], at: FieldPath): void {
  if (modes.length === 0) errors.push(required(at.child('accessModes')))
  for (const mode of modes) checkOneOf(errors, mode, accessModes, at, 'accessModes')
  const isOther = (mode: string): boolean => mode !== 'ReadWriteOncePod' && accessModes.includes(mode)
  if (modes.includes('ReadWriteOncePod') && modes.some(isOther)) {
    errors.push(forbidden(at.child('accessModes'), 'may not use ReadWriteOncePod with other access modes'))
  }
}

function validateCapacity(errors: Errors, capacity: PersistentVolumeSpec['capacity'], at: FieldPath): void {
  const amounts = capacity ?? {}
  const names = keysOf(amounts)
  if (names.length === 0) errors.push(required(at))
  if (names.length !== 1 || names[0] !== 'storage') errors.push(notSupportedAs(at, () => shown(capacity), ['storage']))
  eachSortedMember(errors, amounts, (errors, name, text = '0') => {
    const isPositive = Quantity.parse(text).sign() > 0
    if (isPositive) return
    pushAll(errors, validateQuantity(text, at.key(name)))
    errors.push(invalid(at.key(name), text, 'must be greater than zero'))
  })
}

function shown(capacity: PersistentVolumeSpec['capacity']): GoLiteral {
  if (capacity === undefined) return new GoLiteral('core.ResourceList(nil)', 'null')
  const keys = sortedKeysOf(capacity)
  const member = (name: string): string =>
    `${podSyntaxText(name)}:${goQuantity(capacity[name] ?? '0', { written: writingOf(capacity, name) })}`
  return new GoLiteral(`core.ResourceList{${quotedItems(keys, member)}}`, () =>
    goJson(Object.fromEntries(firstItems(keys).map((name) => [name, capacity[name]]))),
  )
}

/** An amount that is not negative. */
export function validateQuantity(text: string, at: FieldPath): FieldError[] {
  const value = Quantity.parse(text).value()
  return value < 0 ? [invalid(at, value, 'must be a valid resource quantity')] : []
}

function validateReclaimPolicy(errors: Errors, policy: string, at: FieldPath, { inline }: VolumeRules): void {
  if (policy === '') return
  if (!inline) checkOneOf(errors, policy, reclaimPolicies, at, 'persistentVolumeReclaimPolicy')
  else if (policy !== 'Retain') {
    const why = 'may only be Retain in the context of inline volumes'
    errors.push(forbidden(at.child('persistentVolumeReclaimPolicy'), why))
  }
}

function validateNodeAffinity(
  errors: Errors,
  { nodeAffinity }: PersistentVolumeSpec,
  at: FieldPath,
  { inline, anyAffinityValue }: VolumeRules,
): boolean {
  if (nodeAffinity === undefined) return false
  if (inline) {
    errors.push(forbidden(at, notInline))
    return false
  }
  const { required: selector } = nodeAffinity
  if (selector === undefined) errors.push(required(at.child('required'), 'must specify required node constraints'))
  else {
    const termsAt = at.child('required', 'nodeSelectorTerms')
    validateNodeSelectorTerms(errors, selector.nodeSelectorTerms, termsAt, anyAffinityValue)
  }
  return true
}

/** The path leads to the root of the host, however it is written. */
const isRoot = (path: string): boolean => path.startsWith('/') && posix.resolve(path) === '/'

function validateClassAndMode(
  errors: Errors,
  spec: PersistentVolumeSpec,
  at: FieldPath,
  { inline }: VolumeRules,
): void {
  const { storageClassName = '', volumeMode } = spec
  if (storageClassName !== '') {
    if (inline) errors.push(forbidden(at.child('storageClassName'), notInline))
    else checkSubdomain(errors, storageClassName, at, 'storageClassName')
  }
  if (volumeMode === undefined) return
  if (!inline) checkOneOf(errors, volumeMode, volumeModes, at, 'volumeMode')
  else if (volumeMode !== 'Filesystem') {
    const why = 'may not specify volumeMode other than Filesystem in the context of inline volumes'
    errors.push(forbidden(at.child('volumeMode'), why))
  }
}

function validateAttributesClass(errors: Errors, spec: PersistentVolumeSpec, at: FieldPath): void {
  const { volumeAttributesClassName: name } = spec
  if (name === undefined) return
  if (name === '') errors.push(required(at.child('volumeAttributesClassName'), 'an empty string is disallowed'))
  else checkSubdomain(errors, name, at, 'volumeAttributesClassName')
  if (spec.csi === undefined) {
    errors.push(required(at.child('csi'), 'has to be specified when using volumeAttributesClassName'))
  }
}
