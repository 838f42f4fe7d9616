/**
 * A server-side apply: the configuration is merged into the live object, the manager owns what the configuration
 * says, and what it said last time but not now is removed unless another manager owns it.
 */
import { formatGroupVersion, parseGroupVersion } from '../../api/group-version.ts'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { isHeavy } from '../../api/large-values.ts'
import { type ApiError, badRequest, unknownError } from '../../api/status-error.ts'
import type { Steps } from '../../lib/in-turns.ts'
import type { Schema } from '../../schema/schema.ts'
import { restoreError } from '../restore-error.ts'
import { conflictError } from './conflict-error.ts'
import { emptyObject } from './empty-object.ts'
import { clientSideManager, lastAppliedFields, withLastApplied } from './last-applied.ts'
import {
  changeManagedFields,
  decodeManagedFieldsInSteps,
  type FieldManager,
  hideManagedFields,
  type ManagedFields,
  ManagedFieldsError,
  managerIdentity,
  metadataOf,
  withManagedFields,
} from './managed-fields.ts'
import { withoutNeverOwned } from './never-owned.ts'
import { areOfVersion, updateManagers, type WriteBy } from './record-update.ts'
import { anySchema, ListItemError, memberSchema } from './topology.ts'
import { type ApplyOutcome, applySets, ConflictsError } from './update-sets.ts'
import {
  formatErrors,
  isAboutDuplicates,
  undeclaredField,
  validateConfig,
  validateConfigInSteps,
} from './validate-config.ts'
import { DuplicatesError, type VersionedType } from './versioned-type.ts'

export interface ApplyBy extends WriteBy {
  /** The kind of the endpoint. */
  readonly kind: string
  readonly force: boolean
  /** What becomes of fields that the schema does not have: refused, or left out. */
  readonly unknownFields: 'refuse' | 'drop'
}

export interface Applied {
  /** The merged object with its `managedFields`, neither defaulted nor validated yet. */
  readonly object: JsonObject
  /** The paths that were left out, such as `.spec.replica`. */
  readonly unknownFields: readonly string[]
  /** The object is the live one but for its owners. */
  readonly isSame: boolean
}

/**
 * `live` is in the version of the request, and undefined for a create. Throws the ApiError of the answer: 400 for a
 * body that is of another kind or carries `managedFields`, 409 for conflicts, 500 for values of wrong types.
 */
export function* applyConfig(
  type: VersionedType,
  live: JsonObject | undefined,
  config: JsonObject,
  by: ApplyBy,
): Steps<Applied> {
  checkKind(config, by)
  const managers = yield* liveManagers(live)
  const alike = live !== undefined && managers.size > 0 && areOfVersion(managers, by)
  const before = alike ? live : hideManagedFields(live ?? emptyObject(type.schema(by.apiVersion) ?? anySchema))
  const tracked = managers.size > 0 ? managers : yield* beforeFirstApply(type, before, by)
  yield
  const { known, unknown, unconvertible } = yield* checkConfig(type, config, by)
  yield
  const touches = metadataOf(config)['managedFields'] === null
  const { outcome, owners } = yield* applyAsManager(type, { before, config: known, managers: tracked, touches, by })
  if (unconvertible !== undefined) throw unconvertible
  yield
  const merged = by.manager === clientSideManager ? withLastApplied(outcome.object, known) : outcome.object
  const entries = changeManagedFields(live && metadataOf(live)['managedFields'], owners)
  return { object: withManagedFields(merged, entries), unknownFields: unknown, isSame: merged === before }
}

function checkKind(config: JsonObject, { apiVersion, kind }: ApplyBy): void {
  if (config['apiVersion'] === apiVersion && config['kind'] === kind) return
  throw badRequest(`invalid object type: ${describeKind(config)}`)
}

/** `apps/v1, Kind=Deployment`, with an empty group for core kinds. */
function describeKind(config: JsonObject): string {
  const { apiVersion, kind } = config
  const parsed = parseGroupVersion(typeof apiVersion === 'string' ? apiVersion : '')
  if (parsed === undefined) return '/, Kind='
  const version = parsed.group === '' ? `/${parsed.version}` : formatGroupVersion(parsed)
  return `${version}, Kind=${typeof kind === 'string' ? kind : ''}`
}

function* liveManagers(live: JsonObject | undefined): Steps<ManagedFields> {
  try {
    return yield* decodeManagedFieldsInSteps(live && metadataOf(live)['managedFields'])
  } catch (error) {
    if (error instanceof ManagedFieldsError) throw unknownError(`failed to decode managed fields: ${error.message}`)
    throw error
  }
}

/** What keeps the parts of an object that is there from being identified. Duplicates do not. */
function liveProblem(type: VersionedType, live: JsonObject, by: ApplyBy): string | undefined {
  const { errors } = validateConfig(type.schema(by.apiVersion) ?? anySchema, live)
  const wrong = errors.filter((error) => !isAboutDuplicates(error))
  return wrong.length === 0 ? undefined : formatErrors(wrong)
}

function describeObject(object: JsonObject, kind: JsonObject): string {
  const { namespace, name } = metadataOf(object)
  return `${textOr(namespace)}/${textOr(name)}; ${describeKind(kind)}`
}

interface CheckedConfig {
  readonly known: JsonObject
  readonly unknown: readonly string[]
  /** What becomes of the object once nothing stands in the way of the merge. */
  readonly unconvertible?: ApiError
}

