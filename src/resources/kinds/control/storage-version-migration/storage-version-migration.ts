/**
 * Storage version migrations: a resource whose objects are written anew, and how far that is.
 * Mirrors pkg/apis/storagemigration/validation: ValidateStorageVersionMigration, ValidateStorageVersionMigrationUpdate,
 * ValidateStorageVersionMigrationStatusUpdate.
 * Mirrors pkg/registry/storagemigration/storagemigration: strategy, statusStrategy.
 */

import { type FieldError, invalid, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import type { Shown } from '../../../../api/golang/literal.ts'
import { goDate } from '../../../../api/golang/time.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { goStruct, goStructs, invalidAs, podSyntaxText } from '../../../../catalog/golang/pod-syntax.ts'
import type {
  MigrationCondition,
  StorageVersionMigrationSpec,
  StorageVersionMigrationStatus,
} from '../../../../catalog/types/storagemigration-v1alpha1.ts'
import { immutableMessage, negativeMessage } from '../../../checks/checks.ts'
import { validateConditions } from '../../../checks/conditions.ts'
import { keepMetadataForStatus } from '../../../checks/status-metadata.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'

type Migration = KubeObject & { spec: StorageVersionMigrationSpec; status: StorageVersionMigrationStatus }

const statusPath = FieldPath.of('status')

export const storageVersionMigrationRules = (): KindRules<Migration> => ({
  strategy: withStatus<Migration>({
    validateMetadataUpdate: (metadata) => [...metadata.validate(), ...metadata.validateUpdate()],
    validate: ({ spec }) => validate(spec),
    validateUpdate: ({ spec }, old) => [...validate(spec), ...validateKept(spec, old.spec)],
  }),
  parts: {
    status: statusOnly<Migration>({
      prepareForUpdate: keepMetadataForStatus,
      validateUpdate: ({ status }, old) => validateStatus(status, old.status),
    }),
  },
})

function validate({ resource: { resource = '', version = '' } }: StorageVersionMigrationSpec): FieldError[] {
  const at = FieldPath.of('spec', 'resource')
  return [
    ...(resource === '' ? [required(at.child('resource'), 'resource is required')] : []),
    ...(version === '' ? [required(at.child('version'), 'version is required')] : []),
  ]
}

/** Reported without their path, as the reference does. */
function validateKept({ resource }: StorageVersionMigrationSpec, old: StorageVersionMigrationSpec): FieldError[] {
  return (['group', 'version', 'resource'] as const).flatMap((key) => {
    const value = resource[key] ?? ''
    return value === (old.resource[key] ?? '') ? [] : [invalid(FieldPath.of(key), value, immutableMessage)]
  })
}

function validateStatus(status: StorageVersionMigrationStatus, old: StorageVersionMigrationStatus): FieldError[] {
  const { resourceVersion = '', conditions = [] } = status
  const at = statusPath.child('conditions')
  const errors = [...validateVersion(resourceVersion), ...validateConditions(conditions.map(asCondition), at)]
  const before = old.resourceVersion ?? ''
  if (before !== '' && before !== resourceVersion) {
    const why = 'resourceVersion cannot be updated'
    errors.push(invalid(statusPath.child('resourceVersion'), resourceVersion, why))
  }
  const [succeeded, failed, running] = ends.map((type) => isTrue(status, type))
  const refuse = (why: string): void => void errors.push(invalidAs(at, () => shown(status.conditions), why))
  if (succeeded && failed) refuse('Both success and failed conditions cannot be true at the same time')
  if (succeeded && running) refuse('Running condition cannot be true when success condition is true')
  if (failed && running) refuse('Running condition cannot be true when failed condition is true')
  if (isTrue(old, 'Succeeded') && !succeeded) refuse('Success condition cannot be set to false once it is true')
  if (isTrue(old, 'Failed') && !failed) refuse('Failed condition cannot be set to false once it is true')
  return errors
}

const ends = ['Succeeded', 'Failed', 'Running'] as const

/** The first of a type counts. */
const isTrue = ({ conditions = [] }: StorageVersionMigrationStatus, wanted: string): boolean =>
  conditions.find(({ type }) => type === wanted)?.status === 'True'

function validateVersion(text: string): FieldError[] {
  const at = statusPath.child('resourceVersion')
  if (text === '') return []
  if (!/^[+-]?\d+$/.test(text) || BigInt.asIntN(64, BigInt(text)) !== BigInt(text)) {
    const problem = /^[+-]?\d+$/.test(text) ? 'value out of range' : 'invalid syntax'
    const why = `failed to parse resource version ${podSyntaxText(text)}: strconv.ParseInt: parsing ${podSyntaxText(text)}: ${problem}`
    return [invalid(at, text, why)]
  }
  const version = BigInt(text)
  return version < 0n ? [invalid(at, Number(version), negativeMessage)] : []
}

/** Their time has another name, which the messages do not know. */
const asCondition = ({ type, status, lastUpdateTime, reason = '', message = '' }: MigrationCondition) => ({
  type,
  status,
  lastTransitionTime: lastUpdateTime,
  reason,
  message,
})

const shown = (conditions: readonly MigrationCondition[] | undefined): Shown =>
  goStructs('storagemigration.MigrationCondition', conditions, ({ type, status, lastUpdateTime, reason, message }) =>
    goStruct('storagemigration.MigrationCondition', {
      Type: podSyntaxText(type),
      Status: podSyntaxText(status),
      LastUpdateTime: goDate(lastUpdateTime),
      Reason: podSyntaxText(reason),
      Message: podSyntaxText(message),
    }),
  )
