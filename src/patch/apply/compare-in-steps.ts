/** As `compareValues`, of values that take more than one turn: what is light in them is compared as there. */
import { equalInSteps } from '../../api/equal-in-steps.ts'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { keysOf } from '../../api/key-lists.ts'
import { isHeavy, sortInSteps } from '../../api/large-values.ts'
import type { Steps } from '../../lib/in-turns.ts'
import type { ListSchema, Schema } from '../../schema/schema.ts'
import {
  Changes,
  type Comparison,
  compareMembers,
  compareOccurrences,
  comparisonOf,
  ElementsByName,
  modifiedLeaf,
  type Occurrences,
  selfAdded,
  selfRemoved,
  uniteChanges,
  type ValueChange,
} from './compare.ts'
import { toFullSetInSteps } from './full-set-in-steps.ts'
import { compareElements, fieldElement } from './path-element.ts'
import {
  anySchema,
  isAtomicList,
  isAtomicMap,
  isEmptyMap,
  isList,
  isMap,
  memberOf,
  memberSchema,
  shapeOf,
} from './topology.ts'

/** Members or elements to a step. */
const perStep = 128

type Value = JsonValue | undefined

/** Throws a ListItemError when an element of an associative list cannot be named. */
export function* compareInSteps(schema: Schema, before: JsonValue, after: JsonValue): Steps<Comparison> {
  return comparisonOf(yield* changeInSteps(schema, before, after))
}

function* changeInSteps(schema: Schema, before: Value, after: Value): Steps<ValueChange | undefined> {
  if (before === after) return undefined
  if (!isHeavy(before) && !isHeavy(after)) return compareMembers(schema, before, after)
  if (before === undefined) return { ...nothing, self: selfAdded, added: yield* toFullSetInSteps(schema, after!) }
  if (after === undefined) return { ...nothing, self: selfRemoved, removed: yield* toFullSetInSteps(schema, before) }
  const shape = shapeOf(schema, after)
  const shapeBefore = schema.kind === 'any' ? shapeOf(schema, before) : shape
  const change = yield* changeOf(shape, schema, { before, after })
  return shapeBefore === shape ? change : uniteChanges(yield* changeOf(shapeBefore, schema, { before, after }), change)
}

const nothing: ValueChange = { self: 0, added: undefined, modified: undefined, removed: undefined }

interface Two {
  readonly before: JsonValue
  readonly after: JsonValue
}

function* changeOf(shape: 'map' | 'list' | 'scalar', schema: Schema, two: Two): Steps<ValueChange | undefined> {
  const { before, after } = two
  if (shape === 'map' && !isAtomicMap(schema)) {
    const left = isMap(before) ? before : {}
    const right = isMap(after) ? after : {}
    if (!isEmptyMap(left) || !isEmptyMap(right)) return yield* mapsInSteps(schema, left, right)
  }
  if (shape === 'list' && !isAtomicList(schema)) {
    const left = isList(before) ? before : []
    const right = isList(after) ? after : []
    if (left.length > 0 || right.length > 0) return yield* listsInSteps(schema as ListSchema, left, right)
  }
  return (yield* sameLeafInSteps(before, after)) ? undefined : modifiedLeaf
}

/** An explicit empty is an absent one, but not inside of lists. */
function* sameLeafInSteps(before: Value, after: Value): Steps<boolean> {
  if (before === after || (yield* equalInSteps(before, after))) return true
  if (!isMap(before) || !isMap(after)) return false
  let count = 0
  for (const map of [before, after]) {
    for (const name of keysOf(map)) {
      if (++count % perStep === 0) yield
      if (!(yield* sameLeafInSteps(memberOf(before, name), memberOf(after, name)))) return false
    }
  }
  return true
}

function* mapsInSteps(schema: Schema, before: JsonObject, after: JsonObject): Steps<ValueChange | undefined> {
  const changes = new Changes()
  let count = 0
  for (const name of keysOf(before)) {
    if (++count % perStep === 0) yield
    const left = memberOf(before, name)
    if (left === undefined) continue
    const change = yield* changeInSteps(memberSchema(schema, name) ?? anySchema, left, memberOf(after, name))
    if (change !== undefined) changes.add(fieldElement(name), change)
  }
  for (const name of keysOf(after)) {
    if (++count % perStep === 0) yield
    const right = memberOf(after, name)
    if (right === undefined || memberOf(before, name) !== undefined) continue
    const change = yield* changeInSteps(memberSchema(schema, name) ?? anySchema, undefined, right)
    if (change !== undefined) changes.add(fieldElement(name), change)
  }
  return yield* sortedChange(changes)
}

function* listsInSteps(schema: ListSchema, before: JsonValue[], after: JsonValue[]): Steps<ValueChange | undefined> {
  const byName = new ElementsByName(schema)
  let count = 0
  for (const item of before) {
    if (++count % perStep === 0) yield
    byName.of(item).before.push(item)
  }
  for (const item of after) {
    if (++count % perStep === 0) yield
    byName.of(item).after.push(item)
  }
  const changes = new Changes()
  for (const found of byName.all()) {
    if (++count % perStep === 0) yield
    const change = yield* occurrencesInSteps(schema.items, found)
    if (change !== undefined) changes.add(found.element, change)
  }
  return yield* sortedChange(changes)
}

function* occurrencesInSteps(items: Schema, found: Occurrences): Steps<ValueChange | undefined> {
  const { before, after } = found
  if (before.length <= 1 && after.length <= 1) return yield* changeInSteps(items, before[0], after[0])
  return compareOccurrences(items, found)
}

function* sortedChange(changes: Changes): Steps<ValueChange | undefined> {
  yield* changes.sorted((entries) => sortInSteps(entries, (a, b) => compareElements(a.element, b.element)))
  return changes.get()
}
