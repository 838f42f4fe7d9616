/**
 * Ownership, at the level of field sets. Updates take ownership of what they change; an apply owns what its
 * configuration says, and must not change what others own unless it is forced.
 *
 * Managers are known by opaque names. Nothing here knows of `managedFields`, times or requests.
 */
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { isHeavy } from '../../api/large-values.ts'
import { runToEnd, type Steps } from '../../lib/in-turns.ts'
import type { Schema } from '../../schema/schema.ts'
import { type Comparison, compareValues, filterComparison, isSame, noDifference } from './compare.ts'
import { compareInSteps } from './compare-in-steps.ts'
import type { FieldSet } from './field-set.ts'
import { mergeInSteps, mergeValues } from './merge.ts'
import type { FieldPathElements } from './path-element.ts'
import { prune } from './prune.ts'
import { reconcileWithSchema } from './reconcile.ts'
import { toFieldSet, toFieldSetInSteps } from './to-field-set.ts'
import { anySchema, isMap, sameValue, sameValueInSteps } from './topology.ts'
import { fieldsInVersion, type VersionedSet, type VersionedType } from './versioned-type.ts'

export interface Conflict {
  readonly manager: string
  readonly path: FieldPathElements
}

/** An apply would change what others own. */
export class ConflictsError extends Error {
  override readonly name = 'ConflictsError'
  readonly conflicts: readonly Conflict[]

  constructor(conflicts: readonly Conflict[]) {
    super('conflicts')
    this.conflicts = conflicts
  }
}

type Managers<T extends VersionedSet> = ReadonlyMap<string, T>

export interface UpdateRequest<T extends VersionedSet> {
  /** Before and after, both in `apiVersion`. */
  readonly live: JsonObject
  readonly next: JsonObject
  readonly apiVersion: string
  readonly managers: Managers<T>
  readonly manager: string
}

export interface UpdateOutcome<T extends VersionedSet> {
  /** The other managers, without what the update took from them. */
  readonly others: Map<string, T>
  /** All that the manager owns now; may be empty. */
  readonly set: FieldSet
}

export const updateSets = <T extends VersionedSet>(type: VersionedType, request: UpdateRequest<T>): UpdateOutcome<T> =>
  runToEnd(updateSetsInSteps(type, request, plainWalks))

/** `walks`: how the objects are gone over. */
export function* updateSetsInSteps<T extends VersionedSet>(
  type: VersionedType,
  request: UpdateRequest<T>,
  walks: Walks = stepwiseWalks,
): Steps<UpdateOutcome<T>> {
  const { live, next, apiVersion, manager } = request
  const managers = yield* reconcileManagers(type, request.managers)
  const settlement = { live, next, apiVersion, managers, manager, force: true, walks }
  const { comparison, others } = yield* settle(type, settlement)
  const before = managers.get(manager)?.set
  const { added, modified, removed } = comparison
  const changed = modified.union(added)
  yield
  const set = before ? before.difference(removed).union(changed) : changed
  others.delete(manager)
  return { others, set: type.filter?.(apiVersion)?.(set) ?? set }
}

/** How values are gone over: those of small objects at once, which is faster, others in steps. */
interface Walks {
  readonly merge: (schema: Schema, live: JsonObject, config: JsonObject) => Steps<JsonValue>
  readonly claims: (schema: Schema, config: JsonObject) => Steps<FieldSet>
  readonly compare: (schema: Schema, before: JsonObject, after: JsonObject) => Steps<Comparison>
  readonly areSame: (a: JsonObject, b: JsonObject) => Steps<boolean>
}

const stepwiseWalks: Walks = {
  merge: mergeInSteps,
  claims: toFieldSetInSteps,
  compare: compareInSteps,
  areSame: sameValueInSteps,
}

// biome-ignore-start lint/correctness/useYield: a walk in one step
const plainWalks: Walks = {
  *merge(schema, live, config) {
    return mergeValues(schema, live, config)
  },
  *claims(schema, config) {
    return toFieldSet(schema, config)
  },
  *compare(schema, before, after) {
    return compareValues(schema, before, after)
  },
  *areSame(a, b) {
    return sameValue(a, b)
  },
}
// biome-ignore-end lint/correctness/useYield: a walk in one step

export interface ApplyRequest<T extends VersionedSet> {
  /** The object as it is, and what the manager wants, both in `apiVersion`. */
  readonly live: JsonObject
  readonly config: JsonObject
  readonly apiVersion: string
  readonly managers: Managers<T>
  readonly manager: string
  readonly force: boolean
}

export interface ApplyOutcome<T extends VersionedSet> extends UpdateOutcome<T> {
  /** The merged object; the live object itself when it has the same value. */
  readonly object: JsonObject
}

