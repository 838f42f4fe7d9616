/**
 * JSON in and out. Reading is strict and exact: duplicate keys are found, whole numbers beyond 2^53 survive, errors are
 * the reference's. The usual body takes a fast way: one scan over its bytes says whether `JSON.parse` loses anything,
 * and if not, the parsed value goes straight to the decoder of its type. Everything else takes the exact way.
 */
import { isUtf8 } from 'node:buffer'
import { isJsonObject, type JsonObject, type JsonValue, setKey } from '../api/json.ts'
import { type DecodeResult, decodeTree } from '../schema/canonicalize.ts'
import { countKeys, decodeFast, sortedKeys } from '../schema/decode.ts'
import { formatStrictError, type StrictError } from '../schema/decode-exact.ts'
import { describeNode, fromTree, type JsonNode, ObjectNode } from '../schema/json-tree.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { DecodeError } from './decode-error.ts'
import { parseTree } from './json-parser.ts'
import { scanJson } from './json-scan.ts'
import type { PrecedentReading, Precedents } from './precedents.ts'

export interface DecodedJson {
  /** In canonical form. */
  readonly object: JsonObject
  /** `unknown field "spec.foo"`, `duplicate field "spec.replicas"`, in the order of the text. */
  readonly strict: readonly string[]
  /** The parts that the object shares with others, each in its place. */
  readonly like?: JsonObject | undefined
}

export interface TypeMeta {
  readonly apiVersion: string
  readonly kind: string
}

/** No type comes near it. It bounds the stack of everything that walks over a value. */
const maxDepth = 1_000

/** One body, parsed once; what it is decoded into is decided when its `apiVersion` and `kind` have been seen. */
export class JsonDocument {
  readonly #bytes: Uint8Array
  /** Undefined when the exact way must be taken. */
  readonly #value: JsonValue | undefined
  readonly #keys: number
  readonly #precedents: Precedents | undefined
  /** What of the value comes from others. */
  readonly #like: JsonObject | undefined
  #tree: JsonNode | undefined

