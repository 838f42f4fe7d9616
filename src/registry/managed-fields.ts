/**
 * Managed fields of a resource's writes: joins the definition's versions and reset fields to the apply module.
 * Mirrors k8s.io/apimachinery/pkg/util/managedfields/internal: FieldManager, structuredMergeManager,
 * buildManagerInfoManager, capManagersManager.
 */

import { equalInSteps } from '../api/equal-in-steps.ts'
import { formatGroupVersion } from '../api/group-version.ts'
import type { JsonObject, JsonValue } from '../api/json.ts'
import type { KubeObject, ManagedFieldsEntry } from '../api/object.ts'
import { formatTime, instantOfMillis } from '../api/time.ts'
import { type Awaitable, whenReady } from '../lib/awaitable.ts'
import { inTurns, runToEnd, type Steps } from '../lib/in-turns.ts'
import { SideTable } from '../lib/memo.ts'
import { type Applied, applyConfig } from '../patch/apply/apply-config.ts'
import { prepareCreatedFields } from '../patch/apply/created-fields.ts'
import { excludingFields, type FieldFilter } from '../patch/apply/field-filter.ts'
import { type Equality, keepTimes } from '../patch/apply/keep-times.ts'
import { managedFieldsProblem, withManagedFields } from '../patch/apply/managed-fields.ts'
import { recordCreate as recordNew } from '../patch/apply/record-create.ts'
import {
  recordUpdate as record,
  recordUpdateInSteps as recordInSteps,
  type WriteBy,
} from '../patch/apply/record-update.ts'
import { ListItemError } from '../patch/apply/topology.ts'
import type { VersionedType } from '../patch/apply/versioned-type.ts'
import { findVersion, type Registry } from './registry.ts'
import { converted } from './remote-conversions.ts'
import type { ResourceDefinition, ResourceVersion } from './resource-definition.ts'
import type { ActionSubresource } from './subresource.ts'
import type { WriteRequest } from './write-request.ts'

/** The object with its ownership recorded. Both objects are in the request's version. */
export function manageUpdatedFields(
  registry: Registry,
  current: KubeObject | undefined,
  next: KubeObject,
  request: WriteRequest,
): KubeObject {
  if (!runToEnd(hasOwners(registry, request, next, current))) return withoutManagedFields(next)
  const type = versionedType(registry.definition, request)
  return record(type, current, next, writeBy(registry, request)) as KubeObject
}

/** The same, of objects that take more than one turn. */
export function* manageUpdatedFieldsInSteps(
  registry: Registry,
  current: KubeObject | undefined,
  next: KubeObject,
  request: WriteRequest,
): Steps<KubeObject> {
  if (!(yield* hasOwners(registry, request, next, current))) return withoutManagedFields(next)
  const type = versionedType(registry.definition, request)
  return (yield* recordInSteps(type, current, next, writeBy(registry, request))) as KubeObject
}

/** The new object, which is the caller's own, gets its owner. It is in the request's version and brings none. */
export function manageCreatedFields(registry: Registry, object: KubeObject, request: WriteRequest): void {
  if (runToEnd(hasOwners(registry, request, object))) recordCreated(registry, object, request)
}

/** The same, of objects that take more than one turn. */
export function* manageCreatedFieldsInSteps(
  registry: Registry,
  object: KubeObject,
  request: WriteRequest,
): Steps<void> {
  if (!(yield* hasOwners(registry, request, object))) return
  const type = versionedType(registry.definition, request)
  const schema = type.schema(request.version.apiVersion)
  try {
    if (schema !== undefined) yield* prepareCreatedFields(schema, object)
  } catch (error) {
    // Duplicate elements have no owner: `recordNew` finds the same.
    if (!(error instanceof ListItemError)) throw error
  }
  yield
  recordCreated(registry, object, request)
}

