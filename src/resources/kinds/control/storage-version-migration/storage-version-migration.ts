/**
 * Storage version migrations: a resource whose objects are written anew, and how far that is.
 * Mirrors pkg/apis/storagemigration/validation: ValidateStorageVersionMigration, ValidateStorageVersionMigrationUpdate,
 * ValidateStorageVersionMigrationStatusUpdate.
 * Mirrors pkg/registry/storagemigration/storagemigration: strategy, statusStrategy.
 */

import { type FieldError, invalid, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { writingOf } from '../../../../api/given-writing.ts'
import { goJson } from '../../../../api/golang/json-text.ts'
import { GoLiteral, type RenderedValue } from '../../../../api/golang/literal.ts'
import { goDateField } from '../../../../api/golang/time.ts'
import { equalSemantic, type JsonValue } from '../../../../api/json.ts'
import { checkDns1035Label, checkDns1123Subdomain, type Messages } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { goStruct, goStructs, invalidAs, podSyntaxText } from '../../../../catalog/golang/pod-syntax.ts'
import type { Condition } from '../../../../catalog/types/meta-v1.ts'
import type {
  MigrationCondition,
  StorageVersionMigrationSpec,
  StorageVersionMigrationStatus,
} from '../../../../catalog/types/storagemigration-v1alpha1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import { immutableMessage, negativeMessage } from '../../../checks/checks.ts'
import { validateConditions } from '../../../checks/conditions.ts'
import { keepMetadataForStatus } from '../../../checks/status-metadata.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { statusOnly, withStatus } from '../../../plain-rules.ts'

type Migration = KubeObject & { spec: StorageVersionMigrationSpec; status: StorageVersionMigrationStatus }

const statusPath = FieldPath.of('status')
const conditionsPath = statusPath.child('conditions')

export const storageVersionMigrationRules = (): KindRules<Migration> => ({
  strategy: withStatus<Migration>({
    validateMetadataUpdate: (metadata) => [...metadata.validate(), ...metadata.validateUpdate()],
    validate: ({ spec }, { gate }) => (migratesResources(gate) ? validateResource(spec) : validate(spec)),
    validateUpdate: ({ spec }, old, { gate }) =>
      migratesResources(gate)
        ? [...validateResource(spec), ...validateKeptResource(spec, old.spec)]
        : [...validate(spec), ...validateKept(spec, old.spec)],
  }),
  parts: {
    status: statusOnly<Migration>({
      prepareForUpdate: keepMetadataForStatus,
      validateUpdate: ({ status }, old, { gate }) =>
        migratesResources(gate)
          ? validateLaterStatus(later(status), later(old.status), gate('release:looserMigrationStatus'))
          : validateStatus(status, old.status),
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

/** Since a release they are of a resource in whatever version, and their conditions are like those of others. */
const migratesResources = (gate: WriteContext['gate']): boolean => gate('release:migratesResources')

interface LaterStatus {
  readonly resourceVersion?: string
  readonly conditions?: readonly Condition[]
}

const later = (status: StorageVersionMigrationStatus): LaterStatus => status as unknown as LaterStatus

/** Shown as JSON only: no release that shows Go's syntax has them. */
const json = (value: unknown): RenderedValue => new GoLiteral('', goJson(value as JsonValue))

function validateResource({ resource: { group = '', resource = '' } }: StorageVersionMigrationSpec): FieldError[] {
  const at = FieldPath.of('spec', 'resource')
  const errors: FieldError[] = []
  const check = (field: string, value: string, messages: Messages): void => {
    if (messages.length > 0) errors.push(invalid(at.child(field), value, messages.join(',')))
  }
  if (resource === '') errors.push(required(at.child('resource'), 'resource is required to be set'))
  else check('resource', resource, checkDns1035Label(resource))
  if (group !== '') check('group', group, checkDns1123Subdomain(group))
  return errors
}

function validateKeptResource(spec: StorageVersionMigrationSpec, old: StorageVersionMigrationSpec): FieldError[] {
  if (equalSemantic(spec, old)) return []
  const { group = '', resource = '' } = spec.resource
  return [invalidAs(FieldPath.of('spec'), () => json({ Resource: { group, resource } }), immutableMessage)]
}

/** `isLoose`: a version may be missing, and an end says nothing of whether the migration runs. */
function validateLaterStatus(status: LaterStatus, old: LaterStatus, isLoose: boolean): FieldError[] {
  const { resourceVersion = '', conditions = [] } = status
  const at = statusPath.child('resourceVersion')
  const errors: FieldError[] = []
  if (!(isLoose && resourceVersion === '') && !/^[1-9][0-9]*$/.test(resourceVersion)) {
    errors.push(invalid(at, resourceVersion, `resource version is not well formed: ${resourceVersion}`))
  }
  pushAll(errors, validateConditions(conditions, conditionsPath))
  const before = old.resourceVersion ?? ''
  if (before !== '' && before !== resourceVersion) errors.push(invalid(at, resourceVersion, immutableMessage))
  const print = () => json(status.conditions?.map(inOrder) ?? null)
  return [...errors, ...validateEnds(status, old, { print, mayRun: isLoose })]
}

const inOrder = ({ type, status, observedGeneration, lastTransitionTime, reason, message }: Condition): Condition => ({
  type,
  status,
  ...(observedGeneration === undefined ? {} : { observedGeneration }),
  lastTransitionTime,
  reason,
  message,
})

function validateStatus(status: StorageVersionMigrationStatus, old: StorageVersionMigrationStatus): FieldError[] {
  const { resourceVersion = '', conditions = [] } = status
  const errors = [
    ...validateVersion(resourceVersion),
    ...validateConditions(conditions.map(asCondition), conditionsPath),
  ]
  const before = old.resourceVersion ?? ''
  if (before !== '' && before !== resourceVersion) {
    const why = 'resourceVersion cannot be updated'
    errors.push(invalid(statusPath.child('resourceVersion'), resourceVersion, why))
  }
  return [...errors, ...validateEnds(status, old, { print: () => shown(status.conditions), mayRun: false })]
}

interface Ended {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[]
}

/** A migration has one end, and keeps it. */
function validateEnds(
  status: Ended,
  old: Ended,
  { print, mayRun }: { readonly print: () => RenderedValue; readonly mayRun: boolean },
): FieldError[] {
  const errors: FieldError[] = []
  const [succeeded, failed] = ends.map((type) => isTrue(status, type))
  const running = !mayRun && isTrue(status, 'Running')
  const refuse = (why: string): void => void errors.push(invalidAs(conditionsPath, print, why))
  if (succeeded && failed) refuse('Both success and failed conditions cannot be true at the same time')
  if (succeeded && running) refuse('Running condition cannot be true when success condition is true')
  if (failed && running) refuse('Running condition cannot be true when failed condition is true')
  if (isTrue(old, 'Succeeded') && !succeeded) refuse('Success condition cannot be set to false once it is true')
  if (isTrue(old, 'Failed') && !failed) refuse('Failed condition cannot be set to false once it is true')
  return errors
}

const ends = ['Succeeded', 'Failed'] as const

/** The first of a type counts. */
const isTrue = ({ conditions = [] }: Ended, wanted: string): boolean =>
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

const shown = (conditions: readonly MigrationCondition[] | undefined): RenderedValue =>
  goStructs('storagemigration.MigrationCondition', conditions, (condition) => {
    const { type, status, lastUpdateTime, reason, message } = condition
    return goStruct('storagemigration.MigrationCondition', {
      Type: podSyntaxText(type),
      Status: podSyntaxText(status),
      LastUpdateTime: goDateField(lastUpdateTime, writingOf(condition, 'lastUpdateTime')),
      Reason: podSyntaxText(reason),
      Message: podSyntaxText(message),
    })
  })
