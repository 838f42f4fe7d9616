/** Duplicates in lists that are sets or maps, in custom objects. Built-in kinds check their own. */

import type { FieldError } from '../api/field-error.ts'
import { duplicateAs, invalidAs } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import { shownValue } from '../api/golang/value.ts'
import { isJsonObject, type JsonObject, type JsonValue, ownValue, setKey } from '../api/json.ts'
import type { Steps } from '../lib/in-turns.ts'
import { compileOnce } from '../lib/memo.ts'
import { pushAll } from '../lib/push-all.ts'
import { innerSchema } from './prune.ts'
import type { ListSchema, Schema } from './schema.ts'
import { sortedText } from './value-text.ts'

export function* validateLists(object: JsonValue, schema: Schema): Steps<FieldError[]> {
  const errors: FieldError[] = []
  yield* visit(object, schema, { path: FieldPath.root, errors })
  return errors
}

interface Visit {
  readonly path: FieldPath
  readonly errors: FieldError[]
}

/** Whether there is such a list anywhere in a value of the type: most have none. */
const hasKeyedLists: (schema: Schema) => boolean = compileOnce('keyed-lists', (schema: Schema) => {
  if (schema.kind === 'list')
    return schema.topology === 'map' || schema.topology === 'set' || hasKeyedLists(schema.items)
  if (schema.kind === 'map') return hasKeyedLists(schema.values)
  return schema.kind === 'object' && [...schema.fields.values()].some((field) => hasKeyedLists(field.schema))
})

function* visit(value: JsonValue, schema: Schema, { path, errors }: Visit): Steps<void> {
  if (!hasKeyedLists(schema)) return
  if (Array.isArray(value) && schema.kind === 'list') {
    if (schema.topology === 'map') pushAll(errors, yield* mapErrors(value, schema, path))
    else if (schema.topology === 'set') pushAll(errors, yield* setErrors(value, path))
    if (!hasKeyedLists(schema.items)) return
    for (const [i, item] of value.entries()) yield* visit(item, schema.items, { path: path.index(i), errors })
  }
  if (!isJsonObject(value)) return
  for (const key of Object.keys(value)) {
    const inner = innerSchema(schema, key)
    if (inner === undefined || !hasKeyedLists(inner)) continue
    const at = schema.kind === 'map' ? path.key(key) : path.child(key)
    yield* visit(value[key] as JsonValue, inner, { path: at, errors })
  }
}

function* setErrors(list: readonly JsonValue[], path: FieldPath): Steps<FieldError[]> {
  const second = yield* secondOnes(list, sortedText)
  return second.map((i) => duplicate(path.index(i), list[i] as JsonValue))
}

function* mapErrors(list: readonly JsonValue[], { keys }: ListSchema, path: FieldPath): Steps<FieldError[]> {
  const stranger = list.findIndex((item) => item !== null && !isJsonObject(item))
  if (stranger >= 0) {
    const why = 'must be an object for an array of list-type map'
    return [invalidAs(path.index(stranger), () => shownValue(list[stranger]), why)]
  }
  const second = yield* secondOnes(list, (item) => sortedText(keysOf(item, keys)))
  return second.map((i) => duplicate(path.index(i), keysOf(list[i] as JsonValue, keys)))
}

function keysOf(item: JsonValue, keys: readonly string[]): JsonObject {
  const found: JsonObject = {}
  if (!isJsonObject(item)) return found
  for (const key of keys) {
    const value = ownValue(item, key)
    if (value !== undefined) setKey(found, key, value)
  }
  return found
}

const itemsPerStep = 500

/** The position of the second of every group of equals; further ones are not named. */
function* secondOnes(list: readonly JsonValue[], textOf: (item: JsonValue) => string): Steps<number[]> {
  const seen = new Map<string, number>()
  const second: number[] = []
  for (const [i, item] of list.entries()) {
    if (i % itemsPerStep === itemsPerStep - 1) yield
    const text = textOf(item)
    const times = (seen.get(text) ?? 0) + 1
    seen.set(text, times)
    if (times === 2) second.push(i)
  }
  return second
}

const duplicate = (at: FieldPath, value: JsonValue): FieldError => duplicateAs(at, () => shownValue(value))