  /**
   * Throws a `DecodeError` with Go's text when the bytes are not JSON. With `precedents` it is a body of their type, which
   * shares with others what they have in common.
   */
  constructor(bytes: Uint8Array, precedents?: Precedents) {
    this.#bytes = bytes
    this.#precedents = precedents
    const reading = precedents?.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    const { plain, keys, depth } = scanJson(bytes, reading)
    this.#keys = keys
    const isDeep = depth > maxDepth
    this.#value = plain && !isDeep && isUtf8(bytes) ? parsePlain(bytes, reading) : undefined
    if (reading !== undefined && isJsonObject(this.#value)) this.#like = reading.fill(this.#value)
    if (this.#value === undefined) this.#tree = parseTree(bytes)
    if (isDeep) throw new DecodeError('exceeded max depth')
  }

  get #exact(): JsonNode {
    this.#tree ??= parseTree(this.#bytes)
    return this.#tree
  }

  /** Both are empty when absent. Throws a `DecodeError` when there can be none: no object, or not texts. */
  typeMeta(): TypeMeta {
    const value = this.#value
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      const { apiVersion = '', kind = '' } = value
      const isWhole = apiVersion !== '' && kind !== ''
      if (typeof apiVersion === 'string' && typeof kind === 'string' && (isWhole || !hasOtherCase(value))) {
        return { apiVersion, kind }
      }
    }
    return exactTypeMeta(this.#exact)
  }

  /** Throws a `DecodeError` with the reference's text when this is no object of that type. */
  decode(schema: ObjectSchema): DecodedJson {
    const object = this.#decodeFast(schema)
    if (object !== undefined) return { object, strict: [], like: this.#like }
    const result: DecodeResult = decodeTree(this.#exact, schema)
    if (result.error !== undefined) throw new DecodeError(result.error)
    return { object: result.object, strict: result.strict.map(formatStrictError) }
  }

  #decodeFast(schema: ObjectSchema): JsonObject | undefined {
    if (this.#value === undefined || (this.#like !== undefined && schema !== this.#precedents?.schema)) return undefined
    const decoded = decodeFast(this.#value, schema, { twin: this.#like, keepsEmpty: true, countsKeys: true })
    return decoded?.keys === this.#keys ? decoded.object : undefined
  }

  /** The exact tree, which tells `1` from `1.0`. */
  tree(): JsonNode {
    return this.#exact
  }

  /** Plain JSON without a type: patches, custom objects. Of bodies with precedents only what they have not in common. */
  value(): JsonValue {
    return this.#value ?? fromTree(this.#exact)
  }

  /** `duplicate field "spec.a"`, for JSON without a type. */
  duplicates(): readonly string[] {
    if (this.#value !== undefined && countKeys(this.#value) === this.#keys) return []
    return findDuplicates(this.#exact).map(formatStrictError)
  }
}

/** A body of a known built-in type. */
export function decodeJson(bytes: Uint8Array, schema: ObjectSchema): DecodedJson {
  return new JsonDocument(bytes).decode(schema)
}

function parsePlain(bytes: Uint8Array, reading: PrecedentReading | undefined): JsonValue | undefined {
  const text = reading?.text() ?? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

const typeMetaStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

function exactTypeMeta(tree: JsonNode): TypeMeta {
  if (tree === null) return { apiVersion: '', kind: '' }
  if (!(tree instanceof ObjectNode)) {
    throw new DecodeError(`json: cannot unmarshal ${describeNode(tree)} into Go value of type ${typeMetaStruct}`)
  }
  const meta = { apiVersion: '', kind: '' }
  for (const [i, key] of tree.keys.entries()) {
    // Here, and only here, the reference does not mind the case of a key.
    const name = key.toLowerCase() === 'apiversion' ? 'apiVersion' : key.toLowerCase() === 'kind' ? 'kind' : undefined
    const value = tree.values[i] ?? null
    if (name === undefined || value === null) continue
    if (typeof value !== 'string') {
      throw new DecodeError(
        `json: cannot unmarshal ${describeNode(value)} into Go struct field .${name} of type string`,
      )
    }
    meta[name] = value
  }
  return meta
}

/** Whether a key is one of the two but for its case. */
function hasOtherCase(value: JsonObject): boolean {
  for (const key of Object.keys(value)) {
    if (key.length === 4 && key !== 'kind' && key.toLowerCase() === 'kind') return true
    if (key.length === 10 && key !== 'apiVersion' && key.toLowerCase() === 'apiversion') return true
  }
  return false
}

function findDuplicates(tree: JsonNode): StrictError[] {
  const found = new Map<string, StrictError>()
  const visit = (node: JsonNode, path: string): void => {
    if (Array.isArray(node)) for (const [i, item] of node.entries()) visit(item, `${path}[${i}]`)
    if (!(node instanceof ObjectNode)) return
    const seen = new Set<string>()
    for (const [i, key] of node.keys.entries()) {
      const inner = path === '' ? key : `${path}.${key}`
      if (seen.has(key)) found.set(inner, { reason: 'duplicate field', path: inner })
      seen.add(key)
      visit(node.values[i] ?? null, inner)
    }
  }
  visit(tree, '')
  return [...found.values()].slice(0, 100)
}

/** The text of an object as the reference writes it. The object's own order of keys is kept. */
export function encodeJson(value: JsonValue): string {
  return escapeHtml(stringify(value))
}

/** With two blanks a level, as `?pretty=true` asks for. */
export function encodePrettyJson(value: JsonValue): string {
  return escapeHtml(stringify(value, 2))
}

function stringify(value: JsonValue, indent = 0): string {
  try {
    return JSON.stringify(value, undefined, indent)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return writeExact(value, ' '.repeat(indent), '')
  }
}

/** As `JSON.stringify`, which refuses integers beyond 2^53. `step` is one level of indentation, `margin` all of them. */
function writeExact(value: JsonValue, step: string, margin: string): string {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = margin + step
  const colon = step === '' ? ':' : ': '
  const members = Array.isArray(value)
    ? value.map((item) => writeExact(item, step, inner))
    : Object.keys(value).flatMap((key) => {
        const item = value[key]
        return item === undefined ? [] : [`${JSON.stringify(key)}${colon}${writeExact(item, step, inner)}`]
      })
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  if (members.length === 0) return `${open}${close}`
  if (step === '') return `${open}${members.join(',')}${close}`
  return `${open}\n${inner}${members.join(`,\n${inner}`)}\n${margin}${close}`
}

const htmlEscapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** These only ever occur inside strings. */
function escapeHtml(text: string): string {
  return needsEscape(text) ? text.replace(/[<>&\u2028\u2029]/g, (char) => htmlEscapes[char] ?? char) : text
}

/** One search after the other is many times faster than one for all. */
function needsEscape(text: string): boolean {
  return (
    text.includes('<') || text.includes('>') || text.includes('&') || text.includes('\u2028') || text.includes('\u2029')
  )
}

/** A custom object in the order in which the reference writes it: keys sorted at every level. */
export function sortKeys<T extends JsonValue>(value: T): T
export function sortKeys(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => sortKeys(item))
  const sorted: JsonObject = {}
  for (const key of sortedKeys(value)) {
    const item = value[key]
    if (item !== undefined) setKey(sorted, key, sortKeys(item))
  }
  return sorted
}

/** The text of an object in two parts, between which its resource version belongs. */
export interface SplitJson {
  readonly head: string
  readonly tail: string
}

/** The fields of `metadata` that come before `resourceVersion`. */
const leading = new Set(['name', 'generateName', 'namespace', 'selfLink', 'uid'])

/**
 * The text of an object that has no resource version yet. `resourceVersion` stands where the reference writes it: in
 * wire order for built-in kinds, in alphabetical order for custom ones, whose keys are sorted here (`sorted`).
 * `fieldsText` gives the text of a `fieldsV1`, for those who know it already. The text of what the object shares with
 * `twin`, one that it takes the place of or is like, is written once.
 */
export function encodeForStore(
  object: JsonObject,
  sorted = false,
  fieldsText: FieldsText = encodeJson,
  twin?: JsonObject,
): SplitJson {
  const ordered = sorted ? sortKeys(object) : object
  const metadata = (ordered['metadata'] ?? {}) as JsonObject
  let before = ''
  let after = ''
  let isAfter = false
  for (const key of Object.keys(ordered)) {
    if (key === 'metadata') isAfter = true
    else if (isAfter) after += sharedMember(key, ordered[key], twin)
    else before += sharedMember(key, ordered[key], twin)
  }
  let head = ''
  let rest = ''
  for (const key of Object.keys(metadata)) {
    const value = metadata[key]
    if (sorted ? key < 'resourceVersion' : leading.has(key)) head += metadataMember(key, value, fieldsText)
    else if (key !== 'resourceVersion') rest += metadataMember(key, value, fieldsText)
  }
  const opened = before === '' ? '{' : `{${before.slice(1)},`
  const known = head === '' ? '' : `${head.slice(1)},`
  return {
    head: escapeHtml(`${opened}"metadata":{${known}"resourceVersion":"`),
    tail: escapeHtml(`"${rest}}${after}}`),
  }
}

/** A built-in object of that resource version, which stands where the reference writes it. Shares everything else. */
export function withResourceVersion<T extends JsonObject>(object: T, resourceVersion: string): T {
  const given = (object['metadata'] ?? {}) as JsonObject
  const metadata: JsonObject = {}
  let isPlaced = false
  for (const key of Object.keys(given)) {
    if (!isPlaced && !leading.has(key)) {
      metadata['resourceVersion'] = resourceVersion
      isPlaced = true
    }
    if (key !== 'resourceVersion') setKey(metadata, key, given[key])
  }
  if (!isPlaced) metadata['resourceVersion'] = resourceVersion
  return { ...object, metadata }
}

export type FieldsText = (fieldsV1: JsonObject) => string

export const joinResourceVersion = ({ head, tail }: SplitJson, resourceVersion: string | number | bigint): string =>
  `${head}${resourceVersion}${tail}`

/** `,"a":1`; empty for a value that is absent. */
function member(key: string, value: JsonValue | undefined): string {
  return value === undefined ? '' : keyText(key) + valueText(value)
}

/** The texts of parts that objects share; others may well share them again. */
const sharedTexts = new WeakMap<object, string>()

/** Of objects and their direct members: parts are not shared any deeper. */
function sharedMember(
  key: string,
  value: JsonValue | undefined,
  twin: JsonObject | undefined,
  isInner = false,
): string {
  const before = twin?.[key]
  if (typeof before !== 'object' || before === null || typeof value !== 'object' || value === null) {
    return member(key, value)
  }
  if (before === value) return keyText(key) + sharedText(value)
  if (isInner || !isJsonObject(value) || !isJsonObject(before)) return member(key, value)
  let members = ''
  for (const name of Object.keys(value)) members += sharedMember(name, value[name], before, true)
  return `${keyText(key)}{${members.slice(1)}}`
}

function sharedText(value: JsonObject | JsonValue[]): string {
  const known = sharedTexts.get(value)
  if (known !== undefined) return known
  const text = stringify(value)
  sharedTexts.set(value, text)
  return text
}

/** `,"a":`, of keys that were written before. The few that all objects have are the ones that are looked for. */
const keyTexts = new Map<string, string>()
const maxKeyTexts = 256

function keyText(key: string): string {
  const known = keyTexts.get(key)
  if (known !== undefined) return known
  const text = `,${JSON.stringify(key)}:`
  if (keyTexts.size < maxKeyTexts) keyTexts.set(key, text)
  return text
}

/** What `stringify` gives, which takes long to begin. */
function valueText(value: JsonValue): string {
  switch (typeof value) {
    case 'string':
      return plainText.test(value) ? `"${value}"` : JSON.stringify(value)
    case 'boolean':
    case 'bigint':
      return String(value)
    default:
      return value === null ? 'null' : stringify(value)
  }
}

/** Nothing in it is escaped. */
const plainText = /^[ !#-[\]-~]*$/

function metadataMember(key: string, value: JsonValue | undefined, fieldsText: FieldsText): string {
  if (key !== 'managedFields' || !Array.isArray(value)) return member(key, value)
  let entries = ''
  for (const entry of value) entries += `,${entryText(entry, fieldsText)}`
  return `,"managedFields":[${entries.slice(1)}]`
}

function entryText(entry: JsonValue, fieldsText: FieldsText): string {
  if (!isJsonObject(entry)) return stringify(entry)
  let text = ''
  for (const name of Object.keys(entry)) {
    const part = entry[name]
    text += name === 'fieldsV1' && isJsonObject(part) ? `,"fieldsV1":${fieldsText(part)}` : member(name, part)
  }
  return `{${text.slice(1)}}`
}
