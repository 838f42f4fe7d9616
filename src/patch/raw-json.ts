/**
 * Raw JSON inside of typed objects (`RawExtension`), which the reference keeps as bytes: the order of its keys is significant and
 * compared. A patch that reaches into it sorts the keys of what it merges; a strategic patch and an apply sort all of it,
 * reached or not, as they take the whole object apart.
 */

import { isJsonObject, type JsonObject, type JsonValue, ownValue, setKey } from '../api/json.ts'
import { keysOf } from '../api/key-lists.ts'
import { SideTable } from '../lib/memo.ts'
import { type JsonNode, ObjectNode } from '../schema/json-tree.ts'
import type { Schema } from '../schema/schema.ts'

const isRaw = (schema: Schema): boolean => schema.kind === 'any' && schema.name === 'machinery.runtime.RawExtension'

const known = new SideTable<Schema, boolean>()

/** Whether a type has raw JSON somewhere. */
export function leadsToRaw(schema: Schema): boolean {
  const found = known.get(schema)
  if (found !== undefined) return found
  const visited = new Set<Schema>()
  const leads = reachesRaw(schema, visited)
  // Of types that contain themselves nothing is known before the end: those on the way to raw JSON may lead there, too.
  if (leads) known.set(schema, true)
  else for (const each of visited) known.set(each, false)
  return leads
}

function reachesRaw(schema: Schema, visited: Set<Schema>): boolean {
  if (visited.has(schema)) return false
  visited.add(schema)
  return isRaw(schema) || innerTypes(schema).some((inner) => reachesRaw(inner, visited))
}

function innerTypes(schema: Schema): Schema[] {
  switch (schema.kind) {
    case 'object':
      return [...schema.fields.values()].map((field) => field.schema)
    case 'list':
      return [schema.items]
    case 'map':
      return [schema.values]
    default:
      return []
  }
}

function memberType(schema: Schema, name: string): Schema | undefined {
  if (schema.kind === 'object') return schema.fields.get(name)?.schema
  if (schema.kind === 'map') return schema.values
  return schema.kind === 'list' ? schema.items : undefined
}

/** Whether a merge patch brings or changes raw JSON. */
export function mergesRaw(patch: JsonNode, schema: Schema | undefined): boolean {
  if (schema === undefined || !leadsToRaw(schema)) return false
  if (isRaw(schema)) return true
  if (Array.isArray(patch)) return patch.some((item) => mergesRaw(item, memberType(schema, '')))
  if (!(patch instanceof ObjectNode)) return false
  return patch.keys.some((key, i) => mergesRaw(patch.values[i] ?? null, memberType(schema, key)))
}

/** Whether a JSON Pointer leads to raw JSON, or to what may hold it. */
export function pointsToRaw(pointer: string, schema: Schema): boolean {
  let type: Schema | undefined = schema
  for (const segment of pointer.split('/').slice(1)) {
    if (type === undefined || isRaw(type)) break
    type = memberType(type, segment.replaceAll('~1', '/').replaceAll('~0', '~'))
  }
  return type !== undefined && leadsToRaw(type)
}

/** The value with the keys of its raw JSON in order; the very value when they are. */
export function withSortedRaw<T extends JsonValue>(value: T, schema: Schema): T
export function withSortedRaw(value: JsonValue, schema: Schema): JsonValue {
  if (typeof value !== 'object' || value === null || !leadsToRaw(schema)) return value
  if (isRaw(schema)) return sorted(value)
  if (Array.isArray(value)) {
    const items = schema.kind === 'list' ? value.map((item) => withSortedRaw(item, schema.items)) : value
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  let out = value
  for (const key of keysOf(value)) {
    const type = memberType(schema, key)
    const member = ownValue(value, key)
    if (type === undefined || member === undefined) continue
    const changed = withSortedRaw(member, type)
    if (changed === member) continue
    if (out === value) out = { ...value }
    setKey(out, key, changed)
  }
  return out
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    const items = value.map(sorted)
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  if (!isJsonObject(value)) return value
  const keys = keysOf(value)
  const out: JsonObject = {}
  let same = true
  for (const [i, key] of [...keys].sort().entries()) {
    const member = sorted(value[key] as JsonValue)
    if (key !== keys[i] || member !== value[key]) same = false
    setKey(out, key, member)
  }
  return same ? value : out
}
