/**
 * Who owns what after a create, a replacement or a patch: the sender owns what it changed, its former owners
 * lose it, and removed fields have no owner. It never fails a request: an object whose fields cannot be
 * distinguished is stored without owners.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import { runToEnd, type Steps } from '../../lib/in-turns.ts'
import { capUpdaters } from './cap-updaters.ts'
import { emptyObject } from './empty-object.ts'
import {
  changeManagedFields,
  decodeManagedFieldsInSteps,
  encodeManagedFields,
  type FieldManager,
  hideManagedFields,
  type ManagedFields,
  ManagedFieldsError,
  managerIdentity,
  metadataOf,
  noManagers,
  withManagedFields,
} from './managed-fields.ts'
import { withoutNeverOwned } from './never-owned.ts'
import { anySchema, ListItemError } from './topology.ts'
import { updateSets, updateSetsInSteps } from './update-sets.ts'
import type { VersionedType } from './versioned-type.ts'

export interface WriteBy {
  /** The name of the field manager; empty is `unknown`. */
  readonly manager: string
  /** The version of the request, in which both objects are. */
  readonly apiVersion: string
  /** `status`, `scale`, …; empty for the object itself. */
  readonly subresource?: string
  /** Now, as metadata writes it. */
  readonly time: string
}

/** The new object with its `managedFields`. `live` is undefined for a create. */
export const recordUpdate = (
  type: VersionedType,
  live: JsonObject | undefined,
  next: JsonObject,
  by: WriteBy,
): JsonObject => runToEnd(record(type, live, next, { by, inSteps: false }))

/** The same, of objects that take more than one turn. */
export const recordUpdateInSteps = (
  type: VersionedType,
  live: JsonObject | undefined,
  next: JsonObject,
  by: WriteBy,
): Steps<JsonObject> => record(type, live, next, { by, inSteps: true })

function* record(
  type: VersionedType,
  live: JsonObject | undefined,
  next: JsonObject,
  { by, inSteps }: { readonly by: WriteBy; readonly inSteps: boolean },
): Steps<JsonObject> {
  const requested = metadataOf(next)['managedFields']
  const isReset = !by.subresource && isResetRequest(requested)
  const managers = isReset ? noManagers : yield* currentManagers(live, next, by)
  const empty = live ?? emptyObject(type.schema(by.apiVersion) ?? anySchema)
  // An object without managed fields is not tracked until the first apply.
  if (managers.size === 0 && metadataOf(empty)['uid'] && !isReset) return withManagedFields(next, undefined)
  const alike = live !== undefined && metadataOf(live)['managedFields'] === requested && areOfVersion(managers, by)
  const before = alike ? live : hideManagedFields(empty)
  const after = alike ? next : hideManagedFields(next)
  try {
    const owners = yield* capUpdaters(yield* updateManagers(type, { before, after, managers, by, inSteps }))
    yield
    const entries =
      live === undefined ? encodeManagedFields(owners) : changeManagedFields(metadataOf(live)['managedFields'], owners)
    return withManagedFields(next, entries)
  } catch (error) {
    if (error instanceof ListItemError) return withManagedFields(next, undefined)
    throw error
  }
}

/** Then the object is compared in that version alone, and what both have of `managedFields` makes no difference. */
export function areOfVersion(managers: ManagedFields, { apiVersion }: WriteBy): boolean {
  for (const owner of managers.values()) if (owner.apiVersion !== apiVersion) return false
  return true
}

/** One empty entry asks for a reset; an empty list does not. */
function isResetRequest(entries: JsonValue | undefined): boolean {
  if (!Array.isArray(entries) || entries.length !== 1) return false
  const [entry] = entries
  return isJsonObject(entry) && Object.values(entry).every((value) => value === undefined || value === null)
}

/** The request's own entries where they make sense, else those of the live object. */
function* currentManagers(live: JsonObject | undefined, next: JsonObject, by: WriteBy): Steps<ManagedFields> {
  const requested = by.subresource ? undefined : yield* decodeOrNothing(next)
  if (requested !== undefined && requested.size > 0) return requested
  return (live && (yield* decodeOrNothing(live))) ?? noManagers
}

function* decodeOrNothing(object: JsonObject): Steps<ManagedFields | undefined> {
  try {
    return yield* decodeManagedFieldsInSteps(metadataOf(object)['managedFields'])
  } catch (error) {
    if (error instanceof ManagedFieldsError) return undefined
    throw error
  }
}

export interface ManagersUpdate {
  readonly before: JsonObject
  readonly after: JsonObject
  readonly managers: ManagedFields
  readonly by: WriteBy
  /** The objects take more than one turn. */
  readonly inSteps: boolean
}

/** Stands for the request itself, so that what it takes is distinct from what the same manager owned before. */
const thisRequest = 'current-operation'

export function* updateManagers(
  type: VersionedType,
  { before, after, managers, by, inSteps }: ManagersUpdate,
): Steps<Map<string, FieldManager>> {
  const { apiVersion, subresource = '', time } = by
  const request = { live: before, next: after, apiVersion, managers, manager: thisRequest }
  const { others, set } = inSteps ? yield* updateSetsInSteps(type, request) : updateSets(type, request)
  yield
  const taken = withoutNeverOwned(set)
  if (taken.isEmpty) return others
  const key = { manager: by.manager || 'unknown', operation: 'Update', apiVersion, subresource } as const
  const identity = managerIdentity(key)
  const previous = others.get(identity)
  const owned = previous ? previous.set.union(taken) : taken
  // What the manager owned all along is the set that it had, which is known in every form.
  const original = managers.get(identity)?.set
  const { manager, operation } = key
  const kept = original?.equals(owned) ? original : owned
  if (previous?.set === kept && previous.time === time) return others
  others.set(identity, { manager, operation, apiVersion, subresource, set: kept, time, applied: false })
  return others
}
