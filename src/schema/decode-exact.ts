/**
 * The exact decoder of built-in types: it reads JSON as it was written, in the order in which it was written, and says
 * what is wrong in the reference's words. It is the slow half of decoding; what it accepts, the fast decoder brings
 * into canonical form.
 *
 * Two kinds of failure are distinguished, as the reference does: a value of the wrong type is remembered (the first one
 * counts) and reading goes on; a value that its type refuses (an amount, a time) ends it at once and wins.
 */
import { parseDuration } from '../api/duration.ts'
import { quote } from '../api/field-error.ts'
import {
  emptySchemas,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  noSchemas,
  ownValue,
  setKey,
} from '../api/json.ts'
import { compareTexts, listKeys } from '../api/key-lists.ts'
import { sortInSteps } from '../api/large-values.ts'
import { Quantity } from '../api/quantity.ts'
import { parseMicroTime, parseTime } from '../api/time.ts'
import { reasonOf } from '../lib/fault.ts'
import { runToEnd, type Steps } from '../lib/in-turns.ts'
import { namesStructs, structsAround } from './embedded-structs.ts'
import { elementGoType, schemaGoType, structTypeName } from './go-type.ts'
import { describeNode, fromTreeInSteps, type JsonNode, NumberNode, ObjectNode, parseInt64 } from './json-tree.ts'
import { base64Error, canonicalBase64 } from './scalars.ts'
import type { AnySchema, Field, ListSchema, MapSchema, ObjectSchema, ScalarSchema, Schema } from './schema.ts'

export interface StrictError {
  readonly reason: 'unknown field' | 'duplicate field'
  readonly path: string
  /** The path without the keys of maps, where it has such. */
  readonly fieldPath?: string
}

export const formatStrictError = ({ reason, path }: StrictError): string => `${reason} ${quote(path)}`

export interface ExactResult {
  /** Known fields with values of the right type; not in canonical form. */
  readonly object: JsonObject
  /** Why the input is not an object of this type. */
  readonly error: string | undefined
  /** In the order of the text, at most a hundred, each once. */
  readonly strict: readonly StrictError[]
}

export const decodeExact = (node: JsonNode, schema: ObjectSchema): ExactResult =>
  runToEnd(decodeExactInSteps(node, schema))

/** The same of a large text. */
export function* decodeExactInSteps(node: JsonNode, schema: ObjectSchema): Steps<ExactResult> {
  const reader = new ExactReader()
  let value: JsonValue | undefined
  try {
    value = yield* reader.read(node, schema, undefined, undefined)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { object: {}, error: error.text(reader.place(), schema.release), strict: [] }
  }
  return { object: isJsonObject(value) ? value : {}, error: reader.error, strict: reader.strict }
}

/** Why a value that stands by itself cannot be a JSON schema or what is allowed in its place; undefined when it can. */
export function schemaOrOtherError(node: JsonNode, schema: AnySchema): string | undefined {
  const { object } = schema
  if (object === undefined) return undefined
  if (node instanceof ObjectNode) return decodeExact(node, object).error
  try {
    runToEnd(readAny(node, schema))
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.message || error.text('')
  }
}

/** A value that its type refuses. A type error inside takes the place of the value that holds it. */
class Refusal extends Error {
  readonly typeError: TypeMismatch | undefined

  constructor(message: string, typeError?: TypeMismatch) {
    super(message)
    this.typeError = typeError
  }

  text(place: string, release?: number): string {
    if (this.typeError === undefined) return this.message
    const { field = '' } = this.typeError
    const isWhole = place !== '' && field !== '' && namesStructs(release)
    return typeErrorText(this.typeError, isWhole ? `${place}.${field}` : place)
  }
}

interface TypeMismatch {
  readonly value: string
  readonly type: string
  /** Where it lies in a value that is read by itself. */
  readonly field?: string
}

function typeErrorText({ value, type }: TypeMismatch, place: string): string {
  return `json: cannot unmarshal ${value} into Go ${place === '' ? 'value' : `struct field ${place}`} of type ${type}`
}

