/**
 * What the sender of a new object owns: all that makes it different from an object of its type about which nobody has
 * said anything. It is what comparing the two gives, in one walk over the object alone.
 */
import type { JsonObject, JsonValue } from '../../api/json.ts'
import type { ObjectSchema, Schema } from '../../schema/schema.ts'
import { changeTo } from './compare.ts'
import { emptyObject } from './empty-object.ts'
import { FieldSet } from './field-set.ts'
import { type KnownField, KnownFields, openWalk } from './full-set.ts'
import { fieldElement } from './path-element.ts'
import { SetPath } from './set-shape.ts'
import { isAtomicList, isMap, memberOf } from './topology.ts'

/**
 * Throws a ListItemError when an element of an associative list cannot be named. The parts that are shared with others
 * (`like`) are gone over once.
 */
export function createdFields(schema: Schema, object: JsonObject, like?: JsonObject): FieldSet {
  const created =
    schema.kind === 'object' && !schema.atomic
      ? walkOf(schema)(object, like)
      : changeTo(schema, emptyObject(schema), object)?.below
  return created ?? FieldSet.empty
}

type CreatedWalk = (object: JsonObject, like: JsonObject | undefined) => FieldSet | undefined

const walks = new WeakMap<ObjectSchema, CreatedWalk>()

function walkOf(schema: ObjectSchema): CreatedWalk {
  const known = walks.get(schema)
  if (known !== undefined) return known
  const made = makeWalk(schema)
  walks.set(schema, made)
  return made
}

function makeWalk(schema: ObjectSchema): CreatedWalk {
  const fields = new KnownFields(schema)
  const untouched = emptyObject(schema)
  return (object, like) => {
    const path = new SetPath()
    let last: KnownField | undefined
    for (const name in object) {
      const value = object[name]
      if (value === undefined) continue
      const field = fields.find(name, last)
      if (field === undefined) path.add(fieldElement(name), true, openWalk(value))
      else {
        addChange(path, field, memberOf(untouched, name), value, like?.[name])
        last = field
      }
    }
    return FieldSet.at(path)
  }
}

function addChange(
  path: SetPath,
  field: KnownField,
  before: JsonValue | undefined,
  value: JsonValue,
  like: JsonValue | undefined,
): void {
  const { element, schema } = field
  if (before === undefined) path.add(element, true, fullSet(field, value, like))
  else if (schema.kind === 'object' && !schema.atomic && isMap(before) && isMap(value)) {
    const below = walkOf(schema)(value, isMap(like) ? like : undefined)
    if (below !== undefined) path.add(element, false, below)
  } else if (isNewList(schema, before, value)) path.add(element, false, fullSet(field, value, like))
  else {
    const change = changeTo(schema, before, value)
    if (change !== undefined) path.add(element, change.itself, change.below)
  }
}

/** An associative list where there was none: its elements are new, and it is nobody's. */
const isNewList = (schema: Schema, before: JsonValue, value: JsonValue): boolean =>
  schema.kind === 'list' && !isAtomicList(schema) && before === null && Array.isArray(value) && value.length > 0

const sharedSets = new WeakMap<object, FieldSet | null>()

/** A part that is shared stands in one place of one type: its paths are always the same. */
function fullSet(field: KnownField, value: JsonValue, like: JsonValue | undefined): FieldSet | undefined {
  if (value !== like || typeof value !== 'object' || value === null) return field.fullSet(value)
  const known = sharedSets.get(value)
  if (known !== undefined) return known ?? undefined
  const set = field.fullSet(value)
  sharedSets.set(value, set ?? null)
  return set
}
