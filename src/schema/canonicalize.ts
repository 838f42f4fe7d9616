/** Plain JSON into the canonical object of a built-in type: fast where it can be, exact where it must be. */
import type { JsonObject, JsonValue } from '../api/json.ts'
import type { Steps } from '../lib/in-turns.ts'
import { type DecodeOptions, decodeFast } from './decode.ts'
import { decodeExact, decodeExactInSteps, type StrictError } from './decode-exact.ts'
import { decodeFastInSteps } from './decode-in-steps.ts'
import { type JsonNode, toTree, toTreeInSteps } from './json-tree.ts'
import type { ObjectSchema } from './schema.ts'

export type DecodeResult =
  | {
      readonly object: JsonObject
      readonly strict: readonly StrictError[]
      readonly losesEmpties: boolean
      readonly error?: undefined
    }
  /** The text is the reference's: `json: cannot unmarshal …`. */
  | { readonly error: string }

const nothing: readonly StrictError[] = []

type ValueOptions = Pick<DecodeOptions, 'baseline' | 'empties'>

/**
 * For JSON that is parsed already: the result of a patch, of YAML, of a webhook. What it shares with `baseline`, a canonical
 * object of the same type, costs nothing. Canonical but for empty lists and maps, which stay unless `empties` says more.
 */
export function decodeValue(
  value: JsonValue,
  schema: ObjectSchema,
  { baseline, empties = 'given' }: ValueOptions = {},
): DecodeResult {
  return decode(value, schema, { baseline, empties })
}

export function decodeTree(tree: JsonNode, schema: ObjectSchema): DecodeResult {
  return decodeNodes(tree, schema, { empties: 'given' })
}

/** As `decodeTree`, of a large text. */
export function* decodeTreeInSteps(tree: JsonNode, schema: ObjectSchema): Steps<DecodeResult> {
  return yield* decodeNodesInSteps(tree, schema, 'given')
}

function* decodeNodesInSteps(
  tree: JsonNode,
  schema: ObjectSchema,
  empties: NonNullable<DecodeOptions['empties']>,
): Steps<DecodeResult> {
  const { object, error, strict } = yield* decodeExactInSteps(tree, schema)
  if (error !== undefined) return { error }
  const canonical = yield* decodeFastInSteps(object, schema, { empties })
  if (canonical === undefined) throw new Error(`an exact ${schema.name} has no canonical form`)
  return { object: canonical.object, losesEmpties: canonical.losesEmpties, strict }
}

/** As `decodeValue`, of a value that may be large. */
export function* decodeValueInSteps(
  value: JsonValue,
  schema: ObjectSchema,
  { baseline, empties = 'given' }: ValueOptions = {},
): Steps<DecodeResult> {
  const fast = yield* decodeFastInSteps(value, schema, { baseline, empties })
  if (fast !== undefined) return { object: fast.object, strict: nothing, losesEmpties: fast.losesEmpties }
  return yield* decodeNodesInSteps(yield* toTreeInSteps(value), schema, empties)
}

/** As `canonicalForm`, of an object that may be large. */
export function* canonicalFormInSteps(
  object: JsonObject,
  schema: ObjectSchema,
  options: ValueOptions = {},
): Steps<{ readonly object: JsonObject; readonly losesEmpties: boolean }> {
  const { baseline, empties = 'stored' } = options
  const result = yield* decodeValueInSteps(object, schema, { baseline, empties })
  if (result.error !== undefined) throw new Error(`${schema.name} has no canonical form: ${result.error}`)
  return result
}

function decode(value: JsonValue, schema: ObjectSchema, options: DecodeOptions): DecodeResult {
  const fast = decodeFast(value, schema, options)
  if (fast === undefined) return decodeNodes(toTree(value), schema, options)
  return { object: fast.object, strict: nothing, losesEmpties: fast.losesEmpties }
}

function decodeNodes(tree: JsonNode, schema: ObjectSchema, { empties = 'stored' }: DecodeOptions): DecodeResult {
  const { object, error, strict } = decodeExact(tree, schema)
  if (error !== undefined) return { error }
  return { ...canonicalOfExact(object, schema, empties), strict }
}

function canonicalOfExact(
  object: JsonValue,
  schema: ObjectSchema,
  empties: NonNullable<DecodeOptions['empties']>,
): { object: JsonObject; losesEmpties: boolean } {
  const canonical = decodeFast(object, schema, { empties })
  if (canonical === undefined) throw new Error(`an exact ${schema.name} has no canonical form`)
  return { object: canonical.object, losesEmpties: canonical.losesEmpties }
}

/**
 * Brings an object that code has changed back into canonical form. Fields that the type does not have are dropped. A
 * value of the wrong type is a mistake of that code, and throws.
 */
export const canonicalize = (object: JsonObject, schema: ObjectSchema, options: ValueOptions = {}): JsonObject =>
  canonicalForm(object, schema, options).object

/** The same, with whether empty lists or maps were lost on the way. */
export function canonicalForm(
  object: JsonObject,
  schema: ObjectSchema,
  options: ValueOptions = {},
): { readonly object: JsonObject; readonly losesEmpties: boolean } {
  const result = decode(object, schema, options)
  if (result.error !== undefined) throw new Error(`${schema.name} has no canonical form: ${result.error}`)
  return result
}
