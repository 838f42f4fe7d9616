/** Duplicates in lists that are sets or maps, in custom objects. Built-in kinds check their own. */

import type { FieldError } from '../api/field-error.ts'
import { duplicateAs, invalidAs } from '../api/field-error.ts'
import { FieldPath } from '../api/field-path.ts'
import { shownValue } from '../api/golang/value.ts'
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../api/json.ts'
import { pushAll } from '../lib/push-all.ts'
import { innerSchema } from './prune.ts'
import type { ListSchema, Schema } from './schema.ts'
import { sortedText } from './value-text.ts'

export function validateLists(object: JsonValue, schema: Schema): FieldError[] {
  const errors: FieldError[] = []
  visit(object, schema, { path: FieldPath.root, errors })
  return errors
}

interface Visit {
  readonly path: FieldPath
  readonly errors: FieldError[]
}

function visit(value: JsonValue, schema: Schema, { path, errors }: Visit): void {
  if (Array.isArray(value) && schema.kind === 'list') {
    pushAll(errors, schema.topology === 'map' ? mapErrors(value, schema, path) : setErrors(value, schema, path))
    for (const [i, item] of value.entries()) visit(item, schema.items, { path: path.index(i), errors })
  }
  if (!isJsonObject(value)) return
  for (const key of Object.keys(value)) {
    const inner = innerSchema(schema, key)
    const at = schema.kind === 'map' ? path.key(key) : path.child(key)
    if (inner !== undefined) visit(value[key] as JsonValue, inner, { path: at, errors })
  }
}

function setErrors(list: readonly JsonValue[], { topology }: ListSchema, path: FieldPath): FieldError[] {
  if (topology !== 'set') return []
  return secondOnes(list.map(sortedText)).map((i) => duplicate(path.index(i), list[i] as JsonValue))
}

function mapErrors(list: readonly JsonValue[], { keys }: ListSchema, path: FieldPath): FieldError[] {
  const stranger = list.findIndex((item) => item !== null && !isJsonObject(item))
  if (stranger >= 0) {
    const why = 'must be an object for an array of list-type map'
    return [invalidAs(path.index(stranger), () => shownValue(list[stranger]), why)]
  }
  const found = list.map((item) => keysOf(item, keys))
  return secondOnes(found.map(sortedText)).map((i) => duplicate(path.index(i), found[i] ?? {}))
}

function keysOf(item: JsonValue, keys: readonly string[]): JsonObject {
  const found: JsonObject = {}
  if (!isJsonObject(item)) return found
  for (const key of keys) {
    const value = ownValue(item, key)
    if (value !== undefined) found[key] = value
  }
  return found
}

/** The position of the second of every group of equals; further ones are not named. */
function secondOnes(texts: readonly string[]): number[] {
  const seen = new Map<string, number>()
  return texts.flatMap((text, i) => {
    const times = (seen.get(text) ?? 0) + 1
    seen.set(text, times)
    return times === 2 ? [i] : []
  })
}

const duplicate = (at: FieldPath, value: JsonValue): FieldError => duplicateAs(at, () => shownValue(value))
