/**
 * JSON as values, without copying it: an object or a list is wrapped when it is reached, a scalar is read by its
 * declared type. Data that does not fit its schema is an error where it is looked at, not before.
 */

import type { JsonArray, JsonObject, JsonValue } from '../api/json.ts'
import { equalJson, isJsonObject, ownValue } from '../api/json.ts'
import { jsonText } from '../api/json-text.ts'
import { keysOf } from '../api/key-lists.ts'
import { memoize } from '../lib/memo.ts'
import type { ListSchema } from '../schema/schema.ts'
import type { DeclaredType } from './declared-type.ts'
import { equal } from './equality.ts'
import { escapeName } from './escaping.ts'
import type { Work } from './evaluation.ts'
import { countWork, WORK } from './evaluation.ts'
import { FORMAT_ERRORS, TEXT_FORMATS } from './text-formats.ts'
import type { List, MapValue, Value } from './values.ts'
import { Bytes, CelError, Double, errorOr, toInt, Uint } from './values.ts'

type Adapt = (json: JsonValue) => Value

/** Decoded objects are immutable. */
const keyCount = memoize('key-count', (json: JsonObject): number => keysOf(json).length)

/** A list of JSON whose items are read one by one. */
export class JsonList implements List {
  readonly kind = 'list'
  readonly json: JsonArray
  readonly #adapt: Adapt
  constructor(json: JsonArray, adapt: Adapt) {
    this.json = json
    this.#adapt = adapt
  }
  get length(): number {
    return this.json.length
  }
  at(index: number): Value {
    return this.#adapt(this.json[index]!)
  }
}

/** A list of a schema: its order, its set or its keys decide what equals it. */
class DeclaredList implements List {
  readonly kind = 'list'
  readonly json: JsonArray
  readonly #element: DeclaredType
  readonly #schema: ListSchema

  constructor(json: JsonArray, element: DeclaredType, schema: ListSchema) {
    this.json = json
    this.#element = element
    this.#schema = schema
  }

  get length(): number {
    return this.json.length
  }

  at(index: number): Value {
    return this.#element.adapt(this.json[index]!)
  }

