/**
 * JSON in and out. Reading is strict and exact: duplicate keys are found, whole numbers beyond 2^53 survive, errors are
 * the reference's. The usual body takes a fast way: one scan over its bytes says whether `JSON.parse` loses anything,
 * and if not, the parsed value goes straight to the decoder of its type. Everything else takes the exact way.
 */

import { isUtf8 } from 'node:buffer'
import { escapeHtml, goJson } from '../api/golang/json-text.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'
import { jsonText } from '../api/json-text.ts'
import { runToEnd, type Steps } from '../lib/in-turns.ts'
import { type DecodeResult, decodeTree, decodeTreeInSteps } from '../schema/canonicalize.ts'
import { decodeFast } from '../schema/decode.ts'
import { formatStrictError } from '../schema/decode-exact.ts'
import { decodeFastInSteps } from '../schema/decode-in-steps.ts'
import { countKeys } from '../schema/json-shape.ts'
import {
  describeNode,
  fromTree,
  fromTreeInSteps,
  infiniteNumber,
  type JsonNode,
  NumberNode,
  ObjectNode,
} from '../schema/json-tree.ts'
import type { ObjectSchema } from '../schema/schema.ts'
import { DecodeError } from './decode-error.ts'
import { findDuplicates } from './duplicate-fields.ts'
import { parseTree, parseTreeInSteps } from './json-parser.ts'
import { type JsonScan, scanJson } from './json-scan.ts'
import type { InterningScan, PartInterner } from './part-interner.ts'

export interface DecodedJson {
  /** In canonical form. */
  readonly object: JsonObject
  /** `unknown field "spec.foo"`, `duplicate field "spec.replicas"`, in the order of the text. */
  readonly strict: readonly string[]
  /** The parts that the object shares with others, each in its place. */
  readonly baseline?: JsonObject | undefined
}

export interface TypeMeta {
  readonly apiVersion: string
  readonly kind: string
}

/**
 * No type comes near it. It bounds the stack of everything that walks over a value, and the output of indented formats,
 * which grows with the square of the depth. The reference takes 10000 levels; refusals name this limit.
 */
const maxDepth = 1_000

const tooDeep = (): DecodeError => new DecodeError(`exceeded max depth of ${maxDepth}`)

/** Bodies with more are parsed in steps. */
const manyValues = 20_000

interface Parsed {
  readonly scan: JsonScan
  readonly tree?: JsonNode
}

/** One body, parsed once; what it is decoded into is decided when its `apiVersion` and `kind` have been seen. */
export class JsonDocument {
  readonly #bytes: Uint8Array
  /** Undefined when the exact way must be taken. */
  readonly #value: JsonValue | undefined
  readonly #keys: number
  readonly #interner: PartInterner | undefined
  /** What of the value comes from others. */
  readonly #baseline: JsonObject | undefined
  #tree: JsonNode | undefined