function recordCreated(registry: Registry, object: KubeObject, request: WriteRequest): void {
  const type = versionedType(registry.definition, request)
  const entries = recordNew(type, object, writeBy(registry, request))
  if (entries !== undefined) object.metadata.managedFields = entries
}

/**
 * The object that plugins made: entries of theirs that cannot be read give way to those of before, with a warning.
 * Mirrors k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager: managedFieldsValidatingAdmissionController.
 */
export function withReadableOwners(
  admitted: KubeObject,
  before: ManagedFieldsEntry[] | undefined,
  warn: (text: string) => void,
): Awaitable<KubeObject> {
  const managedFields = admitted.metadata.managedFields as JsonValue | undefined
  if (managedFields === before) return admitted
  return whenReady(inTurns(unreadable(managedFields, before as JsonValue | undefined)), (problem) => {
    if (problem === undefined) return admitted
    warn(
      `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${problem}`,
    )
    return withManagedFields(admitted, before) as KubeObject
  })
}

/** What is wrong with the entries, unless they are those of before. */
function* unreadable(entries: JsonValue | undefined, before: JsonValue | undefined): Steps<string | undefined> {
  return (yield* equalInSteps(entries, before)) ? undefined : yield* managedFieldsProblem(entries)
}

function* hasOwners(
  { definition }: Registry,
  { version, subresource }: WriteRequest,
  object: KubeObject,
  current?: KubeObject,
): Steps<boolean> {
  const { hasOwners: rule } = definition.model.writes
  return rule === undefined || (yield* rule({ object, version, subresource, current }))
}