  equals(other: List, work?: Work): Value {
    if (this.length !== other.length) return false
    work?.work(this.length * (this.#schema.topology === 'atomic' ? WORK.item : WORK.setItem))
    if (this.#schema.topology === 'set') return this.#equalsSet(other)
    if (this.#schema.topology === 'map') return this.#equalsKeyed(other, work)
    for (let i = 0; i < this.length; i++) {
      const same = equal(this.at(i), other.at(i), work)
      if (same !== true) return same
    }
    return true
  }

  #equalsSet(other: List): Value {
    const keys = new Set(this.json.map(scalarKey))
    for (let i = 0; i < other.length; i++) if (!keys.has(scalarKey(toJson(other.at(i))))) return false
    return true
  }

  #equalsKeyed(other: List, work: Work | undefined): Value {
    const byKey = new Map(this.json.map((item) => [this.#itemKey(item), item]))
    for (let i = 0; i < other.length; i++) {
      const item = other.at(i)
      const own = byKey.get(this.#itemKey(toJson(item)))
      if (own === undefined) return false
      const same = equal(this.#element.adapt(own), item, work)
      if (same !== true) return same
    }
    return true
  }

  /** A set takes what it lacks; a list with keys takes over items of the same key; any other list grows. */
  get concat(): ((other: List) => Value) | undefined {
    if (this.#schema.topology === 'set') return (other) => this.#union(other)
    return this.#schema.topology === 'map' ? (other) => this.#merge(other) : undefined
  }

  #union(other: List): Value {
    countWork((this.length + other.length) * WORK.item)
    const items = [...this.json]
    const keys = new Set(items.map(scalarKey))
    for (let i = 0; i < other.length; i++) {
      const item = toJson(other.at(i))
      if (keys.has(scalarKey(item))) continue
      keys.add(scalarKey(item))
      items.push(item)
    }
    return new DeclaredList(items, this.#element, this.#schema)
  }

  #merge(other: List): Value {
    countWork((this.length + other.length) * WORK.setItem)
    const items = [...this.json]
    const places = new Map(items.map((item, i) => [this.#itemKey(item), i]))
    for (let i = 0; i < other.length; i++) {
      const item = toJson(other.at(i))
      const place = places.get(this.#itemKey(item))
      if (place === undefined) items.push(item)
      else items[place] = item
    }
    return new DeclaredList(items, this.#element, this.#schema)
  }

  #itemKey(item: JsonValue): string {
    if (!isJsonObject(item)) return jsonText(item)
    const values = this.#schema.keys.map((key) => ownValue(item, escapeName(key) ?? key) ?? null)
    return values.map((value) => `${typeof value}:${String(value)}`).join('\0')
  }
}

const scalarKey = (item: JsonValue): string =>
  typeof item === 'object' ? jsonText(item) : `${typeof item}:${String(item)}`

/** An object of a schema. */
export class DeclaredObject implements MapValue {
  readonly kind = 'map'
  readonly json: JsonObject
  readonly declared: DeclaredType

  constructor(json: JsonObject, declared: DeclaredType) {
    this.json = json
    this.declared = declared
  }

  get size(): number {
    return keyCount(this.json)
  }

  /** A field that is null counts as absent. */
  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return errorOr(key)
    const field = this.declared.keyed(key)
    if (!field) return undefined
    const json = ownValue(this.json, field.jsonName)
    return json === undefined || json === null ? undefined : field.type.adapt(json)
  }

  keys(): readonly Value[] {
    const { properties } = this.declared
    return keysOf(this.json)
      .filter((key) => properties.has(key))
      .map((key) => escapeName(key) ?? key)
  }

  equals(other: Value, work?: Work): Value {
    return equalEntries(this, other, { typeOfKey: (key) => this.declared.properties.get(key)?.type, work })
  }
}

/** An object of any keys and values of one type. */
class DeclaredMap implements MapValue {
  readonly kind = 'map'
  readonly json: JsonObject
  readonly #element: DeclaredType

  constructor(json: JsonObject, element: DeclaredType) {
    this.json = json
    this.#element = element
  }

  get size(): number {
    return keyCount(this.json)
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return errorOr(key)
    const json = ownValue(this.json, key)
    return json === undefined ? undefined : this.#element.adapt(json)
  }

  keys(): readonly Value[] {
    return keysOf(this.json)
  }

  equals(other: Value, work?: Work): Value {
    return equalEntries(this, other, { typeOfKey: () => this.#element, work })
  }
}

type JsonBacked = MapValue & { readonly json: JsonObject }

/** Properties of the schema compare as values, others as the JSON they are. */
interface Comparison {
  readonly typeOfKey: (key: string) => DeclaredType | undefined
  readonly work: Work | undefined
}

function equalEntries(map: JsonBacked, other: Value, { typeOfKey, work }: Comparison): Value {
  if (typeof other !== 'object' || other === null || other.kind !== 'map') return errorOr(other)
  if (map.size !== other.size) return false
  work?.work(map.size * WORK.entry)
  for (const key of keysOf(map.json)) {
    const json = map.json[key] ?? null
    const type = typeOfKey(key)
    if (!type) {
      if (!('json' in other)) return errorOr(other)
      const opposite = ownValue((other as JsonBacked).json, key)
      if (opposite !== undefined && !equalJson(json, opposite)) return false
      continue
    }
    const same = equalProperty(type, json, { other, key, work })
    if (same !== true) return same
  }
  return true
}

function equalProperty(
  type: DeclaredType,
  json: JsonValue,
  { other, key, work }: { other: MapValue; key: string; work: Work | undefined },
): Value {
  const found = other.find(key)
  if (found === undefined) return false
  if (!type.isDeclared)
    return equalJson(json, 'json' in other ? (ownValue((other as JsonBacked).json, key) ?? null) : toJson(found))
  return equal(type.adapt(json), found, work)
}

/** An object without a schema. */
export class JsonMap implements MapValue {
  readonly kind = 'map'
  readonly json: JsonObject
  constructor(json: JsonObject) {
    this.json = json
  }
  get size(): number {
    return keyCount(this.json)
  }
  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined
    const json = ownValue(this.json, key)
    return json === undefined ? undefined : fromJson(json)
  }
  keys(): readonly Value[] {
    return keysOf(this.json)
  }
}

/** The value of JSON of which nothing is known: integers are ints, other numbers doubles. */
export function fromJson(json: JsonValue): Value {
  switch (typeof json) {
    case 'number':
      return Number.isSafeInteger(json) ? (json === 0 ? 0 : json) : new Double(json)
    case 'bigint':
      return toInt(json)
    case 'object':
      if (json === null) return null
      return Array.isArray(json) ? new JsonList(json, fromJson) : new JsonMap(json)
    default:
      return json
  }
}

/** The JSON of a value; times and the like as the text that JSON has for them. */
export function toJson(value: Value): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Double) return value.value
  if (value instanceof Uint) return Number(value.value)
  if (value instanceof Bytes) return Buffer.from(value.data).toString('base64')
  if ('json' in value) return (value as unknown as { json: JsonValue }).json
  if (value.kind === 'list') return Array.from({ length: value.length }, (_, i) => toJson(value.at(i)))
  if (value.kind !== 'map') return null
  const object: JsonObject = {}
  for (const key of value.keys()) object[String(key)] = toJson(value.find(key)!)
  return object
}

const invalid = (message: string): CelError => new CelError(`invalid data, ${message}`)

/** As Go names the type of a decoded value. */
function goTypeName(json: JsonValue): string {
  switch (typeof json) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int64'
    case 'number':
      return Number.isInteger(json) ? 'int64' : 'float64'
    default:
      return Array.isArray(json) ? '[]interface {}' : 'map[string]interface {}'
  }
}

/** How JSON of the type becomes a value. */
export function adapterOf(declared: DeclaredType, dynamic: boolean): Adapt {
  if (dynamic) return fromJson
  const adapt = adapterOfKind(declared)
  const nullable = declared.schema.nullable === true
  return (json) => {
    if (json !== null) return adapt(json)
    return nullable ? null : invalid('got null for schema with nullable=false')
  }
}

function adapterOfKind(declared: DeclaredType): Adapt {
  const { schema } = declared
  switch (schema.kind) {
    case 'object':
      return objectAdapter((json) => new DeclaredObject(json, declared))
    case 'map':
      return objectAdapter((json) =>
        declared.isMap ? new DeclaredMap(json, declared.element!) : new DeclaredObject(json, declared),
      )
    case 'list':
      return (json) =>
        Array.isArray(json)
          ? new DeclaredList(json, declared.element!, schema)
          : invalid('expected an array for the provided schema with type=array')
    case 'any':
      return declared.isObject ? objectAdapter((json) => new DeclaredObject(json, declared)) : fromJson
    case 'integer':
      return adaptInteger
    case 'number':
      return adaptNumber
    case 'boolean':
      return (json) => (typeof json === 'boolean' ? json : invalid(`expected bool, got ${goTypeName(json)}`))
    case 'int-or-string':
      return adaptIntOrString
    case 'time':
    case 'micro-time':
      return textAdapter('date-time')
    case 'bytes':
      return textAdapter('byte')
    case 'string':
      return textAdapter(schema.format)
    case 'duration':
    case 'quantity':
      return textAdapter(undefined)
  }
}

const objectAdapter =
  (wrap: (json: JsonObject) => Value): Adapt =>
  (json) =>
    isJsonObject(json) ? wrap(json) : invalid('expected a map for the provided schema with type=object')

function adaptInteger(json: JsonValue): Value {
  if (typeof json === 'number' && Number.isInteger(json)) return Number.isSafeInteger(json) ? json : toInt(BigInt(json))
  return typeof json === 'bigint' ? toInt(json) : invalid(`expected int, got ${goTypeName(json)}`)
}

function adaptNumber(json: JsonValue): Value {
  if (typeof json === 'number') return new Double(json)
  return typeof json === 'bigint' ? new Double(Number(json)) : invalid(`expected float, got ${goTypeName(json)}`)
}

function adaptIntOrString(json: JsonValue): Value {
  if (typeof json === 'string') return json
  const value = adaptInteger(json)
  return value instanceof CelError ? invalid('expected XIntOrString value to be either a string or integer') : value
}

function textAdapter(format: string | undefined): Adapt {
  const read = format !== undefined && Object.hasOwn(TEXT_FORMATS, format) ? TEXT_FORMATS[format]! : undefined
  return (json) => {
    if (typeof json !== 'string') return invalid(`expected string, got ${goTypeName(json)}`)
    if (!read) return json
    countWork(WORK.read)
    return read(json) ?? new CelError(FORMAT_ERRORS[format!]!(json))
  }
}
