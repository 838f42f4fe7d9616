/**
 * What a strategic merge patch does with the elements of a list: whether they are of one kind, which element belongs to
 * which key, and in which order they stand afterwards. The order that the patch wants comes first; elements that only
 * the live list has keep their place among those that both have.
 */

import { goString, untypedGoType, untypedGoValue } from '../api/golang/untyped-value.ts'
import { isJsonObject, type JsonArray, type JsonObject, type JsonValue, ownValue } from '../api/json.ts'
import { type ApiError, rejected, unknownError } from '../api/status-error.ts'

/** The Go type of all elements. Throws when they differ, are lists themselves, or when there are none. */
export function elementType(...lists: readonly JsonArray[]): string {
  const types = new Set(lists.flat().map((element) => untypedGoType(element)))
  const [type] = types
  if (type === undefined) throw unknownError('no elements in any of the given slices')
  if (type === listType) throw rejected()
  if (types.size > 1) throw unknownError(`list element types are not identical: ${untypedGoValue([...lists])}`)
  return type
}

export const objectType = 'map[string]interface {}'
const listType = '[]interface {}'

const wrongArgument = (expected: string, actual: JsonValue | undefined): ApiError =>
  unknownError(
    `expected a ${expected}, but received a ${actual === null || actual === undefined ? '%!s(<nil>)' : untypedGoType(actual)}`,
  )

export function asList(value: JsonValue | undefined): JsonArray {
  if (!Array.isArray(value)) throw wrongArgument(listType, value)
  return value
}

const noMergeKey = (element: JsonObject, mergeKey: string): ApiError =>
  unknownError(`map: ${untypedGoValue(element)} does not contain declared merge key: ${mergeKey}`)

/** The value that identifies an element: that of its merge key, or the element itself. */
export function mergeKeyOf(element: JsonValue, mergeKey: string): JsonValue {
  if (mergeKey === '') return element
  if (!isJsonObject(element)) throw wrongArgument(objectType, element)
  const value = ownValue(element, mergeKey)
  if (value === undefined) throw noMergeKey(element, mergeKey)
  return value
}

/** Where each key is first found. */
function positions(list: JsonArray, mergeKey: string): Map<JsonValue, number> {
  const found = new Map<JsonValue, number>()
  list.forEach((element, i) => {
    const key = mergeKeyOf(element, mergeKey)
    if (!found.has(key)) found.set(key, i)
  })
  return found
}

/** The same of the elements that have a key: the others are refused when the list is put in order. */
export function knownPositions(list: JsonArray, mergeKey: string): Map<JsonValue, number> {
  const found = new Map<JsonValue, number>()
  list.forEach((element, i) => {
    const key = isJsonObject(element) ? ownValue(element, mergeKey) : undefined
    if (key !== undefined && !found.has(key)) found.set(key, i)
  })
  return found
}

export interface ElementOrder {
  /** What the patch says: its own list, or that of its order directive. */
  readonly wanted: JsonArray
  /** The list as it was. */
  readonly live: JsonArray
  readonly mergeKey: string
}

export function orderElements(merged: JsonArray, { wanted, live, mergeKey }: ElementOrder): JsonArray {
  const key = (element: JsonValue): JsonValue => mergeKeyOf(element, mergeKey)
  const nameless = mergeKey === '' || merged.length === 0 ? -1 : wanted.findIndex((element) => !isJsonObject(element))
  if (nameless >= 0) throw unknownError(`value for key ${nameless} is not a map`)
  const inPatch = positions(wanted, mergeKey)
  const inLive = positions(live, mergeKey)
  const sorted = (elements: JsonArray, order: ReadonlyMap<JsonValue, number>): JsonArray =>
    sortByPosition(elements, (element) => order.get(key(element)))
  const fromPatch = sorted(
    merged.filter((element) => inPatch.has(key(element))),
    inPatch,
  )
  const liveOnly = sorted(
    merged.filter((element) => !inPatch.has(key(element))),
    inLive,
  )
  const comesFirst = (left: JsonValue, right: JsonValue): boolean => {
    const [l, r] = [inLive.get(key(left)), inLive.get(key(right))]
    return l !== undefined && r !== undefined && l < r
  }
  return interleave(liveOnly, fromPatch, comesFirst)
}

