/**
 * Pruning of custom objects: what the schema does not declare goes. `apiVersion`, `kind` and `metadata` of the object
 * and of objects embedded in it are no business of pruning. Objects are not changed; what loses nothing is shared.
 */
import { isJsonObject, type JsonObject, type JsonValue, setKey } from '../api/json.ts'
import { compareTexts, keysOf } from '../api/key-lists.ts'
import { isHeavy, mapInSteps, sortInSteps } from '../api/large-values.ts'
import type { Steps } from '../lib/in-turns.ts'
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

/** The same of an object that is more than one turn. */
export function* pruneObjectInSteps(object: JsonObject, schema: Schema | undefined): Steps<Pruned> {
  const pruner = new Pruner()
  const value = (yield* pruner.pruneInSteps(object, schema, { path: '', root: true })) as JsonObject
  return { value, unknown: yield* sortInSteps(pruner.unknown, compareTexts) }
}

/** A part of an object, such as a default value. */
export const pruneValueInSteps = (value: JsonValue, schema: Schema): Steps<JsonValue> =>
  new Pruner().pruneInSteps(value, schema, { path: '', root: false })

interface PruneContext {
  readonly path: string
  readonly root: boolean
}

const metaFields = new Set(['apiVersion', 'kind', 'metadata'])

/** Light ones are up to a thousand values each. */
const valuesPerStep = 16
/** Those that are not looked into. */
const keysPerStep = 256

class Pruner {
  readonly unknown: string[] = []
  #count = 0

  prune(value: JsonValue, schema: Schema | undefined, place: PruneContext): JsonValue {
    if (Array.isArray(value)) return this.#pruneList(value, schema, place)
    return isJsonObject(value) ? this.#pruneKeys(value, schema, place) : value
  }

  *pruneInSteps(value: JsonValue, schema: Schema | undefined, place: PruneContext): Steps<JsonValue> {
    if (++this.#count % valuesPerStep === 0) yield
    if (!isHeavy(value) || isOpen(schema)) return this.prune(value, schema, place)
    if (!Array.isArray(value)) return yield* this.#pruneKeysInSteps(value, schema, place)
    const items = schema?.kind === 'list' ? schema.items : undefined
    let out = value
    for (let i = 0; i < value.length; i++) {
      const item = value[i] as JsonValue
      const pruned = yield* this.pruneInSteps(item, items, { path: `${place.path}[${i}]`, root: false })
      if (pruned === item) continue
      if (out === value) out = value.slice()
      out[i] = pruned
    }
    return out
  }

  *#pruneKeysInSteps(object: JsonObject, schema: Schema | undefined, place: PruneContext): Steps<JsonObject> {
    const keys: string[] = []
    const values: JsonValue[] = []
    let changed = false
    let visited = 0
    for (const key of keysOf(object)) {
      if (++visited % keysPerStep === 0) yield
      const value = object[key] as JsonValue
      const inner = this.#innerOf(schema, key, place)
      if (inner === 'unknown') {
        this.unknown.push(childPath(place.path, key))
        changed = true
        continue
      }
      const at = { path: childPath(place.path, key), root: false }
      const pruned = inner === 'kept' ? value : yield* this.pruneInSteps(value, inner, at)
      if (pruned !== value) changed = true
      keys.push(key)
      values.push(pruned)
    }
    return changed ? yield* mapInSteps(keys, (i) => values[i]) : object
  }

  /** What the value at a key is: of that type, of none that is known and kept all the same, or unknown. */
  #innerOf(schema: Schema | undefined, key: string, { root }: PruneContext): Schema | 'kept' | 'unknown' {
    if (metaFields.has(key) && (root || isEmbedded(schema))) return 'kept'
    const inner = innerSchema(schema, key)
    if (inner !== undefined) return inner
    return schema?.kind === 'object' && schema.preserveUnknown ? 'kept' : 'unknown'
  }

  #pruneList(list: JsonValue[], schema: Schema | undefined, { path }: PruneContext): JsonValue[] {
    if (isOpen(schema)) return list
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
    if (isOpen(schema)) return object
    const out: JsonObject = {}
    let changed = false
    for (const key of Object.keys(object)) {
      const value = object[key] as JsonValue
      const inner = this.#innerOf(schema, key, place)
      if (inner === 'unknown') {
        this.unknown.push(childPath(place.path, key))
        changed = true
        continue
      }
      const pruned =
        inner === 'kept' ? value : this.prune(value, inner, { path: childPath(place.path, key), root: false })
      if (pruned !== value) changed = true
      setKey(out, key, pruned)
    }
    return changed ? out : object
  }
}

const childPath = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

/** Whatever is in it stays. */
const isOpen = (schema: Schema | undefined): boolean => schema?.kind === 'any' && schema.closed !== true

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
