/**
 * Strategic merge patch: a merge that knows the type. Lists whose field says so are merged element by element, by their
 * merge key or as a set; `$patch`, `$retainKeys`, `$setElementOrder/…` and `$deleteFromPrimitiveList/…` say more. Errors
 * and oddities are the reference's: most directive errors are a 500, malformed ones a 400.
 *
 * Inputs are never changed; the result shares what the patch does not touch.
 */
import { invalid as invalidField } from '../api/field-error.ts'
import { untypedGoType, untypedGoValue } from '../api/golang/untyped-value.ts'
import {
  cloneJson,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  ownValue,
  setKey,
} from '../api/json.ts'
import { hasListedKeys, keysOf, listKeys } from '../api/key-lists.ts'
import { copyInSteps, isHeavy } from '../api/large-values.ts'
import { type ApiError, badRequest, invalid, unknownError } from '../api/status-error.ts'
import { runToEnd, type Steps } from '../lib/in-turns.ts'
import { structTypeName } from '../schema/go-type.ts'
import { describeNode, toTree } from '../schema/json-tree.ts'
import type { ObjectSchema, Schema } from '../schema/schema.ts'
import { assertPatchDepth, assertPatchDepthInSteps } from './patch-depth.ts'
import { restoreError, restoreErrorInSteps } from './restore-error.ts'
import {
  applyElementDirectives,
  asList,
  assertWantedOrder,
  elementType,
  knownPositions,
  mergeKeyOf,
  objectType,
  orderElements,
  unknownPatchType,
} from './strategic-list.ts'
import { clonePatchInSteps, isLongPatch, patchKeys, patchMarker, UnmergedPatch } from './strategic-values.ts'
import { hasWideInteger, hasWideIntegerInSteps, wrapIntegers } from './wrap-integers.ts'

const retainKeysMarker = '$retainKeys'
const orderPrefix = '$setElementOrder'
const deletePrefix = '$deleteFromPrimitiveList'

/** Throws a 400, 422 or 500 as the reference does; `null` changes nothing. */
export function applyStrategicMergePatch(current: JsonObject, patch: JsonValue, schema: ObjectSchema): JsonObject {
  if (patch === null) return current
  assertIsObject(patch)
  assertPatchDepth(patch)
  // Merging uses a patch up, and an error shows what is left of it.
  const rest = cloneJson(patch)
  const result = runToEnd(mergeObjects(current, rest, schema))
  const wrong = restoreError(result, { schema, before: current })
  if (wrong !== undefined) throw notRestored(rest, wrong)
  return hasWideInteger(patch) ? (wrapIntegers(result, schema) as JsonObject) : result
}

/** The same, of objects and patches that take more than one turn. */
export function* applyStrategicMergePatchInSteps(
  current: JsonObject,
  patch: JsonValue,
  schema: ObjectSchema,
): Steps<JsonObject> {
  if (!isHeavy(patch) && !isHeavy(current)) return applyStrategicMergePatch(current, patch, schema)
  if (patch === null) return current
  assertIsObject(patch)
  yield* assertPatchDepthInSteps(patch)
  const rest = yield* clonePatchInSteps(patch)
  const result = yield* mergeObjects(current, rest as JsonObject, schema)
  yield
  const wrong = yield* restoreErrorInSteps(result, { schema, before: current })
  if (wrong !== undefined) throw notRestored(rest as JsonObject, wrong)
  if (!(yield* hasWideIntegerInSteps(patch))) return result
  yield
  return wrapIntegers(result, schema) as JsonObject
}

function assertIsObject(patch: JsonValue): asserts patch is JsonObject {
  if (isJsonObject(patch)) return
  throw badRequest(
    `json: cannot unmarshal ${describeNode(toTree(patch))} into Go value of type map[string]interface {}`,
  )
}

const notRestored = (rest: JsonObject, why: string): ApiError =>
  invalid({ group: '', kind: '' }, '', [invalidField('patch', untypedGoValue(rest), why)])

/** Members and elements to a step. */
const perStep = 256

/** Takes the directives out of the patch, which is the caller's own. */
function* mergeObjects(original: JsonObject, patch: JsonObject, schema: Schema): Steps<JsonObject> {
  const directive = ownValue(patch, patchMarker)
  if (directive === 'delete') return {}
  if (directive === 'replace') {
    delete patch[patchMarker]
    return patch
  }
  if (directive !== undefined) throw unknownPatchType(directive, patch)
  const isLong = hasListedKeys(original) || isLongPatch(patch)
  const result = isLong ? yield* retainKeysInSteps(original, patch) : retainKeys(original, patch)
  const keys = patchKeys(patch)
  for (const key of keys) {
    if (key.startsWith(orderPrefix) && Object.hasOwn(patch, key)) yield* mergeOrdered(result, patch, { key, schema })
  }
  let count = 0
  for (const key of keys) {
    if (++count % perStep === 0) yield
    const merging = mergeMember(result, key, { value: patch[key], schema })
    if (merging !== undefined) yield* merging
  }
  // Lists that are put in order come before what else is new.
  if (isLong && !keys.some((key) => key.startsWith(orderPrefix))) {
    listKeys(result, yield* keysAfter(original, keys, result))
  }
  return result
}

