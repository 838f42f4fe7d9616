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
import { keysOf } from '../api/key-lists.ts'
import { badRequest, invalid, unknownError } from '../api/status-error.ts'
import { structTypeName } from '../schema/go-type.ts'
import { describeNode, toTree } from '../schema/json-tree.ts'
import type { ObjectSchema, Schema } from '../schema/schema.ts'
import { assertPatchDepth } from './patch-depth.ts'
import { restoreError } from './restore-error.ts'
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
import { hasWideInteger, wrapIntegers } from './wrap-integers.ts'

const patchMarker = '$patch'
const retainKeysMarker = '$retainKeys'
const orderPrefix = '$setElementOrder'
const deletePrefix = '$deleteFromPrimitiveList'

/** Throws a 400, 422 or 500 as the reference does; `null` changes nothing. */
export function applyStrategicMergePatch(current: JsonObject, patch: JsonValue, schema: ObjectSchema): JsonObject {
  if (patch === null) return current
  if (!isJsonObject(patch)) {
    throw badRequest(
      `json: cannot unmarshal ${describeNode(toTree(patch))} into Go value of type map[string]interface {}`,
    )
  }
  assertPatchDepth(patch)
  // Merging uses a patch up, and an error shows what is left of it.
  const rest = cloneJson(patch)
  const result = mergeObjects(current, rest, schema)
  const wrong = restoreError(result, { schema, before: current })
  if (wrong !== undefined) {
    throw invalid({ group: '', kind: '' }, '', [invalidField('patch', untypedGoValue(rest), wrong)])
  }
  return hasWideInteger(patch) ? (wrapIntegers(result, schema) as JsonObject) : result
}

/** Takes the directives out of the patch, which is the caller's own. */
function mergeObjects(original: JsonObject, patch: JsonObject, schema: Schema): JsonObject {
  const directive = ownValue(patch, patchMarker)
  if (directive === 'delete') return {}
  if (directive === 'replace') {
    delete patch[patchMarker]
    return patch
  }
  if (directive !== undefined) throw unknownPatchType(directive, patch)
  const result = retainKeys(original, patch)
  for (const key of keysOf(patch)) if (key.startsWith(orderPrefix)) mergeOrdered(result, patch, { key, schema })
  for (const key of keysOf(patch)) mergeMember(result, key, { value: patch[key], schema })
  return result
}