const strictLimit = 100

const isScalar = (schema: Schema): schema is ScalarSchema =>
  schema.kind !== 'object' && schema.kind !== 'map' && schema.kind !== 'list' && schema.kind !== 'any'

/** A step goes through all readers that are open. */
const valuesPerStep = 128

class ExactReader {
  error: string | undefined
  firstMismatch: TypeMismatch | undefined
  readonly strict: StrictError[] = []
  readonly #seen = new Set<string>()
  /** Names of the fields from the root, for type errors. */
  readonly #fields: string[] = []
  /** Fields, keys and positions from the root, for strict errors. */
  readonly #path: string[] = []
  /** Where keys of maps lie in the path. */
  readonly #keys: number[] = []
  #struct = ''
  #count = 0

  /** The path from the root, without the struct. */
  inner(field = ''): string {
    return [...this.#fields, ...(field === '' ? [] : [field])].join('.')
  }

  place(): string {
    return this.#fields.length === 0 ? '' : `${this.#struct}.${this.#fields.join('.')}`
  }

  *read(
    node: JsonNode,
    schema: Schema,
    name: string | undefined,
    previous: JsonValue | undefined,
  ): Steps<JsonValue | undefined> {
    switch (schema.kind) {
      case 'object':
        return yield* this.#readObject(node, schema, previous)
      case 'map':
        return yield* this.#readMap(node, schema, name, previous)
      case 'list':
        return yield* this.#readList(node, schema, name)
      case 'any':
        return yield* readAny(node, schema)
      default:
        return this.#readScalar(node, schema, name)
    }
  }

  *#readObject(node: JsonNode, schema: ObjectSchema, previous: JsonValue | undefined): Steps<JsonValue | undefined> {
    if (!(node instanceof ObjectNode)) return this.#mismatch(describeNode(node), schemaGoType(schema))
    const object: JsonObject = isJsonObject(previous) ? previous : {}
    const seen = new Set<string>()
    const outer = this.#struct
    for (const [i, key] of node.keys.entries()) {
      if (++this.#count % valuesPerStep === 0) yield
      const field = schema.fields.get(key)
      if (field === undefined) {
        this.#report('unknown field', key)
        continue
      }
      if (seen.has(key)) this.#report('duplicate field', key)
      seen.add(key)
      const depth = this.#fields.length
      for (const struct of structsAround(schema, field)) this.#fields.push(struct)
      this.#fields.push(key)
      this.#path.push(this.#path.length === 0 ? key : `.${key}`)
      this.#struct = structTypeName(schema.name)
      yield* this.#readField(node.values[i] ?? null, field, object)
      this.#fields.length = depth
      this.#path.pop()
      this.#struct = outer
    }
    return object
  }

  *#readField(node: JsonNode, field: Field, object: JsonObject): Steps<void> {
    if (node === null) {
      if (field.pointer || field.schema.kind === 'list' || field.schema.kind === 'map') delete object[field.name]
      return
    }
    const { schema, goType: name } = field
    const value = isScalar(schema)
      ? this.#readScalar(node, schema, name)
      : yield* this.read(node, schema, name, object[field.name])
    if (value !== undefined) object[field.name] = value
  }

