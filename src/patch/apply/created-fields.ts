/**
 * What the sender of a new object owns: all that makes it different from an object of its type with no field
 * set. It is what comparing the two gives, in one walk over the object alone.
 */

import { isInterned } from '../../api/interned.ts'
import { isOmitted, type JsonObject, type JsonValue } from '../../api/json.ts'
import { isHeavy } from '../../api/large-values.ts'
import type { Steps } from '../../lib/in-turns.ts'
import { compileOnce, SideTable } from '../../lib/memo.ts'
import type { ObjectSchema, Schema } from '../../schema/schema.ts'
import { changeTo } from './compare.ts'
import { emptyObject } from './empty-object.ts'
import { FieldSet } from './field-set.ts'
import { type KnownField, KnownFields, openWalk } from './full-set.ts'
import { toFullSetInSteps } from './full-set-in-steps.ts'
import { fieldElement } from './path-element.ts'
import { SetPath } from './set-shape.ts'
import { isAtomicList, isMap, memberOf } from './topology.ts'

/** Throws a ListItemError when an element of an associative list cannot be named. */
export function createdFields(schema: Schema, object: JsonObject): FieldSet {
  const created =
    schema.kind === 'object' && !schema.atomic
      ? walkOf(schema)(object)
      : changeTo(schema, emptyObject(schema), object)?.below
  return created ?? FieldSet.empty
}

type CreatedWalk = (object: JsonObject) => FieldSet | undefined

const walkOf = compileOnce('created-fields-walk', makeWalk)

function makeWalk(schema: ObjectSchema): CreatedWalk {
  const fields = new KnownFields(schema)
  const untouched = emptyObject(schema)
  return (object) => {
    const path = new SetPath()
    let last: KnownField | undefined
    for (const name in object) {
      const value = object[name]
      if (value === undefined || isOmitted(value)) continue
      const field = fields.find(name, last)
      if (field === undefined) path.add(fieldElement(name), true, openWalk(value))
      else {
        addChange(path, field, memberOf(untouched, name), value)
        last = field
      }
    }
    return FieldSet.at(path)
  }
}

function addChange(path: SetPath, field: KnownField, before: JsonValue | undefined, value: JsonValue): void {
  const { element, schema } = field
  if (before === undefined) path.add(element, true, fullSet(field, value))
  else if (schema.kind === 'object' && !schema.atomic && isMap(before) && isMap(value)) {
    const below = walkOf(schema)(value)
    if (below !== undefined) path.add(element, false, below)
  } else if (isNewList(schema, before, value)) path.add(element, false, fullSet(field, value))
  else {
    const change = changeTo(schema, before, value)
    if (change !== undefined) path.add(element, change.itself, change.below)
  }
}

/** An associative list where there was none: its elements are new, and it is unowned. */
const isNewList = (schema: Schema, before: JsonValue, value: JsonValue): boolean =>
  schema.kind === 'list' && !isAtomicList(schema) && before === null && Array.isArray(value) && value.length > 0

/** Of interned parts, and of heavy ones that were prepared. */
const knownSets = new SideTable<object, FieldSet | null>()

function fullSet(field: KnownField, value: JsonValue): FieldSet | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const known = knownSets.get(value)
  if (known !== undefined) return known ?? undefined
  const set = field.fullSet(value)
  if (isInterned(value)) knownSets.set(value, set ?? null)
  return set
}

/** Makes the sets of the heavy parts of a new object in steps: `createdFields` then finds them. */
export function* prepareCreatedFields(schema: Schema, object: JsonObject): Steps<void> {
  if (schema.kind !== 'object' || schema.atomic) return
  const untouched = emptyObject(schema)
  for (const name of Object.keys(object)) {
    const value = object[name]
    const inner = schema.fields.get(name)?.schema
    if (inner === undefined || !isHeavy(value)) continue
    const before = memberOf(untouched, name)
    if (inner.kind === 'object' && !inner.atomic && isMap(before) && isMap(value)) {
      yield* prepareCreatedFields(inner, value)
    } else if (before === undefined || isNewList(inner, before, value)) {
      knownSets.set(value, (yield* toFullSetInSteps(inner, value)) ?? null)
    }
  }
}
