/** Plain JSON into the canonical object of a built-in type: fast where it can be, exact where it must be. */
import type { JsonObject, JsonValue } from '../api/json.ts'
import { type DecodeOptions, decodeFast } from './decode.ts'
import { decodeExact, type StrictError } from './decode-exact.ts'
import { type JsonNode, toTree } from './json-tree.ts'
import type { ObjectSchema } from './schema.ts'

export type DecodeResult =
  | { readonly object: JsonObject; readonly strict: readonly StrictError[]; readonly error?: undefined }
  /** The text is the reference's: `json: cannot unmarshal …`. */
  | { readonly error: string }

const nothing: readonly StrictError[] = []

/**
 * For JSON that is parsed already: the result of a patch, of YAML, of a webhook. What it shares with `twin`, a canonical
 * object of the same type, costs nothing. Canonical but for empty lists and maps, which stay as they are given: who
 * sends `rules: []` owns the field, although it is stored as `null`.
 */
export function decodeValue(value: JsonValue, schema: ObjectSchema, twin?: JsonObject): DecodeResult {
  return decode(value, schema, { twin, keepsEmpty: true })
}

export function decodeTree(tree: JsonNode, schema: ObjectSchema): DecodeResult {
  return decodeNodes(tree, schema, { keepsEmpty: true })
}

function decode(value: JsonValue, schema: ObjectSchema, options: DecodeOptions): DecodeResult {
  const object = decodeFast(value, schema, options)?.object
  return object === undefined ? decodeNodes(toTree(value), schema, options) : { object, strict: nothing }
}

function decodeNodes(tree: JsonNode, schema: ObjectSchema, { keepsEmpty = false }: DecodeOptions): DecodeResult {
  const { object, error, strict } = decodeExact(tree, schema)
  if (error !== undefined) return { error }
  const canonical = decodeFast(object, schema, { keepsEmpty })?.object
  if (canonical === undefined) throw new Error(`an exact ${schema.name} has no canonical form`)
  return { object: canonical, strict }
}

/**
 * Brings an object that code has changed back into canonical form. Fields that the type does not have are dropped. A
 * value of the wrong type is a mistake of that code, and throws.
 */
export function canonicalize(object: JsonObject, schema: ObjectSchema, twin?: JsonObject): JsonObject {
  const result = decode(object, schema, { twin })
  if (result.error !== undefined) throw new Error(`${schema.name} has no canonical form: ${result.error}`)
  return result.object
}