type Placed = { readonly element: JsonValue; readonly at: number | undefined }

/** As far as the reference's sort inserts one element after the other. */
const insertedLength = 20

/** Elements without a position are both before and after all others, so that it matters how they are sorted. */
function sortByPosition(elements: JsonArray, positionOf: (element: JsonValue) => number | undefined): JsonArray {
  const placed = elements.map((element): Placed => ({ element, at: positionOf(element) }))
  const isInserted = placed.length <= insertedLength && placed.some(({ at }) => at === undefined)
  const sorted = isInserted ? insertOneByOne(placed) : placed.sort((a, b) => (a.at ?? -1) - (b.at ?? -1))
  return sorted.map(({ element }) => element)
}

function insertOneByOne(elements: readonly Placed[]): Placed[] {
  const sorted: Placed[] = []
  for (const element of elements) {
    let i = sorted.length
    while (i > 0 && precedes(element.at, sorted[i - 1]?.at)) i--
    sorted.splice(i, 0, element)
  }
  return sorted
}

const precedes = (a: number | undefined, b: number | undefined): boolean => a === undefined || b === undefined || a < b

/** Both lists keep their own order; an element of the left one is put before the first that it precedes. */
function interleave(
  left: JsonArray,
  right: JsonArray,
  comesFirst: (left: JsonValue, right: JsonValue) => boolean,
): JsonArray {
  const result: JsonArray = []
  let i = 0
  for (const element of right) {
    while (i < left.length && comesFirst(left[i] as JsonValue, element)) result.push(left[i++] as JsonValue)
    result.push(element)
  }
  return [...result, ...left.slice(i)]
}

/** Throws unless the patch's elements stand in the order directive, in the same order; deletions do not count. */
export function assertWantedOrder(patch: JsonArray, wanted: JsonArray, mergeKey: string): void {
  if (patch.length === 0 || wanted.length === 0) return
  const elements = mergeKey === '' ? patch : patch.filter((element) => !isDeletion(element))
  let next = 0
  for (const element of wanted) {
    while (next < elements.length && hasDirective(elements[next])) next++
    if (next === elements.length) return
    if (mergeKeyOf(elements[next] as JsonValue, mergeKey) === mergeKeyOf(element, mergeKey)) next++
  }
  if (next < elements.length) {
    throw unknownError(
      `The order in patch list:\n${untypedGoValue(patch)}\n doesn't match $setElementOrder list:\n${untypedGoValue(wanted)}\n`,
    )
  }
}

const hasDirective = (element: JsonValue | undefined): boolean =>
  isJsonObject(element) && ownValue(element, '$patch') !== undefined

function isDeletion(element: JsonValue): boolean {
  if (!isJsonObject(element)) throw wrongArgument(objectType, element)
  return ownValue(element, '$patch') === 'delete'
}

export interface SplitElements {
  readonly live: JsonArray
  readonly patch: JsonArray
}

/** Carries out the `$patch` elements of a list: what is left of the live list, and what is left to merge into it. */
export function applyElementDirectives(live: JsonArray, patch: JsonArray, mergeKey: string): SplitElements {
  const plain: JsonArray = []
  const deleted = new Set<JsonValue>()
  let replace = false
  for (const element of patch as JsonObject[]) {
    const directive = ownValue(element, '$patch')
    if (directive === undefined) plain.push(element)
    else if (directive === 'delete') deleted.add(mergeKeyOf(element, mergeKey))
    else if (directive === 'replace') replace = true
    else if (directive === 'merge') throw unknownError('merging lists cannot yet be specified in the patch')
    else throw unknownPatchType(directive, element)
  }
  if (replace) return { live: plain, patch: [] }
  const isLeft = (element: JsonValue): boolean =>
    !deleted.has((isJsonObject(element) ? ownValue(element, mergeKey) : undefined) ?? null)
  return { live: deleted.size === 0 ? live : live.filter(isLeft), patch: plain }
}

export const unknownPatchType = (directive: JsonValue, patch: JsonObject): ApiError =>
  unknownError(`unknown patch type: ${goString(directive)} in map: ${untypedGoValue(patch)}`)