/** The keys of a merged map in their order: those of the original that are left, then the new ones. */
function* keysAfter(original: JsonObject, brought: readonly string[], result: JsonObject): Steps<string[]> {
  const keys: string[] = []
  let count = 0
  for (const key of keysOf(original)) {
    if (++count % perStep === 0) yield
    if (Object.hasOwn(result, key)) keys.push(key)
  }
  for (const key of brought) {
    if (++count % perStep === 0) yield
    if (!Object.hasOwn(original, key) && Object.hasOwn(result, key)) keys.push(key)
  }
  return keys
}

function* retainKeysInSteps(original: JsonObject, patch: JsonObject): Steps<JsonObject> {
  return ownValue(patch, retainKeysMarker) === undefined ? yield* copyInSteps(original) : retainKeys(original, patch)
}

/** A copy of the original with no other keys than the directive names; the directive is taken out of the patch. */
function retainKeys(original: JsonObject, patch: JsonObject): JsonObject {
  const retained = ownValue(patch, retainKeysMarker)
  if (retained === undefined) return { ...original }
  delete patch[retainKeysMarker]
  const error = badRequest('invalid patch format of retainKeys')
  if (!Array.isArray(retained)) throw error
  const keys = new Set(retained)
  for (const key of patchKeys(patch)) {
    const counts = (patch[key] ?? null) !== null && !key.startsWith(deletePrefix) && !key.startsWith(orderPrefix)
    if (counts && !keys.has(key)) throw error
  }
  const result: JsonObject = {}
  for (const key of keysOf(original)) if (keys.has(key)) setKey(result, key, original[key])
  return result
}

interface OrderDirective {
  readonly key: string
  readonly schema: Schema
}

/** Merges one list whose order the patch gives; directive and list are taken out of the patch. */
function* mergeOrdered(result: JsonObject, patch: JsonObject, { key, schema }: OrderDirective): Steps<void> {
  const wanted = asList(ownValue(patch, key))
  delete patch[key]
  const name = directiveTarget(key, orderPrefix, 'invalid patch format of setElementOrder list')
  const live = ownValue(result, name)
  const changes = ownValue(patch, name)
  const liveList = live === undefined ? [] : asList(live)
  const patchList = changes === undefined ? [] : asList(changes)
  const list = listField(schema, name)
  assertWantedOrder(patchList, wanted, list.mergeKey)
  if (live === undefined && changes === undefined) return
  const merged = yield* mergedContent(live, changes, list)
  const before = isMergedByKey(liveList, patchList, list) ? overwritten(liveList, patchList, list) : liveList
  elementType(liveList, patchList)
  setKey(result, name, orderElements(merged, { wanted, live: before, mergeKey: list.mergeKey }))
  delete patch[name]
}

function* mergedContent(
  live: JsonValue | undefined,
  changes: JsonValue | undefined,
  list: ListField,
): Steps<JsonArray> {
  if (changes === undefined) return live as JsonArray
  if (live === undefined) return (yield* new UnmergedPatch().withoutDirectives(changes as JsonArray)) as JsonArray
  return yield* mergeListField(live as JsonArray, changes as JsonArray, list)
}

const isMergedByKey = (live: JsonArray, patch: JsonArray, { strategy, mergeKey }: ListField): boolean =>
  strategy === 'merge' && mergeKey !== '' && live.length > 0 && patch.length > 0

/** The live order that the reference goes by: new elements have come where deleted ones were. */
function overwritten(live: JsonArray, patch: JsonArray, { mergeKey }: ListField): JsonArray {
  if ((patch as JsonObject[]).some((element) => ownValue(element, patchMarker) === 'replace')) return live
  const left = applyElementDirectives(live, patch, mergeKey)
  const found = knownPositions(left.live, mergeKey)
  const added = left.patch.filter((element) => !found.has(mergeKeyOf(element, mergeKey)))
  return [...left.live, ...added].slice(0, live.length)
}

/** `$setElementOrder/containers` → `containers`. */
function directiveTarget(key: string, prefix: string, message: string): string {
  if (!key.startsWith(`${prefix}/`)) throw badRequest(message)
  return key.slice(prefix.length + 1)
}

interface Member {
  readonly value: JsonValue | undefined
  readonly schema: Schema
}

/** Steps where there is something to merge in it. */
function mergeMember(result: JsonObject, patchKey: string, { value, schema }: Member): Steps<void> | undefined {
  if (value === undefined) return undefined
  const deletes = patchKey.startsWith(deletePrefix)
  const key = (deletes && directiveTarget(patchKey, deletePrefix, 'invalid patch format of primitive list')) || patchKey
  if (value === null) {
    delete result[key]
    return undefined
  }
  const current = ownValue(result, key)
  if (current === undefined || untypedGoType(current) !== untypedGoType(value)) {
    if (deletes) return undefined
    if (typeof value === 'object') return take(result, key, value)
    setKey(result, key, value)
  } else if (Array.isArray(current)) {
    return mergeList(result, key, { current, changes: value as JsonArray, list: listField(schema, key), deletes })
  } else if (isJsonObject(current)) {
    return mergeObject(result, key, { current, changes: value as JsonObject, field: lookup(schema, key) })
  } else {
    setKey(result, key, value)
  }
  return undefined
}