  *#readMap(
    node: JsonNode,
    schema: MapSchema,
    name: string | undefined,
    previous: JsonValue | undefined,
  ): Steps<JsonValue | undefined> {
    if (!(node instanceof ObjectNode)) return this.#mismatch(describeNode(node), schemaGoType(schema, name))
    const object: JsonObject = isJsonObject(previous) ? previous : {}
    const seen = new Set<string>()
    const values: (JsonValue | undefined)[] = []
    const element = elementGoType(name)
    for (const [i, key] of node.keys.entries()) {
      if (seen.has(key)) this.#report('duplicate field', key)
      seen.add(key)
      this.#keys.push(this.#path.length)
      this.#path.push(this.#path.length === 0 ? key : `.${key}`)
      const item = node.values[i] ?? null
      if (++this.#count % valuesPerStep === 0) yield
      if (item === null) values.push(null)
      else if (isScalar(schema.values)) values.push(this.#readScalar(item, schema.values, element))
      else values.push(yield* this.read(item, schema.values, element, undefined))
      this.#path.pop()
      this.#keys.pop()
    }
    let placed = 0
    for (const i of yield* sortedOrder(node.keys)) {
      if (++placed % valuesPerStep === 0) yield
      const key = node.keys[i] as string
      setKey(object, key, values[i] ?? ownValue(object, key) ?? null)
    }
    if (previous === undefined && seen.size >= manyKeys) listKeys(object, yield* sortInSteps([...seen], compareTexts))
    return object
  }

  *#readList(node: JsonNode, schema: ListSchema, name: string | undefined): Steps<JsonValue | undefined> {
    if (!Array.isArray(node)) return this.#mismatch(describeNode(node), schemaGoType(schema, name))
    const list: JsonValue[] = []
    const element = elementGoType(name)
    for (const item of node) {
      this.#path.push(`[${list.length}]`)
      if (++this.#count % valuesPerStep === 0) yield
      let value: JsonValue | undefined = null
      if (item !== null && isScalar(schema.items)) value = this.#readScalar(item, schema.items, element)
      else if (item !== null) value = yield* this.read(item, schema.items, element, undefined)
      this.#path.pop()
      list.push(value ?? null)
    }
    return list
  }

  #readScalar(node: JsonNode, schema: ScalarSchema, name: string | undefined): JsonValue | undefined {
    switch (schema.kind) {
      case 'string':
        return typeof node === 'string' ? node : this.#mismatch(describeNode(node), name ?? 'string')
      case 'boolean':
        return typeof node === 'boolean' ? node : this.#mismatch(describeNode(node), name ?? 'bool')
      case 'integer':
        return this.#readInteger(node, schema.format ?? 'int64', name)
      case 'number':
        return this.#readNumber(node, name)
      case 'bytes':
        return this.#readBytes(node, name)
      default:
        return readRefusing(node, schema.kind)
    }
  }

  #readInteger(node: JsonNode, format: string, name: string | undefined): JsonValue | undefined {
    if (!(node instanceof NumberNode)) return this.#mismatch(describeNode(node), name ?? format)
    const value = integerOf(node.text, format)
    return value ?? this.#mismatch(`number ${node.text}`, name ?? format)
  }

  #readNumber(node: JsonNode, name: string | undefined): JsonValue | undefined {
    if (!(node instanceof NumberNode)) return this.#mismatch(describeNode(node), name ?? 'float64')
    const value = Number(node.text)
    return Number.isFinite(value) ? value : this.#mismatch(`number ${node.text}`, name ?? 'float64')
  }

  #readBytes(node: JsonNode, name: string | undefined): JsonValue | undefined {
    if (Array.isArray(node)) return this.#readByteList(node)
    if (typeof node !== 'string') return this.#mismatch(describeNode(node), name ?? '[]uint8')
    const bytes = canonicalBase64(node)
    if (bytes === undefined) this.error ??= base64Error(node)
    return bytes
  }

  /** Bytes may also come one by one. */
  #readByteList(node: readonly JsonNode[]): JsonValue | undefined {
    const bytes = node.map((item) => (item === null ? 0 : this.#readInteger(item, 'uint8', undefined)))
    return Buffer.from(bytes.map(Number)).toString('base64')
  }

  #mismatch(value: string, type: string): undefined {
    this.firstMismatch ??= this.error === undefined ? { value, type, field: this.inner() } : undefined
    this.error ??= typeErrorText({ value, type }, this.place())
    return undefined
  }

  #report(reason: StrictError['reason'], key: string): void {
    const path = this.#path.length === 0 ? key : `${this.#path.join('')}.${key}`
    if (this.strict.length >= strictLimit || this.#seen.has(`${reason} ${path}`)) return
    this.#seen.add(`${reason} ${path}`)
    if (this.#keys.length === 0) this.strict.push({ reason, path })
    else {
      const fields = this.#path.filter((_, i) => !this.#keys.includes(i)).join('')
      this.strict.push({ reason, path, fieldPath: `${fields}.${key}` })
    }
  }
}

