/**
 * Takes the paths of a set out of a value. What is owned whole goes whole. Parts that lose
 * nothing are the value's own objects; a map or list that loses everything becomes null.
 */
import { type JsonObject, type JsonValue, setKey } from '../../api/json.ts'
import type { ListSchema, Schema } from '../../schema/schema.ts'
import type { FieldSet } from './field-set.ts'
import { fieldElement } from './path-element.ts'
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
  shapeOf,
} from './topology.ts'

export function removeItems(schema: Schema, value: JsonValue, items: FieldSet): JsonValue {
  if (items.isEmpty) return value
  switch (shapeOf(schema, value)) {
    case 'map':
      if (!isMap(value) || isAtomicMap(schema) || isEmptyMap(value)) return null
      return removeFromMap(schema, value, items)
    case 'list':
      if (!isList(value) || isAtomicList(schema) || value.length === 0) return null
      return removeFromList(schema as ListSchema, value, items)
    default:
      return value
  }
}

function removeFromMap(schema: Schema, value: JsonObject, items: FieldSet): JsonValue {
  const out: JsonObject = {}
  let changed = false
  let kept = 0
  for (const name of Object.keys(value)) {
    const member = memberOf(value, name)
    if (member === undefined) continue
    const entry = items.find(fieldElement(name))
    if (entry?.member) {
      changed = true
      continue
    }
    const left = entry?.child ? removeItems(memberSchema(schema, name) ?? anySchema, member, entry.child) : member
    changed ||= left !== member
    setKey(out, name, left)
    kept++
  }
  return changed ? (kept === 0 ? null : out) : value
}

function removeFromList(schema: ListSchema, value: JsonValue[], items: FieldSet): JsonValue {
  const out: JsonValue[] = []
  let changed = false
  for (const item of value) {
    const entry = items.find(itemElement(schema, item))
    if (entry?.member) {
      changed = true
      continue
    }
    const left = entry?.child ? removeItems(schema.items, item, entry.child) : item
    changed ||= left !== item
    out.push(left)
  }
  return changed ? (out.length === 0 ? null : out) : value
}