function* checkConfig(type: VersionedType, config: JsonObject, by: ApplyBy): Steps<CheckedConfig> {
  const { managedFields } = metadataOf(config)
  const schema = type.schema(by.apiVersion) ?? anySchema
  const unreadable = unreadableEntry(schema, managedFields)
  const isNone = isNoEntries(managedFields)
  if (Array.isArray(managedFields) && unreadable === undefined && !isNone)
    throw badRequest('metadata.managedFields must be nil')
  const { errors, unknown, known } = yield* validateConfigInSteps(schema, config)
  const refused = by.unknownFields === 'refuse' ? unknown.map(undeclaredField) : []
  if (errors.length + refused.length > 0) {
    const what = describeObject(config, config)
    const message = `failed to create typed patch object (${what}): ${formatErrors([...errors, ...refused])}`
    throw errors.length > 0 ? unknownError(message) : badRequest(message)
  }
  const checked = { known: isNone ? withManagedFields(known, undefined) : known, unknown }
  if (unreadable === undefined) return checked
  const why = `unable to convert unstructured object to ${describeKind(config)}: ${unreadable}`
  const message = `failed to convert new object (${describeObject(config, config)}) to proper version: ${why}`
  return { ...checked, unconvertible: unknownError(message) }
}

/**
 * What keeps entries from being read: to the reference these are none, until the whole object is converted.
 * Mirrors apimachinery/pkg/apis/meta/v1/unstructured: GetManagedFields.
 */
function unreadableEntry(schema: Schema, managedFields: JsonValue | undefined): string | undefined {
  const metadata = memberSchema(schema, 'metadata')
  const entries = metadata && memberSchema(metadata, 'managedFields')
  if (entries?.kind !== 'list' || !Array.isArray(managedFields)) return undefined
  return restoreError(managedFields, { schema: entries })
}

/** A null among entries is no map, which makes all of them none, and converts. */
const isNoEntries = (managedFields: JsonValue | undefined): boolean =>
  managedFields === null || (Array.isArray(managedFields) && managedFields.includes(null))

const textOr = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '')

/** Whatever is there when the first apply comes belongs to a manager of that name. */
function* beforeFirstApply(type: VersionedType, live: JsonObject, by: ApplyBy): Steps<ManagedFields> {
  const before = emptyObject(type.schema(by.apiVersion) ?? anySchema)
  if (live === before) return new Map()
  const managers: ManagedFields = new Map()
  try {
    const firstBy = { ...by, manager: 'before-first-apply' }
    return yield* updateManagers(type, { before, after: live, managers, by: firstBy, inSteps: isHeavy(live) })
  } catch (error) {
    if (!(error instanceof ListItemError)) throw error
    const what = describeObject(live, { apiVersion: by.apiVersion, kind: by.kind })
    const why = liveProblem(type, live, by) ?? error.message
    throw unknownError(
      `failed to create manager for existing fields: failed to convert new object (${what}) to smd typed: ${why}`,
    )
  }
}

interface Application {
  readonly before: JsonObject
  readonly config: JsonObject
  readonly managers: ManagedFields
  /** The configuration says that there are no `managedFields`, which counts as a change although nothing comes of it. */
  readonly touches: boolean
  readonly by: ApplyBy
}

function* applyAsManager(
  type: VersionedType,
  application: Application,
): Steps<{ outcome: ApplyOutcome<FieldManager>; owners: Map<string, FieldManager> }> {
  const { before, by, managers, touches } = application
  const { apiVersion, subresource = '' } = by
  const manager = by.manager || 'unknown'
  const operation = 'Apply'
  const identity = managerIdentity({ manager, operation, apiVersion, subresource })
  const outcome = yield* applyOrConflict(type, application, identity)
  const owners = outcome.others
  yield
  const set = withoutNeverOwned(outcome.set)
  const changed = touches || outcome.object !== before
  const last = managers.get(identity)
  const time = changed ? by.time : last?.time
  const isSame = last?.time === time && last?.apiVersion === apiVersion && last.set.equals(set)
  if (!set.isEmpty) {
    const applied = { manager, operation, apiVersion, subresource, set, time, applied: true } as const
    owners.set(identity, isSame ? last : applied)
  }
  return { outcome, owners }
}

function* applyOrConflict(
  type: VersionedType,
  { before, config, managers, by }: Application,
  manager: string,
): Steps<ApplyOutcome<FieldManager>> {
  const apply = (force: boolean): Steps<ApplyOutcome<FieldManager>> =>
    applySets(type, { live: before, config, apiVersion: by.apiVersion, managers, manager, force })
  try {
    return yield* apply(by.force)
  } catch (error) {
    if (error instanceof DuplicatesError) throw unknownError(error.message)
    if (error instanceof ListItemError) throw invalidLive(type, before, by)
    if (!(error instanceof ConflictsError)) throw error
    const forgiven = by.manager === clientSideManager ? forgivenConflicts(type, before, by) : undefined
    const left = forgiven ? error.conflicts.filter(({ path }) => !forgiven.has(path)) : error.conflicts
    if (left.length > 0) throw conflictError(left, managers)
    return yield* apply(true)
  }
}

/** The configuration has been looked at before: it is the object that has elements without a name. */
function invalidLive(type: VersionedType, live: JsonObject, by: ApplyBy): ApiError {
  const what = describeObject(live, { apiVersion: by.apiVersion, kind: by.kind })
  return unknownError(`failed to create typed live object (${what}): ${liveProblem(type, live, by) ?? ''}`)
}

const forgivenConflicts = (type: VersionedType, live: JsonObject, { apiVersion }: ApplyBy) =>
  lastAppliedFields(type.schema(apiVersion) ?? anySchema, live, apiVersion)
