/** The body of a server-side apply: YAML as Go reads it, or CBOR. */
import { isJsonObject, type JsonObject, type JsonValue, jsonTypeName, setKey } from '../api/json.ts'
import { keysOf } from '../api/key-lists.ts'
import { type ApiError, badRequest } from '../api/status-error.ts'
import { decodeCborBodyInSteps } from '../codec/cbor.ts'
import { cborObjectProblem } from '../codec/cbor-type-error.ts'
import { DecodeError } from '../codec/decode-error.ts'
import { decodeYamlInSteps } from '../codec/yaml.ts'
import type { Steps } from '../lib/in-turns.ts'
import { applyCbor } from '../registry/model/patch-format.ts'

export interface Configuration {
  readonly config: JsonObject
  /** Keys that the text has twice. */
  readonly duplicates: readonly string[]
}

const refuse = (why: string): ApiError => badRequest(`error decoding YAML: ${why}`)

/** Throws a 400. */
export function* decodeConfiguration(type: string, bytes: Buffer): Steps<Configuration> {
  const { value, duplicates } =
    type === applyCbor ? yield* decodeCborConfiguration(bytes) : yield* decodeYamlConfiguration(bytes)
  if (value === null) return { config: {}, duplicates }
  const isWide = yield* hasManyDigits(bytes)
  return { config: isWide ? ((yield* withoutWideIntegers(value)) as JsonObject) : value, duplicates }
}

interface DecodedConfiguration {
  readonly value: JsonObject | null
  readonly duplicates: readonly string[]
}

function* decodeCborConfiguration(bytes: Buffer): Steps<DecodedConfiguration> {
  try {
    const value = yield* decodeCborBodyInSteps(bytes)
    if (isJsonObject(value) || value === null) return { value, duplicates: [] }
  } catch (error) {
    throw error instanceof DecodeError ? refuse(error.message) : error
  }
  throw refuse((yield* cborObjectProblem(bytes)) as string)
}

function* decodeYamlConfiguration(bytes: Buffer): Steps<DecodedConfiguration> {
  try {
    const { value, duplicates } = yield* decodeYamlInSteps(bytes)
    if (isJsonObject(value) || value === null) return { value, duplicates }
    throw refuse(
      `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`,
    )
  } catch (error) {
    throw error instanceof DecodeError ? refuse(`error converting YAML to JSON: ${error.message}`) : error
  }
}

/** As many as a number needs to be wider than 64 bits. */
const manyDigits = 19
const bytesPerStep = 1 << 16

function* hasManyDigits(bytes: Buffer): Steps<boolean> {
  let digits = 0
  for (let i = 0; i < bytes.length; i++) {
    if (i % bytesPerStep === bytesPerStep - 1) yield
    const byte = bytes[i] as number
    digits = byte >= 0x30 && byte <= 0x39 ? digits + 1 : 0
    if (digits === manyDigits) return true
  }
  return false
}

const valuesPerStep = 1_000

/** Whole numbers that 64 bits do not hold are floating-point numbers: the YAML of an apply is read as Go reads it. */
function* withoutWideIntegers(value: JsonValue, visited = { count: 0 }): Steps<JsonValue> {
  if (++visited.count % valuesPerStep === 0) yield
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? value : Number(value)
  if (Array.isArray(value)) {
    const items: JsonValue[] = []
    for (const item of value) items.push(yield* withoutWideIntegers(item, visited))
    return items
  }
  if (!isJsonObject(value)) return value
  const result: JsonObject = {}
  for (const key of keysOf(value)) setKey(result, key, yield* withoutWideIntegers(value[key] as JsonValue, visited))
  return result
}