function* take(result: JsonObject, key: string, value: JsonObject | JsonArray): Steps<void> {
  const rest = new UnmergedPatch()
  yield* rest.dropNulls(value)
  const kept = yield* rest.withoutDirectives(value)
  if (kept === undefined) delete result[key]
  else setKey(result, key, kept)
}

interface ListChange {
  readonly current: JsonArray
  readonly changes: JsonArray
  readonly list: ListField
  readonly deletes: boolean
}

function* mergeList(result: JsonObject, key: string, { current, changes, list, deletes }: ListChange): Steps<void> {
  setKey(result, key, yield* (deletes ? deleteElements : mergeListField)(current, changes, list))
}

interface ObjectChange {
  readonly current: JsonObject
  readonly changes: JsonObject
  readonly field: LookedUpField
}

function* mergeObject(result: JsonObject, key: string, { current, changes, field }: ObjectChange): Steps<void> {
  setKey(result, key, field.strategy === 'replace' ? changes : yield* mergeObjects(current, changes, field.schema))
}

interface ListField {
  readonly items: Schema
  readonly strategy: string
  readonly mergeKey: string
}

interface LookedUpField {
  readonly schema: Schema
  readonly strategy: string
  readonly mergeKey: string
}

/** How the type treats one of its fields. Only types with named fields can say. */
function lookup(schema: Schema, key: string): LookedUpField {
  if (schema.kind === 'map') {
    throw unknownError('merging an object in json but data type is not struct, instead is: map')
  }
  const field = schema.kind === 'object' ? schema.fields.get(key) : undefined
  if (field === undefined) {
    const name = schema.kind === 'object' || schema.kind === 'any' ? structTypeName(schema.name) : ''
    throw unknownError(`unable to find api field in struct ${name} for the json field ${JSON.stringify(key)}`)
  }
  const strategy = field.patch?.strategies.find((name) => name !== 'retainKeys') ?? ''
  return { schema: field.schema, strategy, mergeKey: field.patch?.mergeKey ?? '' }
}

function listField(schema: Schema, key: string): ListField {
  const { schema: type, strategy, mergeKey } = lookup(schema, key)
  if (type.kind !== 'list') throw unknownError('expected slice or array type, but got: struct')
  return { strategy, mergeKey, items: type.items }
}

function* mergeListField(live: JsonArray, patch: JsonArray, list: ListField): Steps<JsonArray> {
  return list.strategy === 'merge' ? yield* mergeLists(live, patch, list) : patch
}

function* deleteElements(live: JsonArray, patch: JsonArray, list: ListField): Steps<JsonArray> {
  if (live.length === 0 && patch.length === 0) return live
  if (elementType(live, patch) === objectType) return yield* mergeLists(live, patch, list)
  const gone = new Set(patch)
  return live.filter((element) => !gone.has(element))
}

function* mergeLists(live: JsonArray, patch: JsonArray, { items, mergeKey }: ListField): Steps<JsonArray> {
  if (live.length === 0 && patch.length === 0) return live
  if (elementType(live, patch) !== objectType) {
    return orderElements([...new Set([...live, ...patch])], { wanted: patch, live, mergeKey })
  }
  if (mergeKey === '') throw unknownError('cannot merge lists without merge key for struct')
  const left = applyElementDirectives(live, patch, mergeKey)
  yield
  const merged = yield* mergeElements(left.live, left.patch, { items, mergeKey })
  yield
  return orderElements(merged, { wanted: left.patch, live: left.live, mergeKey })
}

interface Elements {
  readonly items: Schema
  readonly mergeKey: string
}

/** Elements with a key that the list has are merged into it, the others appended. */
function* mergeElements(live: JsonArray, patch: JsonArray, { items, mergeKey }: Elements): Steps<JsonArray> {
  const merged = [...live]
  const found = knownPositions(live, mergeKey)
  let count = 0
  for (const element of patch as JsonObject[]) {
    if (++count % perStep === 0) yield
    const key = mergeKeyOf(element, mergeKey)
    const at = found.get(key)
    if (at === undefined) found.set(key, merged.push(element) - 1)
    else if (at < live.length) merged[at] = yield* mergeObjects(merged[at] as JsonObject, element, items)
    else yield* mergeInPlace(merged[at] as JsonObject, element, items)
  }
  return merged
}

/** An element that the patch has twice changes in the patch itself, as errors show it. */
function* mergeInPlace(first: JsonObject, second: JsonObject, schema: Schema): Steps<void> {
  const both = yield* mergeObjects(first, second, schema)
  for (const key of keysOf(first)) if (ownValue(both, key) === undefined) delete first[key]
  for (const key of keysOf(both)) setKey(first, key, both[key])
}
