/**
 * Takes out of a merged object what the applying manager applied last time, does not apply now, and no other manager owns.
 *
 * It works on the field sets of whole objects: take everything out that the manager had, put back what any manager
 * owns, in the version in which it owns it, and of the difference remove only what the manager had.
 */
import type { JsonObject, JsonValue } from '../../api/json.ts'
import type { Schema } from '../../schema/schema.ts'
import { FieldSet } from './field-set.ts'
import { lostFields } from './lost-fields.ts'
import { withNamedFields } from './reconcile.ts'
import { removeItems } from './remove-items.ts'
import { toFieldSet } from './to-field-set.ts'
import { anySchema, isMap } from './topology.ts'
import { fieldsInVersion, type VersionedSet, type VersionedType } from './versioned-type.ts'

export interface Pruning {
  readonly merged: JsonObject
  /** What the manager owned before; undefined if it is new. */
  readonly last: VersionedSet | undefined
  /** What it owns now. */
  readonly current: VersionedSet
  /** What the other managers own. */
  readonly others: readonly VersionedSet[]
}

export function prune(type: VersionedType, { merged, last, current, others }: Pruning): JsonObject {
  if (last === undefined || last.set.isEmpty) return merged
  const sameVersion = last.apiVersion === current.apiVersion
  const schema = schemaOf(type, last.apiVersion)
  if (sameVersion && others.every(({ apiVersion }) => apiVersion === last.apiVersion)) {
    const sets = others.map(({ set }) => set)
    const lost = lostFields(schema, merged, { last: last.set, current: current.set, others: sets })
    return asObject(removeItems(schema, merged, lost))
  }
  return pruneAcrossVersions(type, { merged, last, current, others })
}

/** The general way. */
export function pruneAcrossVersions(
  type: VersionedType,
  { merged, last, current, others }: Pruning & { readonly last: VersionedSet },
): JsonObject {
  const schema = schemaOf(type, last.apiVersion)
  const before = fieldsInVersion(type, merged, last.apiVersion)
  const lastSet = withNamedFields(last.set, schema)
  let kept = asObject(removeItems(schema, before, lastSet))
  let whole = before
  for (const [apiVersion, set] of byVersion([current, ...others], last.apiVersion)) {
    if (type.schema(apiVersion) === undefined) continue
    whole = fieldsInVersion(type, whole, apiVersion)
    kept = putBack(schemaOf(type, apiVersion), whole, { kept: fieldsInVersion(type, kept, apiVersion), owned: set })
  }
  kept = fieldsInVersion(type, kept, last.apiVersion)
  const lost = namedSet(schema, before).difference(namedSet(schema, kept)).intersection(lastSet)
  const pruned = asObject(removeItems(schema, before, lost))
  return fieldsInVersion(type, pruned, current.apiVersion)
}

/** What is kept, and what is owned besides. */
function putBack(
  schema: Schema,
  whole: JsonObject,
  { kept, owned }: { kept: JsonObject; owned: FieldSet },
): JsonObject {
  const stays = namedSet(schema, kept).union(withNamedFields(owned, schema))
  return asObject(removeItems(schema, whole, namedSet(schema, whole).difference(stays)))
}

/** The owners' sets united by version, beginning with one version: conversions may need its required fields. */
function byVersion(owned: Iterable<VersionedSet>, first: string): Map<string, FieldSet> {
  const sets = new Map<string, FieldSet>([[first, FieldSet.empty]])
  for (const { apiVersion, set } of owned) sets.set(apiVersion, (sets.get(apiVersion) ?? FieldSet.empty).union(set))
  if (sets.get(first)?.isEmpty) sets.delete(first)
  return sets
}

const namedSet = (schema: Schema, object: JsonObject): FieldSet => withNamedFields(toFieldSet(schema, object), schema)
const schemaOf = (type: VersionedType, apiVersion: string): Schema => type.schema(apiVersion) ?? anySchema
const asObject = (value: JsonValue): JsonObject => (isMap(value) ? value : {})
