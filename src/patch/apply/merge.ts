/**
 * Puts a partial value over a whole one: what the patch says wins, nothing is removed. Lists that are keyed are merged
 * element by element, in an order that follows the patch where both have an opinion and keeps the rest in place.
 *
 * Parts that the patch does not change are the live value's own objects, so that a caller sees by identity what
 * happened; the result of a merge that changes nothing is the live value itself.
 */
import { copyObject, type JsonObject, type JsonValue, setKey } from '../../api/json.ts'
import { keysOf } from '../../api/key-lists.ts'
import { isHeavy, mapInSteps } from '../../api/large-values.ts'
import type { Steps } from '../../lib/in-turns.ts'
import type { ListSchema, Schema } from '../../schema/schema.ts'
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
  sameValueInSteps,
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
  return mergeLists(schema as ListSchema, left, right)
}

function mergeLists(schema: ListSchema, live: JsonValue[], patch: JsonValue[]): JsonValue[] {
  const merge = new ListMerge(schema, live, patch)
  merge.index(Number.POSITIVE_INFINITY)
  merge.order(Number.POSITIVE_INFINITY)
  for (const pair of merge.pairs) merge.take(mergePair(schema, pair))
  return merge.result
}

const mergePair = (schema: ListSchema, { live, patch }: Pair): JsonValue =>
  live === undefined ? patch! : mergeValues(schema.items, live, patch)

/** What becomes one element of the merged list. */
interface Pair {
  readonly live: JsonValue | undefined
  readonly patch: JsonValue | undefined
}

/** The elements of a list, by name. */
class ListIndex {
  readonly names: string[] = []
  /** Null for an element that occurs more than once, which is never merged. */
  readonly items = new Map<string, JsonValue>()

  add(schema: ListSchema, item: JsonValue): void {
    const { text } = itemElement(schema, item)
    this.names.push(text)
    this.items.set(text, this.items.has(text) ? null : item)
  }
}

/**
 * Two fingers walk the lists. An element that only the live list has is taken when its turn comes; elements of both
 * come in the patch's order; an element that only the patch has follows what stands before it in the patch.
 *
 * `index` and `order` do as much of their work as they are asked to, and return whether all of it is done.
 */
class ListMerge {
  /** The elements of the merged list, not yet merged themselves. */
  readonly pairs: Pair[] = []
  readonly #schema: ListSchema
  readonly #live: JsonValue[]
  readonly #patch: JsonValue[]
  readonly #left = new ListIndex()
  readonly #right = new ListIndex()
  /** The names of the patch that the live list has, too, and how many of them had their turn. */
  readonly #shared: string[] = []
  #nextShared = 0
  readonly #merged = new Set<string>()
  #l = 0
  #r = 0
  readonly #out: JsonValue[] = []
  #isSame = true

  constructor(schema: ListSchema, live: JsonValue[], patch: JsonValue[]) {
    this.#schema = schema
    this.#live = live
    this.#patch = patch
  }

  index(count: number): boolean {
    const left = this.#left
    const right = this.#right
    let done = 0
    for (; done < count && left.names.length < this.#live.length; done++) {
      left.add(this.#schema, this.#live[left.names.length]!)
    }
    for (; done < count && right.names.length < this.#patch.length; done++) {
      right.add(this.#schema, this.#patch[right.names.length]!)
      const name = right.names.at(-1)!
      if (left.items.has(name)) this.#shared.push(name)
    }
    return right.names.length === this.#patch.length
  }

  order(count: number): boolean {
    for (let i = 0; i < count; i++) {
      if (this.#l >= this.#live.length && this.#r >= this.#patch.length) return true
      this.#advance()
    }
    return false
  }

  #advance(): void {
    const name = this.#left.names[this.#l]
    const patchName = this.#right.names[this.#r]
    if (name !== undefined && patchName !== undefined) {
      if (name === patchName) {
        this.#pair(name)
        this.#l++
        this.#r++
        this.#nextShared++
        return
      }
      if (
        this.#right.items.has(name) &&
        this.#nextShared < this.#shared.length &&
        this.#shared[this.#nextShared] !== name
      ) {
        // The patch wants another shared element first.
        this.#l++
        return
      }
    }
    if (name !== undefined) {
      if (!this.#right.items.has(name)) {
        this.pairs.push({ live: this.#live[this.#l++], patch: undefined })
        return
      }
      if (this.#merged.has(name)) this.#l++
    }
    if (patchName !== undefined) {
      this.#pair(patchName)
      this.#r++
      if (this.#shared[this.#nextShared] === patchName) this.#nextShared++
    }
  }

  #pair(name: string): void {
    this.#merged.add(name)
    this.pairs.push({ live: this.#left.items.get(name), patch: this.#right.items.get(name) })
  }

  take(merged: JsonValue): void {
    if (merged !== this.#live[this.#out.length]) this.#isSame = false
    this.#out.push(merged)
  }

  /** The live list itself when nothing is different. */
  get result(): JsonValue[] {
    return this.#isSame && this.#out.length === this.#live.length ? this.#live : this.#out
  }
}

/** Names or elements to a step. */
const perStep = 256

/** As `mergeValues`, of values that take more than one turn. */
export function* mergeInSteps(
  schema: Schema,
  live: JsonValue | undefined,
  patch: JsonValue | undefined,
): Steps<JsonValue> {
  if (live === undefined || patch === undefined || live === patch || !(isHeavy(live) || isHeavy(patch))) {
    return mergeValues(schema, live, patch)
  }
  const shape = shapeOf(schema, patch)
  const isWhole = shape === 'scalar' || (shape === 'map' ? isAtomicMap(schema) : isAtomicList(schema))
  if (isWhole) return (yield* sameValueInSteps(live, patch)) ? live : patch
  if (isMap(live) && isMap(patch) && !isEmptyMap(live) && !isEmptyMap(patch)) {
    return yield* mergeMapsInSteps(schema, live, patch)
  }
  if (shape === 'list' && isList(live) && isList(patch) && live.length > 0 && patch.length > 0) {
    return yield* mergeListsInSteps(schema as ListSchema, live, patch)
  }
  return mergeValues(schema, live, patch)
}

function* mergeMapsInSteps(schema: Schema, live: JsonObject, patch: JsonObject): Steps<JsonObject> {
  const changed = new Map<string, JsonValue>()
  const names = [...keysOf(live)]
  let count = 0
  for (const name of keysOf(patch)) {
    if (++count % perStep === 0) yield
    const right = memberOf(patch, name)
    if (right === undefined) continue
    const left = memberOf(live, name)
    const merged = yield* mergeInSteps(memberSchema(schema, name) ?? anySchema, left, right)
    if (merged === left) continue
    changed.set(name, merged)
    if (!Object.hasOwn(live, name)) names.push(name)
  }
  if (changed.size === 0) return live
  return yield* mapInSteps(names, (i) => {
    const name = names[i]!
    return changed.has(name) ? changed.get(name) : live[name]
  })
}

function* mergeListsInSteps(schema: ListSchema, live: JsonValue[], patch: JsonValue[]): Steps<JsonValue[]> {
  const merge = new ListMerge(schema, live, patch)
  while (!merge.index(perStep)) yield
  while (!merge.order(perStep)) yield
  let count = 0
  for (const pair of merge.pairs) {
    if (++count % perStep === 0) yield
    const isLong = isHeavy(pair.live) || isHeavy(pair.patch)
    merge.take(isLong ? yield* mergeInSteps(schema.items, pair.live, pair.patch) : mergePair(schema, pair))
  }
  return merge.result
}