/** A copy of the original with no other keys than the directive names; the directive is taken out of the patch. */
function retainKeys(original: JsonObject, patch: JsonObject): JsonObject {
  const retained = ownValue(patch, retainKeysMarker)
  if (retained === undefined) return { ...original }
  delete patch[retainKeysMarker]
  const error = badRequest('invalid patch format of retainKeys')
  if (!Array.isArray(retained)) throw error
  const keys = new Set(retained)
  for (const key of keysOf(patch)) {
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
function mergeOrdered(result: JsonObject, patch: JsonObject, { key, schema }: OrderDirective): void {
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
  const merged = mergedContent(live, changes, list)
  const before = isMergedByKey(liveList, patchList, list) ? overwritten(liveList, patchList, list) : liveList
  elementType(liveList, patchList)
  setKey(result, name, orderElements(merged, { wanted, live: before, mergeKey: list.mergeKey }))
  delete patch[name]
}

function mergedContent(live: JsonValue | undefined, changes: JsonValue | undefined, list: ListField): JsonArray {
  if (changes === undefined) return live as JsonArray
  if (live === undefined) return (withoutDirectives(changes) ?? []) as JsonArray
  return mergeListField(live as JsonArray, changes as JsonArray, list)
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

function mergeMember(result: JsonObject, patchKey: string, { value, schema }: Member): void {
  if (value === undefined) return
  const deletes = patchKey.startsWith(deletePrefix)
  const key = (deletes && directiveTarget(patchKey, deletePrefix, 'invalid patch format of primitive list')) || patchKey
  if (value === null) {
    delete result[key]
    return
  }
  const current = ownValue(result, key)
  if (current === undefined || untypedGoType(current) !== untypedGoType(value)) {
    if (!deletes) take(result, key, dropNulls(value))
  } else if (Array.isArray(current)) {
    const list = listField(schema, key)
    const changes = value as JsonArray
    setKey(result, key, deletes ? deleteElements(current, changes, list) : mergeListField(current, changes, list))
  } else if (isJsonObject(current)) {
    const field = lookup(schema, key)
    const changes = value as JsonObject
    setKey(result, key, field.strategy === 'replace' ? changes : mergeObjects(current, changes, field.schema))
  } else {
    setKey(result, key, value)
  }
}

function take(result: JsonObject, key: string, value: JsonValue): void {
  const kept = withoutDirectives(value)
  if (kept === undefined) delete result[key]
  else setKey(result, key, kept)
}

/** Nulls of lists stay: only members of objects can be removed. */
function dropNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) value.forEach(dropNulls)
  else if (isJsonObject(value)) {
    for (const key of keysOf(value)) {
      const member = value[key]
      if (member === null || member === undefined) delete value[key]
      else dropNulls(member)
    }
  }
  return value
}

/** What remains when there is nothing to merge with: objects with a `$patch` are dropped. */
function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined)
  if (!isJsonObject(value)) return value
  if (ownValue(value, patchMarker) !== undefined) return undefined
  for (const key of keysOf(value)) {
    const kept = withoutDirectives(value[key] ?? null)
    if (kept === undefined) delete value[key]
    else setKey(value, key, kept)
  }
  return value
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

function mergeListField(live: JsonArray, patch: JsonArray, list: ListField): JsonArray {
  return list.strategy === 'merge' ? mergeLists(live, patch, list) : patch
}

function deleteElements(live: JsonArray, patch: JsonArray, list: ListField): JsonArray {
  if (live.length === 0 && patch.length === 0) return live
  if (elementType(live, patch) === objectType) return mergeLists(live, patch, list)
  const gone = new Set(patch)
  return live.filter((element) => !gone.has(element))
}

function mergeLists(live: JsonArray, patch: JsonArray, { items, mergeKey }: ListField): JsonArray {
  if (live.length === 0 && patch.length === 0) return live
  if (elementType(live, patch) !== objectType) {
    return orderElements([...new Set([...live, ...patch])], { wanted: patch, live, mergeKey })
  }
  if (mergeKey === '') throw unknownError('cannot merge lists without merge key for struct')
  const left = applyElementDirectives(live, patch, mergeKey)
  const merged = mergeElements(left.live, left.patch, { items, mergeKey })
  return orderElements(merged, { wanted: left.patch, live: left.live, mergeKey })
}

interface Elements {
  readonly items: Schema
  readonly mergeKey: string
}

/** Elements with a key that the list has are merged into it, the others appended. */
function mergeElements(live: JsonArray, patch: JsonArray, { items, mergeKey }: Elements): JsonArray {
  const merged = [...live]
  const found = knownPositions(live, mergeKey)
  for (const element of patch as JsonObject[]) {
    const key = mergeKeyOf(element, mergeKey)
    const at = found.get(key)
    if (at === undefined) found.set(key, merged.push(element) - 1)
    else if (at < live.length) merged[at] = mergeObjects(merged[at] as JsonObject, element, items)
    else mergeInPlace(merged[at] as JsonObject, element, items)
  }
  return merged
}

/** An element that the patch has twice changes in the patch itself, as errors show it. */
function mergeInPlace(first: JsonObject, second: JsonObject, schema: Schema): void {
  const both = mergeObjects(first, second, schema)
  for (const key of keysOf(first)) if (ownValue(both, key) === undefined) delete first[key]
  for (const key of keysOf(both)) setKey(first, key, both[key])
}