const integerRanges: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint8: [0, 255],
}

function integerOf(text: string, format: string): number | bigint | undefined {
  const value = parseInt64(text)
  const [low, high] = integerRanges[format] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  return value === undefined || value < low || value > high ? undefined : value
}

/** Types that read their own JSON: what they do not take ends the reading. */
function readRefusing(node: JsonNode, kind: ScalarSchema['kind']): JsonValue {
  if (kind === 'int-or-string') return readIntOrString(node)
  if (kind === 'quantity') return readQuantity(node)
  if (typeof node !== 'string') throw new Refusal('', { value: describeNode(node), type: 'string' })
  try {
    if (kind === 'time') parseTime(node)
    else if (kind === 'micro-time') parseMicroTime(node)
    else parseDuration(node)
  } catch (error) {
    throw new Refusal(reasonOf(error))
  }
  return node
}

function readIntOrString(node: JsonNode): JsonValue {
  if (typeof node === 'string') return node
  if (!(node instanceof NumberNode)) throw new Refusal('', { value: describeNode(node), type: 'int32' })
  const value = integerOf(node.text, 'int32')
  if (value === undefined) throw new Refusal('', { value: `number ${node.text}`, type: 'int32' })
  return value
}

function readQuantity(node: JsonNode): JsonValue {
  const text = node instanceof NumberNode ? node.text : node
  const problem = typeof text === 'string' ? Quantity.checkJson(text) : Quantity.check(JSON.stringify(text))
  if (problem !== undefined) throw new Refusal(problem)
  return text as string
}

/** Raw JSON, or a JSON schema with something else allowed in its place, which drops what it does not know. */
function* readAny(node: JsonNode, schema: AnySchema): Steps<JsonValue | undefined> {
  const { object, name = '' } = schema
  if (object === undefined) return yield* fromTreeInSteps(node)
  if (node instanceof ObjectNode) return yield* readInner(node, object)
  if (name.endsWith('OrBool')) {
    if (typeof node === 'boolean') return node
    throw new Refusal('boolean or JSON schema expected')
  }
  if (!Array.isArray(node)) return node === null ? undefined : name.endsWith('OrArray') ? noSchemas : null
  if (name.endsWith('OrStringArray')) return node.map((item) => readInnerString(item))
  if (node.length === 0) return emptySchemas
  const list: JsonValue[] = []
  for (const item of node) list.push(yield* readInner(item, object))
  return list
}

function* readInner(node: JsonNode, schema: ObjectSchema): Steps<JsonValue> {
  const reader = new ExactReader()
  let value: JsonValue | undefined
  try {
    value = node === null ? {} : yield* reader.read(node, schema, undefined, undefined)
  } catch (error) {
    if (!(error instanceof Refusal) || error.typeError === undefined) throw error
    throw new Refusal(error.message, { ...error.typeError, field: reader.inner(error.typeError.field) })
  }
  if (reader.error !== undefined) throw new Refusal(reader.error, reader.firstMismatch)
  return value ?? {}
}

function readInnerString(node: JsonNode): string {
  if (typeof node === 'string') return node
  if (node === null) return ''
  throw new Refusal('', { value: describeNode(node), type: 'string' })
}

/** Maps are written in the order of their keys: a large one that is made in it is not made again. */
function* sortedOrder(keys: readonly string[]): Steps<Iterable<number>> {
  const places = keys.keys()
  if (keys.length < manyKeys) return places
  return yield* sortInSteps([...places], (a, b) => compareTexts(keys[a] as string, keys[b] as string) || a - b)
}

const manyKeys = 1000
