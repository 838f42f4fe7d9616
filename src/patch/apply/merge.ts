/**
 * Puts a partial value over a whole one: what the patch says wins, nothing is removed. Lists that are keyed are merged
 * element by element, in an order that follows the patch where both have an opinion and keeps the rest in place.
 *
 * Parts that the patch does not change are the live value's own objects, so that a caller sees by identity what
 * happened; the result of a merge that changes nothing is the live value itself.
 */
import { copyObject, type JsonObject, type JsonValue, setKey } from '../../api/json.ts'
import { keysOf } from '../../api/key-lists.ts'
import type { ListSchema, Schema } from '../../schema/schema.ts'
import type { PathElement } from './path-element.ts'
import {
  anySchema,
  isAtomicList,
  isAtomicMap,
  isEmptyMap,
  isList,
  isMap,
  itemElement,
  memberOf,
  memberSchema,
  sameValue,
  shapeOf,
} from './topology.ts'

/** Throws a ListItemError when an element of an associative list cannot be named. */
export function mergeValues(schema: Schema, live: JsonValue | undefined, patch: JsonValue | undefined): JsonValue {
  if (patch === undefined || live === patch) return live ?? null
  if (live === undefined) return patch
  switch (shapeOf(schema, patch)) {
    case 'map':
      return mergeAsMap(schema, live, patch)
    case 'list':
      return mergeAsList(schema, live, patch)
    default:
      return sameValue(live, patch) ? live : patch
  }
}

function mergeAsMap(schema: Schema, live: JsonValue, patch: JsonValue): JsonValue {
  const left = isMap(live) && !isEmptyMap(live) ? live : undefined
  const right = isMap(patch) && !isEmptyMap(patch) ? patch : undefined
  if (isAtomicMap(schema) || (left === undefined && right === undefined)) return sameValue(live, patch) ? live : patch
  if (right === undefined) return live
  return left === undefined ? patch : mergeMaps(schema, left, right)
}

function mergeMaps(schema: Schema, live: JsonObject, patch: JsonObject): JsonObject {
  let out: JsonObject | undefined
  for (const name of keysOf(patch)) {
    const right = memberOf(patch, name)
    if (right === undefined) continue
    const left = memberOf(live, name)
    const merged = mergeValues(memberSchema(schema, name) ?? anySchema, left, right)
    if (merged === left) continue
    out ??= copyObject(live)
    setKey(out, name, merged)
  }
  return out ?? live
}

function mergeAsList(schema: Schema, live: JsonValue, patch: JsonValue): JsonValue {
  const left = isList(live) ? live : []
  const right = isList(patch) ? patch : []
  if (isAtomicList(schema) || (left.length === 0 && right.length === 0)) return sameValue(live, patch) ? live : patch
  if (right.length === 0) return live
  if (left.length === 0) return patch
  const merged = mergeLists(schema as ListSchema, left, right)
  return merged.length === left.length && merged.every((item, i) => item === left[i]) ? left : merged
}

interface IndexedList {
  readonly elements: PathElement[]
  /** By name; null for an element that occurs more than once, which is never merged. */
  readonly items: Map<string, JsonValue>
}

function indexList(schema: ListSchema, list: readonly JsonValue[]): IndexedList {
  const elements: PathElement[] = []
  const items = new Map<string, JsonValue>()
  for (const item of list) {
    const element = itemElement(schema, item)
    elements.push(element)
    items.set(element.text, items.has(element.text) ? null : item)
  }
  return { elements, items }
}

/**
 * Two fingers walk the lists. An element that only the live list has is taken when its turn comes; elements of both
 * come in the patch's order; an element that only the patch has follows what stands before it in the patch.
 */
function mergeLists(schema: ListSchema, live: readonly JsonValue[], patch: readonly JsonValue[]): JsonValue[] {
  const left = indexList(schema, live)
  const right = indexList(schema, patch)
  const shared = right.elements.filter(({ text }) => left.items.has(text)).map(({ text }) => text)
  let nextShared = 0
  const out: JsonValue[] = []
  const merged = new Set<string>()
  const takePatched = (name: string): void => {
    merged.add(name)
    const liveItem = left.items.get(name)
    const patchItem = right.items.get(name)!
    out.push(liveItem === undefined ? patchItem : mergeValues(schema.items, liveItem, patchItem))
  }
  for (let l = 0, r = 0; l < live.length || r < patch.length; ) {
    const name = left.elements[l]?.text
    const patchName = right.elements[r]?.text
    if (name !== undefined && patchName !== undefined) {
      if (name === patchName) {
        takePatched(name)
        l++
        r++
        nextShared++
        continue
      }
      if (right.items.has(name) && nextShared < shared.length && shared[nextShared] !== name) {
        // The patch wants another shared element first.
        l++
        continue
      }
    }
    if (name !== undefined) {
      if (!right.items.has(name)) {
        out.push(live[l++]!)
        continue
      }
      if (merged.has(name)) l++
    }
    if (patchName !== undefined) {
      takePatched(patchName)
      r++
      if (shared[nextShared] === patchName) nextShared++
    }
  }
  return out
}
