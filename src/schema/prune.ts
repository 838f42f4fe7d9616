/**
 * Pruning of custom objects: what the schema does not declare goes. `apiVersion`, `kind` and `metadata` of the object
 * and of objects embedded in it are no business of pruning. Objects are not changed; what loses nothing is shared.
 */
import { isJsonObject, type JsonObject, type JsonValue, setKey } from '../api/json.ts'
import type { Schema } from './schema.ts'

export interface Pruned {
  readonly value: JsonObject
  /** Paths such as `spec.rows[0].x`, sorted. */
  readonly unknown: readonly string[]
}

/** `schema` is the schema of the whole object; without one nothing but the fields of every object is known. */
export function pruneObject(object: JsonObject, schema: Schema | undefined): Pruned {
  const pruner = new Pruner()
  const value = pruner.prune(object, schema, { path: '', root: true }) as JsonObject
  return { value, unknown: pruner.unknown.sort() }
}

/** A part of an object, such as a default value. */
export function pruneValue(value: JsonValue, schema: Schema): JsonValue {
  return new Pruner().prune(value, schema, { path: '', root: false })
}

interface PruneContext {
  readonly path: string
  readonly root: boolean
}

const metaFields = new Set(['apiVersion', 'kind', 'metadata'])

class Pruner {
  readonly unknown: string[] = []

  prune(value: JsonValue, schema: Schema | undefined, place: PruneContext): JsonValue {
    if (Array.isArray(value)) return this.#pruneList(value, schema, place)
    return isJsonObject(value) ? this.#pruneKeys(value, schema, place) : value
  }

  #pruneList(list: JsonValue[], schema: Schema | undefined, { path }: PruneContext): JsonValue[] {
    if (schema?.kind === 'any' && schema.closed !== true) return list
    const items = schema?.kind === 'list' ? schema.items : undefined
    let out = list
    for (const [i, item] of list.entries()) {
      const pruned = this.prune(item, items, { path: `${path}[${i}]`, root: false })
      if (pruned === item) continue
      if (out === list) out = list.slice()
      out[i] = pruned
    }
    return out
  }

  #pruneKeys(object: JsonObject, schema: Schema | undefined, place: PruneContext): JsonObject {
    if (schema?.kind === 'any' && schema.closed !== true) return object
    const isWhole = place.root || isEmbedded(schema)
    const keeps = schema?.kind === 'object' && schema.preserveUnknown
    const out: JsonObject = {}
    let changed = false
    for (const key of Object.keys(object)) {
      const value = object[key] as JsonValue
      const inner = isWhole && metaFields.has(key) ? undefined : innerSchema(schema, key)
      if (inner === undefined && !keeps && !(isWhole && metaFields.has(key))) {
        this.unknown.push(childPath(place.path, key))
        changed = true
        continue
      }
      const pruned =
        inner === undefined ? value : this.prune(value, inner, { path: childPath(place.path, key), root: false })
      if (pruned !== value) changed = true
      setKey(out, key, pruned)
    }
    return changed ? out : object
  }
}

const childPath = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

const isEmbedded = (schema: Schema | undefined): boolean =>
  (schema?.kind === 'object' || schema?.kind === 'any') && schema.embedded === true

/** Scalars stay; what is inside of others goes. */
const shallow: Schema = { kind: 'any', closed: true }

/** The schema of the value at a key; undefined when the key is not declared. */
export function innerSchema(schema: Schema | undefined, key: string): Schema | undefined {
  if (schema?.kind === 'object') {
    return schema.fields.get(key)?.schema ?? (schema.refusesOthers === true ? shallow : undefined)
  }
  return schema?.kind === 'map' ? schema.values : undefined
}