/** Throws a ConflictsError, unless forced. */
export function* applySets<T extends VersionedSet>(
  type: VersionedType,
  request: ApplyRequest<T>,
): Steps<ApplyOutcome<T>> {
  const { live, config, apiVersion, manager, force } = request
  const walks = isHeavy(config) || isHeavy(live) ? stepwiseWalks : plainWalks
  const schema = type.schema(apiVersion) ?? anySchema
  const managers = new Map(yield* reconcileManagers(type, request.managers))
  const merged = yield* walks.merge(schema, live, config)
  yield
  const claimed = yield* walks.claims(schema, config)
  yield
  const current: VersionedSet = {
    set: type.filter?.(apiVersion)?.(claimed) ?? claimed,
    apiVersion,
    applied: true,
  }
  const last = managers.get(manager)
  managers.delete(manager)
  const next = prune(type, {
    merged: isMap(merged) ? merged : {},
    last,
    current,
    others: [...managers.values()],
  })
  yield
  const { others } = yield* settle(type, { live, next, apiVersion, managers, manager, force, walks })
  yield
  return { others, set: current.set, object: (yield* walks.areSame(live, next)) ? live : next }
}

/** In line with the present schemas; managers of versions that are gone are forgotten. */
function* reconcileManagers<T extends VersionedSet>(type: VersionedType, managers: Managers<T>): Steps<Managers<T>> {
  let out: Map<string, T> | undefined
  for (const [name, owner] of managers) {
    yield
    const schema = type.schema(owner.apiVersion)
    const set = schema && reconcileWithSchema(owner.set, schema)
    if (set === owner.set) continue
    out ??= new Map(managers)
    if (set === undefined) out.delete(name)
    else out.set(name, { ...owner, set })
  }
  return out ?? managers
}

interface Settlement<T extends VersionedSet> extends UpdateRequest<T> {
  readonly force: boolean
  readonly walks: Walks
}

/** Takes from everybody but the manager what the change takes, each in its own version. */
function* settle<T extends VersionedSet>(
  type: VersionedType,
  request: Settlement<T>,
): Steps<{ comparison: Comparison; others: Map<string, T> }> {
  if (request.live === request.next) return { comparison: noDifference, others: stillOwning(request) }
  const compareIn = yield* comparer(type, request)
  const taken: [manager: string, set: FieldSet][] = []
  const others = new Map<string, T>()
  for (const [name, owner] of request.managers) {
    if (name === request.manager) {
      others.set(name, owner)
      continue
    }
    const { added, modified, removed } = yield* compareIn(owner.apiVersion)
    const changed = modified.union(added)
    yield
    const lost = owner.set.intersects(changed) ? owner.set.intersection(changed) : undefined
    if (lost !== undefined) taken.push([name, lost])
    yield
    const left = (lost === undefined ? owner.set : owner.set.difference(lost)).difference(removed)
    if (!left.isEmpty) others.set(name, left === owner.set ? owner : { ...owner, set: left })
  }
  if (!request.force && taken.length > 0) throw new ConflictsError([...listConflicts(taken)])
  return { comparison: yield* compareIn(request.apiVersion), others }
}

/** When nothing changes, everybody keeps everything. */
function stillOwning<T extends VersionedSet>({ managers, manager }: UpdateRequest<T>): Map<string, T> {
  const others = new Map<string, T>()
  for (const [name, owner] of managers) if (name === manager || !owner.set.isEmpty) others.set(name, owner)
  return others
}

/** The change as each version shows it. An object that did not change in one version did not in another. */
function* comparer<T extends VersionedSet>(
  type: VersionedType,
  settlement: Settlement<T>,
): Steps<(version: string) => Steps<Comparison>> {
  const { live, next, apiVersion, walks } = settlement
  const here = yield* walks.compare(type.schema(apiVersion) ?? anySchema, live, next)
  const known = new Map([[apiVersion, filterComparison(here, type.filter?.(apiVersion))]])
  return (version) => comparisonIn(version, { type, here, known }, settlement)
}

interface KnownComparisons {
  readonly type: VersionedType
  /** In the version of the request, with all fields. */
  readonly here: Comparison
  /** By version. */
  readonly known: Map<string, Comparison>
}

function* comparisonIn<T extends VersionedSet>(
  version: string,
  { type, here, known }: KnownComparisons,
  { live, next, walks }: Settlement<T>,
): Steps<Comparison> {
  const before = known.get(version)
  if (before !== undefined) return before
  const schema = type.schema(version) ?? anySchema
  const there = isSame(here)
    ? here
    : yield* walks.compare(schema, fieldsInVersion(type, live, version), fieldsInVersion(type, next, version))
  const result = filterComparison(there, type.filter?.(version))
  known.set(version, result)
  return result
}

function* listConflicts(taken: Iterable<[manager: string, set: FieldSet]>): Generator<Conflict> {
  for (const [manager, set] of taken) for (const path of set.paths()) yield { manager, path }
}