function withoutManagedFields(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

/** The body of an action, with its ownership recorded as if it were stored. */
export function recordAction(action: ActionSubresource, body: KubeObject, by: Omit<WriteBy, 'apiVersion'>): KubeObject {
  const { type, writer } = actionWrite(action, by)
  return record(type, undefined, body, writer) as KubeObject
}

/** The same, of bodies that take more than one turn. */
export function* recordActionInSteps(
  action: ActionSubresource,
  body: KubeObject,
  by: Omit<WriteBy, 'apiVersion'>,
): Steps<KubeObject> {
  const { type, writer } = actionWrite(action, by)
  return (yield* recordInSteps(type, undefined, body, writer)) as KubeObject
}

function actionWrite(
  { kind, schema }: ActionSubresource,
  { manager, subresource = '', time }: Omit<WriteBy, 'apiVersion'>,
): { type: VersionedType; writer: WriteBy } {
  const type: VersionedType = { schema: () => schema, convert: (object) => object }
  return { type, writer: { manager, apiVersion: formatGroupVersion(kind), subresource, time } }
}

export interface ApplyOptions {
  readonly force: boolean
  readonly unknownFields: 'refuse' | 'drop'
}

/** The object after a server-side apply, not yet defaulted. */
export function* applyConfiguration(
  registry: Registry,
  current: KubeObject | undefined,
  config: JsonObject,
  request: WriteRequest,
  options: ApplyOptions,
): Steps<Applied> {
  const type = versionedType(registry.definition, request)
  const { manager, apiVersion, subresource = '', time } = writeBy(registry, request)
  const { force, unknownFields } = options
  const { kind } = request.version
  return yield* applyConfig(type, current, config, {
    manager,
    apiVersion,
    subresource,
    time,
    kind,
    force,
    unknownFields,
  })
}

/** A write that changes nothing but the times of managed fields changes nothing: they are put back. */
export function keepManagedFieldsTimes(draft: KubeObject, existing: KubeObject, equal: Equality): void {
  const kept = keepTimes(existing, draft, equal) as KubeObject
  if (kept === draft) return
  const { managedFields } = kept.metadata
  if (managedFields === undefined) delete draft.metadata.managedFields
  else draft.metadata.managedFields = managedFields
}

function writeBy({ clock }: Registry, { fieldManager, version, subresource }: WriteRequest): WriteBy {
  return {
    manager: fieldManager,
    apiVersion: version.apiVersion,
    subresource,
    time: formatTime(instantOfMillis(clock.now())),
  }
}

const types = new SideTable<ResourceDefinition, Map<string, VersionedType>>()

function versionedType(definition: ResourceDefinition, request: WriteRequest): VersionedType {
  const type = sharedType(definition, request)
  if (definition.remoteConversion === undefined) return type
  // What another server answers is known to the request alone.
  return { ...type, convert: remoteConverter(definition, request) }
}

function sharedType(definition: ResourceDefinition, { subresource, version }: WriteRequest): VersionedType {
  const known = types.getOrMake(definition, () => new Map())
  const part = definition.subresources.get(subresource)
  const resetsEvery = part?.type === 'part' && part.resetsEveryVersion === true
  const only = resetsEvery ? '' : definition.model.writes.resettingVersion(version)
  const key = only === '' ? subresource : `${subresource} ${only}`
  let type = known.get(key)
  if (type === undefined) {
    type = makeType(definition, subresource, only)
    known.set(key, type)
  }
  return type
}

/**
 * A version of the objects, served or not, in this group or in another one that has the same objects: an owner that
 * wrote in it still owns what it wrote. The reference knows the types of the core group apart from those of all others,
 * so that an event that is written through one of them forgets who wrote it through the other.
 */
function findAnyVersion(definition: ResourceDefinition, apiVersion: string): ResourceVersion | undefined {
  const { versions, model, inOtherGroups, group } = definition
  const isIt = (version: ResourceVersion): boolean => version.apiVersion === apiVersion
  // Those that are served here, such as the version of a Scale, are known whatever the group.
  const served = versions.find(isIt)
  if (served !== undefined) return served
  const found =
    findVersion(definition, apiVersion) ?? model.versions.all(definition).find(isIt) ?? inOtherGroups?.().find(isIt)
  return found !== undefined && (found.group === '') === (group === '') ? found : undefined
}

/** `only`: the one version that has fields to reset; empty for all of them. */
function makeType(definition: ResourceDefinition, subresource: string, only: string): VersionedType {
  const filters = new Map<string, FieldFilter | undefined>()
  return {
    schema: (apiVersion) => findAnyVersion(definition, apiVersion)?.schema,
    convert: (object, apiVersion) => convert(definition, object as KubeObject, apiVersion),
    filter: (apiVersion) => {
      if (only !== '' && apiVersion !== only) return undefined
      if (!filters.has(apiVersion)) filters.set(apiVersion, resetFilter(definition, subresource, apiVersion))
      return filters.get(apiVersion)
    },
  }
}

function resetFilter(definition: ResourceDefinition, subresource: string, apiVersion: string): FieldFilter | undefined {
  const part = subresource === '' ? undefined : definition.subresources.get(subresource)
  const paths =
    part?.type === 'part' ? part.resetFields.get(apiVersion) : findAnyVersion(definition, apiVersion)?.resetFields
  return paths === undefined || paths.length === 0 ? undefined : excludingFields(paths)
}

const withMetadata = (object: KubeObject): KubeObject =>
  object.metadata === undefined ? { ...object, metadata: {} } : object

function remoteConverter(definition: ResourceDefinition, request: WriteRequest): VersionedType['convert'] {
  return (object, apiVersion) => {
    const from = findAnyVersion(definition, (object as KubeObject).apiVersion)
    const to = findAnyVersion(definition, apiVersion)
    if (from === undefined || to === undefined || from.apiVersion === to.apiVersion) return object
    return converted(request, withMetadata(object as KubeObject), apiVersion)
  }
}

function convert(definition: ResourceDefinition, object: KubeObject, apiVersion: string): KubeObject {
  const from = findAnyVersion(definition, object.apiVersion)
  const to = findAnyVersion(definition, apiVersion)
  if (from === undefined || to === undefined) return object
  return definition.model.versions.convertOwned(definition, withMetadata(object), { from, to })
}
