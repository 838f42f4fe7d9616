/**
 * Storage classes: nothing that volumes were made by ever changes.
 * Mirrors pkg/apis/storage/validation: ValidateStorageClass, ValidateStorageClassUpdate.
 * Mirrors pkg/registry/storage/storageclass: storageClassStrategy.
 */

import { limitErrorsOf } from '../../../../api/error-limit.ts'
import { duplicate, type FieldError, forbidden, invalid, maxPairErrors, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { equalJson, equalSemantic } from '../../../../api/json.ts'
import { compareTexts } from '../../../../api/key-lists.ts'
import { sortInSteps } from '../../../../api/large-values.ts'
import { checkQualifiedName } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { goStringMap, invalidAs } from '../../../../catalog/golang/pod-syntax.ts'
import type { TopologySelectorTerm } from '../../../../catalog/types/core-v1.ts'
import type { StorageClass as StorageClassFields } from '../../../../catalog/types/storage-v1.ts'
import { inTurns, type Steps } from '../../../../lib/in-turns.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import { addMessages, checkOneOf, type Errors, immutableMessage } from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { deprecatedLabels } from '../../pods/pod-warnings.ts'
import { validateParameters, validateProvisioner } from '../class-fields.ts'

type StorageClass = KubeObject & Omit<StorageClassFields, 'metadata' | 'kind' | 'apiVersion'>

const root = FieldPath.root
const itemsPerStep = 256
const reclaimPolicies = ['Delete', 'Retain']
const bindingModes = ['Immediate', 'WaitForFirstConsumer']

export const storageClassRules = (): KindRules<StorageClass> => ({
  strategy: {
    validateMetadataUpdate: (metadata) => [...metadata.validate(), ...metadata.validateUpdate()],
    validateInTurns: (object, old, context) => inTurns(limitErrorsOf(validateWrite(object, old, context))),
    warningsOnCreate: warnings,
    warningsOnUpdate: warnings,
  },
  returnsDeleted: true,
})

function* validateWrite(
  object: StorageClass,
  old: StorageClass | undefined,
  { gate }: WriteContext,
): Steps<FieldError[]> {
  const errors = yield* validate(object)
  return old === undefined ? errors : [...errors, ...validateChange(object, old, gate('release:immutableStorageClass'))]
}

function* validate(object: StorageClass): Steps<FieldError[]> {
  const errors: Errors = []
  const { provisioner = '', parameters, reclaimPolicy = '', volumeBindingMode, allowedTopologies = [] } = object
  validateProvisioner(errors, provisioner, root.child('provisioner'))
  validateParameters(errors, parameters, root.child('parameters'))
  if (reclaimPolicy !== '') checkOneOf(errors, reclaimPolicy, reclaimPolicies, root, 'reclaimPolicy')
  if (volumeBindingMode === undefined) errors.push(required(root.child('volumeBindingMode')))
  else checkOneOf(errors, volumeBindingMode, bindingModes, root, 'volumeBindingMode')
  yield* validateTopologies(errors, allowedTopologies)
  return errors
}

/**
 * Every term is reported once for each one before it that means the same. The reference starts with as many empty ones as
 * there are terms.
 */
function* validateTopologies(errors: Errors, terms: readonly TopologySelectorTerm[]): Steps<void> {
  const seen = new Map([[noExpressions, terms.length]])
  for (const [i, term] of terms.entries()) {
    if (i % itemsPerStep === 0) yield
    const at = root.child('allowedTopologies').index(i).child('matchLabelExpressions')
    const identity = yield* validateTerm(errors, term, at)
    const before = seen.get(identity) ?? 0
    for (let n = 0; n < before && errors.length < maxPairErrors; n++) errors.push(duplicate(at, ''))
    seen.set(identity, before + 1)
  }
}

const noExpressions = '{}'

/** The term as a text that is the same for terms that mean the same. */
function* validateTerm(
  errors: Errors,
  { matchLabelExpressions = [] }: TopologySelectorTerm,
  at: FieldPath,
): Steps<string> {
  const byKey = new Map<string, string[]>()
  for (const [i, { key, values }] of matchLabelExpressions.entries()) {
    const itemAt = at.index(i)
    const list = values ?? []
    const unique = new Set<string>()
    if (list.length === 0) errors.push(required(itemAt.child('values')))
    for (const [j, value] of list.entries()) {
      if (j % itemsPerStep === 0) yield
      if (unique.has(value)) errors.push(duplicate(itemAt.child('values').index(j), value))
      unique.add(value)
    }
    addMessages(errors, itemAt.child('key'), key, checkQualifiedName(key))
    if (byKey.has(key)) errors.push(duplicate(itemAt.child('key'), key))
    byKey.set(key, yield* sortInSteps([...unique], compareTexts))
  }
  if (byKey.size === 0) return noExpressions
  const sorted = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1))
  return yield* encodeTerm(sorted)
}

/** As JSON. */
function* encodeTerm(expressions: readonly (readonly [string, readonly string[]])[]): Steps<string> {
  let text = ''
  for (const [key, values] of expressions) {
    text += `${JSON.stringify(key)}:`
    for (let i = 0; i < values.length; i += itemsPerStep) {
      yield
      text += JSON.stringify(values.slice(i, i + itemsPerStep))
    }
  }
  return text
}

function validateChange(object: StorageClass, old: StorageClass, areImmutable: boolean): FieldError[] {
  const errors: FieldError[] = []
  const keep = (key: 'parameters' | 'provisioner' | 'reclaimPolicy'): void => {
    const isSame = areImmutable ? equalSemantic : equalJson
    if (isSame(object[key], old[key])) return
    if (areImmutable) errors.push(immutable(key, object))
    else errors.push(forbidden(root.child(key), `updates to ${key} are forbidden.`))
  }
  keep('parameters')
  keep('provisioner')
  keep('reclaimPolicy')
  if (object.volumeBindingMode !== old.volumeBindingMode) {
    errors.push(invalid(root.child('volumeBindingMode'), object.volumeBindingMode, immutableMessage))
  }
  return errors
}

const immutable = (key: 'parameters' | 'provisioner' | 'reclaimPolicy', object: StorageClass): FieldError =>
  key === 'parameters'
    ? invalidAs(root.child(key), () => goStringMap(object.parameters), immutableMessage)
    : invalid(root.child(key), object[key] ?? '', immutableMessage)

const warnings = ({ allowedTopologies = [] }: StorageClass): string[] =>
  allowedTopologies.flatMap(({ matchLabelExpressions = [] }, i) =>
    matchLabelExpressions.flatMap(({ key }, j) => {
      const message = Object.hasOwn(deprecatedLabels, key) ? deprecatedLabels[key] : undefined
      return message === undefined ? [] : [`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${message}`]
    }),
  )