  /**
   * Throws a `DecodeError` with Go's text when the bytes are not JSON. With `interner` it is a body of their type, which
   * shares with others what they have in common. `parsed` is what is known of the text already.
   */
  constructor(bytes: Uint8Array, interner?: PartInterner, parsed?: Parsed) {
    this.#bytes = bytes
    this.#interner = interner
    const reading = interner?.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    const { plain, keys, depth } = parsed?.scan ?? scanJson(bytes, reading)
    this.#keys = keys
    const isDeep = depth > maxDepth
    if (parsed?.tree !== undefined) {
      this.#tree = parsed.tree
      return
    }
    this.#value = plain && !isDeep && isUtf8(bytes) ? parsePlain(bytes, reading) : undefined
    if (reading !== undefined && isJsonObject(this.#value)) this.#baseline = reading.fill(this.#value)
    if (this.#value === undefined) this.#tree = parseTree(bytes)
    if (isDeep) throw tooDeep()
  }

  /**
   * For large bodies. An object of very many keys is a dictionary to the engine, which takes its time to make, to list and to
   * copy one: a text that may have such, or very many items, or is broken UTF-8, is not parsed as a whole, but in steps, into a
   * tree, from which what is decoded is made at once. Throws as the constructor does.
   */
  static *inSteps(bytes: Uint8Array): Steps<JsonDocument> {
    const scan = scanJson(bytes)
    yield
    if (Math.max(scan.keys, scan.commas) < manyValues && scan.depth <= maxDepth && isUtf8(bytes))
      return new JsonDocument(bytes, undefined, { scan })
    const tree = yield* parseTreeInSteps(bytes)
    if (scan.depth > maxDepth) throw tooDeep()
    return new JsonDocument(bytes, undefined, { scan, tree })
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
    if (object !== undefined) return { object, strict: [], baseline: this.#baseline }
    const result: DecodeResult = decodeTree(this.#exact, schema)
    if (result.error !== undefined) throw new DecodeError(result.error)
    return { object: result.object, strict: result.strict.map(formatStrictError) }
  }

  /** As `decode`, for large bodies. */
  *decodeInSteps(schema: ObjectSchema): Steps<DecodedJson> {
    const object = yield* this.#decodeFastInSteps(schema)
    if (object !== undefined) return { object, strict: [], baseline: this.#baseline }
    yield
    this.#tree ??= yield* parseTreeInSteps(this.#bytes)
    yield
    const result: DecodeResult = yield* decodeTreeInSteps(this.#tree, schema)
    if (result.error !== undefined) throw new DecodeError(result.error)
    yield
    return { object: result.object, strict: result.strict.map(formatStrictError) }
  }

  #decodeFast(schema: ObjectSchema): JsonObject | undefined {
    if (this.#value === undefined || (this.#baseline !== undefined && schema !== this.#interner?.schema))
      return undefined
    const decoded = decodeFast(this.#value, schema, { baseline: this.#baseline, empties: 'given', countsKeys: true })
    return decoded?.keys === this.#keys ? decoded.object : undefined
  }

  *#decodeFastInSteps(schema: ObjectSchema): Steps<JsonObject | undefined> {
    if (this.#value === undefined || this.#baseline !== undefined) return this.#decodeFast(schema)
    const decoded = yield* decodeFastInSteps(this.#value, schema, { empties: 'given', countsKeys: true })
    return decoded?.keys === this.#keys ? decoded.object : undefined
  }

  /** Whether the plain value has all that the text says. */
  get isPlain(): boolean {
    return this.#value !== undefined
  }

  /** The exact tree, which distinguishes `1` from `1.0`. */
  tree(): JsonNode {
    return this.#exact
  }

  /** Plain JSON without a type: patches, custom objects. Of bodies with interner only what they have not in common. */
  value(): JsonValue {
    if (this.#value !== undefined) return this.#value
    const infinite = infiniteNumber(this.#exact)
    if (infinite === undefined) return fromTree(this.#exact)
    throw new DecodeError(`json: cannot unmarshal number ${infinite} into Go value of type float64`)
  }

  /** As `value`, for large bodies. */
  *valueInSteps(): Steps<JsonValue> {
    if (this.#value !== undefined) return this.#value
    yield
    const infinite = infiniteNumber(this.#exact)
    if (infinite !== undefined) return this.value()
    yield
    return yield* fromTreeInSteps(this.#exact)
  }

  /** `duplicate field "spec.a"`, for JSON without a type. */
  duplicates(): readonly string[] {
    if (this.#value !== undefined && countKeys(this.#value) === this.#keys) return []
    return runToEnd(findDuplicates(this.#exact)).map(formatStrictError)
  }

  /** As `duplicates`, for large bodies. */
  *duplicatesInSteps(): Steps<readonly string[]> {
    if (this.#value !== undefined) return this.duplicates()
    return (yield* findDuplicates(this.#exact)).map(formatStrictError)
  }
}

/** A body of a known built-in type. */
export function decodeJson(bytes: Uint8Array, schema: ObjectSchema): DecodedJson {
  return new JsonDocument(bytes).decode(schema)
}

function parsePlain(bytes: Uint8Array, reading: InterningScan | undefined): JsonValue | undefined {
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

/** The text of an object as the reference writes it. The object's own order of keys is kept. */
export function encodeJson(value: JsonValue): string {
  return goJson(value)
}

/** The same of a tree: numbers stay as they are written. */
export function encodeTree(node: JsonNode): string {
  return escapeHtml(writeTree(node))
}

function writeTree(node: JsonNode): string {
  if (node instanceof NumberNode) return node.text
  if (Array.isArray(node)) return `[${node.map(writeTree).join(',')}]`
  if (!(node instanceof ObjectNode)) return JSON.stringify(node)
  return `{${node.keys.map((key, i) => `${JSON.stringify(key)}:${writeTree(node.values[i] ?? null)}`).join(',')}}`
}

/** With two blanks a level, as `?pretty=true` asks for. */
export function encodePrettyJson(value: JsonValue): string {
  return escapeHtml(jsonText(value, 2))
}
