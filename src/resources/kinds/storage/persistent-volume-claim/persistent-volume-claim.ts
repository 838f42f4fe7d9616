/**
 * Volume claims: fixed once made, but for what binding fills in and for growing once bound.
 * Mirrors pkg/apis/core/validation: ValidatePersistentVolumeClaim, ValidatePersistentVolumeClaimUpdate,
 * ValidatePersistentVolumeClaimStatusUpdate.
 * Mirrors pkg/registry/core/persistentvolumeclaim: persistentvolumeclaimStrategy, persistentvolumeclaimStatusStrategy.
 * Mirrors pkg/api/persistentvolumeclaim: DropDisabledFields, NormalizeDataSources, GetWarningsForPersistentVolumeClaim.
 */

import { hasErrors } from '../../../../api/error-limit.ts'
import { type FieldError, forbidden, forbiddenAs, invalid, ofNamedText, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { writingOf } from '../../../../api/given-writing.ts'
import { goNamed } from '../../../../api/golang/literal.ts'
import { validateLabelSelector } from '../../../../api/label-selector-validation.ts'
import { checkQualifiedName } from '../../../../api/names.ts'
import type { KubeObject, StringMap } from '../../../../api/object.ts'
import { Quantity } from '../../../../api/quantity.ts'
import { eachMember } from '../../../../api/rules-in-steps.ts'
import { goDiff } from '../../../../catalog/golang/diff-report.ts'
import { notSupportedAs } from '../../../../catalog/golang/pod-syntax.ts'
import type { PersistentVolumeClaimSpec, PersistentVolumeClaimStatus } from '../../../../catalog/types/core-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import { addMessages, type Errors, immutableMessage, isUnset, repeatedCheck } from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'
import { validateClaimSpec } from '../../pods/claim-spec.ts'
import { equalMeaning } from '../../pods/equal-meaning.ts'
import { claimWarnings } from '../../pods/pod-warnings.ts'
import { isNativeResource, validateAmount } from '../../pods/resource-requirements.ts'
import { validateQuantity } from '../persistent-volume/persistent-volume-spec.ts'

type Claim = KubeObject & { spec: PersistentVolumeClaimSpec; status: PersistentVolumeClaimStatus }

const spec = FieldPath.of('spec')
const status = FieldPath.of('status')
const classAnnotation = 'volume.beta.kubernetes.io/storage-class'

export const persistentVolumeClaimRules = (): KindRules<Claim> => ({
  strategy: withStatus<Claim>(
    {
      validateMetadataUpdate: (metadata) => [
        ...metadata.validate(),
        ...metadata.validateUpdate(),
        ...metadata.validate(),
      ],
      prepareForCreate: (draft, context) => prepare(draft, undefined, context),
      prepareForUpdate: prepare,
      validate: (claim, context) => validate(claim, undefined, context),
      validateUpdate(claim, old, context) {
        const errors = validate(claim, old, context)
        const repeated = repeatedCheck(context, '/PersistentVolumeClaim', errors)
        return [...repeated, ...errors, ...validateChange(claim, old, context)]
      },
      warningsOnCreate: warnings,
      warningsOnUpdate: warnings,
      // A default of reading back from the store.
      beforeStore: (draft, old) => {
        if (old === undefined) draft.status = { ...draft.status, phase: 'Pending' }
      },
    },
    () => ({}),
  ),
  parts: {
    status: statusOnly<Claim>({ prepareForUpdate: dropDisabledStatus, validateUpdate: validateStatus }),
  },
  returnsDeleted: true,
})

function prepare(draft: Claim, old: Claim | undefined, { gate }: WriteContext): void {
  const changed = { ...draft.spec }
  const before = old?.spec
  if (!gate('VolumeAttributesClass') && before?.volumeAttributesClassName === undefined) {
    delete changed.volumeAttributesClassName
  }
  const isForeign = !isUnset(changed.dataSourceRef?.namespace)
  const refDisabled = !gate('AnyVolumeDataSource') || (isForeign && !gate('CrossNamespaceVolumeDataSource'))
  if (refDisabled && before?.dataSourceRef === undefined) delete changed.dataSourceRef
  const inUse = before?.dataSource !== undefined || before?.dataSourceRef !== undefined
  if (!inUse && changed.dataSourceRef === undefined && !isPlainSource(changed)) delete changed.dataSource
  draft.spec = gate('AnyVolumeDataSource') ? withBothSources(changed) : changed
}

/** The two kinds of source that the older of the two fields may have on its own. */
function isPlainSource({ dataSource }: PersistentVolumeClaimSpec): boolean {
  const { kind, apiGroup } = dataSource ?? {}
  const group = apiGroup ?? ''
  return (
    (kind === 'PersistentVolumeClaim' && group === '') ||
    (kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io')
  )
}

/** Each of the two fields says what the other does, unless the source is in another namespace. */
function withBothSources(claim: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec {
  const { dataSource, dataSourceRef } = claim
  const given = dataSource ?? dataSourceRef
  if (given === undefined || (dataSource !== undefined && dataSourceRef !== undefined)) return claim
  if (!isUnset(dataSourceRef?.namespace)) return claim
  const { apiGroup = null, kind, name } = given
  const same = { apiGroup, kind, name }
  const other = dataSource === undefined ? { dataSource: same } : { dataSourceRef: same }
  return { ...claim, ...other } as PersistentVolumeClaimSpec
}

function validate({ spec: claim }: Claim, old: Claim | undefined, { gate }: WriteContext): FieldError[] {
  const errors: Errors = []
  const before = old?.spec
  const group = (source: { apiGroup?: string | null } | undefined): boolean => (source?.apiGroup ?? null) !== null
  validateClaimSpec(errors, claim, spec, {
    attributesClasses: gate('VolumeAttributesClass') || before?.volumeAttributesClassName !== undefined,
    anySelectorValue: hasErrors(() => validateLabelSelector(before?.selector, spec)),
    anyApiGroup: group(before?.dataSource) || group(before?.dataSourceRef),
  })
  return errors
}

const requested = ({ resources }: PersistentVolumeClaimSpec): Quantity =>
  Quantity.parse(resources?.requests?.['storage'] ?? '0')

function validateChange(claim: Claim, old: Claim, context: WriteContext): FieldError[] {
  const errors: FieldError[] = []
  const movesClass = movesFromAnnotation(claim, old)
  const annotation = (annotations: StringMap | undefined): string => annotations?.[classAnnotation] ?? ''
  if (!movesClass && annotation(claim.metadata.annotations) !== annotation(old.metadata.annotations)) {
    const at = FieldPath.of('metadata', 'annotations', classAnnotation)
    errors.push(invalid(at, annotation(claim.metadata.annotations), immutableMessage))
  }
  const [now, before] = comparable(claim, old, movesClass, context)
  if (!equalMeaning(now, before)) {
    const what =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
    const diff = (release: number): string => goDiff('core.PersistentVolumeClaimSpec', { before, after: now }, release)
    errors.push(forbiddenAs(spec, (release) => `${what}\n${diff(release)}`))
  }
  validateSize(errors, claim, old, context)
  if (claim.spec.volumeMode !== old.spec.volumeMode) {
    errors.push(ofNamedText(invalid(FieldPath.of('volumeMode'), claim.spec.volumeMode, immutableMessage)))
  }
  validateAttributesClass(errors, claim, old, context)
  return errors
}

/** From the annotation that once held the class to the field. */
function movesFromAnnotation(claim: Claim, old: Claim): boolean {
  const before = old.metadata.annotations?.[classAnnotation]
  const now = claim.metadata.annotations?.[classAnnotation]
  return (
    before !== undefined &&
    old.spec.storageClassName === undefined &&
    claim.spec.storageClassName === before &&
    (now === undefined || now === before)
  )
}

/** Both specs without what may differ. */
function comparable(
  claim: Claim,
  old: Claim,
  movesClass: boolean,
  { gate }: WriteContext,
): [PersistentVolumeClaimSpec, PersistentVolumeClaimSpec] {
  const now = { ...claim.spec }
  const before = gate('AnyVolumeDataSource') ? { ...withBothSources(old.spec) } : { ...old.spec }
  if (isUnset(before.volumeName) && now.volumeName !== undefined) before.volumeName = now.volumeName
  const annotation = old.metadata.annotations?.[classAnnotation]
  const fromNothing =
    before.storageClassName === undefined && (annotation === undefined || now.storageClassName === annotation)
  if (movesClass || fromNothing) delete now.storageClassName
  if (claim.status?.phase === 'Bound') {
    const size = before.resources?.requests?.['storage'] ?? '0'
    if (now.resources?.requests !== undefined) {
      now.resources = { ...now.resources, requests: { ...now.resources.requests, storage: size } }
    }
    if (now.volumeAttributesClassName !== undefined || gate('release:keepsPresentClass')) {
      if (before.volumeAttributesClassName === undefined) delete now.volumeAttributesClassName
      else now.volumeAttributesClassName = before.volumeAttributesClassName
    }
  }
  return [now, before]
}

function validateSize(errors: FieldError[], claim: Claim, old: Claim, { gate }: WriteContext): void {
  if (requested(claim.spec).compare(requested(old.spec)) >= 0) return
  const at = spec.child('resources', 'requests', 'storage')
  if (!canRecover(old, gate)) errors.push(forbidden(at, 'field can not be less than previous value'))
  else if (requested(claim.spec).compare(Quantity.parse(old.status?.capacity?.['storage'] ?? '0')) <= 0) {
    errors.push(forbidden(at, 'field can not be less than status.capacity'))
  }
}

/** A claim that failed to grow may ask for less again, as long as that is more than it has. */
const canRecover = ({ status }: Claim, gate: WriteContext['gate']): boolean =>
  gate('RecoverVolumeExpansionFailure') ||
  status?.allocatedResources !== undefined ||
  status?.allocatedResourceStatuses !== undefined

function validateAttributesClass(
  errors: FieldError[],
  { spec: { volumeAttributesClassName: name } }: Claim,
  { spec: { volumeAttributesClassName: old }, status: { currentVolumeAttributesClassName: present } = {} }: Claim,
  { gate }: WriteContext,
): void {
  if (name === old) return
  const at = spec.child('volumeAttributesClassName')
  if (!gate('VolumeAttributesClass')) {
    errors.push(forbidden(at, 'update is forbidden when the VolumeAttributesClass feature gate is disabled'))
  }
  if (gate('release:keepsPresentClass')) {
    const [to, when] = [
      name === undefined ? 'nil' : 'empty string',
      'status.currentVolumeAttributesClassName is not nil',
    ]
    if ((name ?? '') === '' && present !== undefined)
      errors.push(forbidden(at, `update to ${to} is forbidden when ${when}`))
    return
  }
  if (old === undefined) return
  if (name === undefined) errors.push(forbidden(at, 'update from non-nil value to nil is forbidden'))
  else if (name === '') errors.push(forbidden(at, 'update from non-nil value to an empty string is forbidden'))
}

function dropDisabledStatus(draft: Claim, old: Claim, { gate }: WriteContext): void {
  const changed = { ...draft.status }
  const drop = (key: keyof PersistentVolumeClaimStatus): void => {
    if (old.status?.[key] === undefined) delete changed[key]
  }
  if (!gate('VolumeAttributesClass')) {
    drop('currentVolumeAttributesClassName')
    drop('modifyVolumeStatus')
  }
  if (!gate('RecoverVolumeExpansionFailure')) {
    drop('allocatedResources')
    drop('allocatedResourceStatuses')
  }
  draft.status = changed
}

const resizeStatuses = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
]

function validateStatus(claim: Claim, old: Claim, { gate }: WriteContext): FieldError[] {
  const errors: Errors = []
  const { capacity = {}, allocatedResourceStatuses = {}, allocatedResources = {} } = claim.status
  if ((claim.spec.accessModes ?? []).length === 0) errors.push(required(FieldPath.of('Spec', 'accessModes')))
  eachMember(errors, capacity, (errors, name, amount) => {
    pushAll(errors, validateQuantity(amount, status.child('capacity').key(name)))
  })
  if (!canRecover(old, gate)) return errors
  const statusesAt = status.child('allocatedResourceStatus')
  eachMember(errors, allocatedResourceStatuses, (errors, name, state) => {
    pushAll(errors, validateResourceName(name, statusesAt))
    if (!resizeStatuses.includes(state)) errors.push(notSupportedAs(statusesAt, () => goNamed(name), resizeStatuses))
  })
  const resourcesAt = status.child('allocatedResources')
  eachMember(errors, allocatedResources, (errors, name, amount) => {
    const wrongName = validateResourceName(name, resourcesAt)
    const wrong = wrongName.length > 0 ? wrongName : validateQuantity(amount, resourcesAt.key(name))
    pushAll(errors, wrong)
    if (wrong.length > 0) return
    const written = writingOf(allocatedResources, name)
    validateAmount(errors, 'storage', { text: amount, written }, resourcesAt.key(name))
  })
  return errors
}

/** Of the project's own names only that of storage. */
function validateResourceName(name: string, at: FieldPath): FieldError[] {
  const errors: Errors = []
  addMessages(errors, at, name, checkQualifiedName(name))
  if (errors.length > 0 || !isNativeResource(name) || name === 'storage') return errors
  return [notSupportedAs(at, () => JSON.stringify(name), ['storage'])]
}

const warnings = ({ metadata, spec: claim }: Claim): string[] => [
  ...(metadata.annotations?.[classAnnotation] === undefined
    ? []
    : [`metadata.annotations[${classAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`]),
  ...claimWarnings(claim, spec),
]
