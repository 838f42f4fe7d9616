/**
 * As `decodePart`, of values that take more than one turn: heavy containers are taken apart, what is light goes through the
 * compiled decoder. A heavy member of an object is decoded first; the object around it then shares it with its baseline.
 */
import { copyWritings, hasWritings, keepWritings, writingOf } from '../api/given-writing.ts'
import { type JsonArray, type JsonObject, type JsonValue, setKey } from '../api/json.ts'
import { compareTexts, keysOf, listKeys } from '../api/key-lists.ts'
import { isHeavy, mapInSteps, pickKeys, slicesOf, slicesOfKeys, sortInSteps } from '../api/large-values.ts'
import type { Steps } from '../lib/in-turns.ts'
import { type DecodedPart, type DecodeOptions, decodePart, type FastResult } from './decode.ts'
import { countKeys } from './json-shape.ts'
import type { ListSchema, MapSchema, ObjectSchema, Schema } from './schema.ts'

/** Undefined when the input needs the exact decoder. */
export function* decodeFastInSteps(
  value: JsonValue,
  schema: ObjectSchema,
  options: DecodeOptions = {},
): Steps<FastResult | undefined> {
  const decoded = yield* decodePartInSteps(value, schema, options)
  if (decoded === undefined) return undefined
  const { value: object, ...rest } = decoded
  return { object: object as JsonObject, ...rest }
}

type Decoding = Steps<DecodedPart | undefined>

function* decodePartInSteps(value: JsonValue, schema: Schema, options: DecodeOptions): Decoding {
  yield
  if (!isHeavy(value)) return decodePart(value, schema, options)
  if (Array.isArray(value)) {
    return schema.kind === 'list' ? yield* decodeList(value, schema, options) : decodePart(value, schema, options)
  }
  switch (schema.kind) {
    case 'object':
      return yield* decodeObject(value, schema, options)
    case 'map':
      return yield* decodeMap(value, schema, options)
    case 'any':
      if (schema.object !== undefined) return yield* decodeObject(value, schema.object, withoutBaseline(options))
      return {
        value,
        keys: options.countsKeys === true ? yield* countKeysInSteps(value) : 0,
        losesEmpties: false,
        hasWritings: false,
      }
    default:
      return decodePart(value, schema, options)
  }
}

function withoutBaseline({ empties, countsKeys }: DecodeOptions): DecodeOptions {
  return { ...(empties === undefined ? {} : { empties }), ...(countsKeys === undefined ? {} : { countsKeys }) }
}

/** What the parts of a value come to together. */
class Sum {
  keys = 0
  losesEmpties = false
  hasWritings = false

  add({ keys, losesEmpties, hasWritings: has }: Omit<DecodedPart, 'value'>): void {
    this.keys += keys
    this.losesEmpties ||= losesEmpties
    this.hasWritings ||= has
  }

  of(value: JsonValue): DecodedPart {
    const { keys, losesEmpties, hasWritings: has } = this
    return { value, keys, losesEmpties, hasWritings: has }
  }
}

function* decodeObject(value: JsonObject, schema: ObjectSchema, options: DecodeOptions): Decoding {
  const { baseline } = options
  const sum = new Sum()
  let given = value
  let shared: JsonObject | undefined
  // An object with more keys than its type has fields is none of that type.
  const keys = keysOf(value)
  if (keys.length > schema.fields.size) return undefined
  for (const key of keys) {
    const member = value[key]
    if (member === undefined || member === baseline?.[key] || !isHeavy(member)) continue
    const field = schema.fields.get(key)
    if (field === undefined) return undefined
    const before = baseline?.[key]
    const decoded = yield* decodePartInSteps(member, field.schema, {
      ...options,
      baseline: typeof before === 'object' && before !== null ? (before as JsonObject) : undefined,
    })
    if (decoded === undefined) return undefined
    sum.add(decoded)
    shared ??= { ...baseline }
    shared[key] = decoded.value
    if (decoded.value === member) continue
    if (given === value) {
      given = pickKeys(value, keys)
      copyWritings(given, value)
    }
    setKey(given, key, decoded.value)
  }
  yield
  const decoded = decodePart(given, schema, shared === undefined ? options : { ...options, baseline: shared })
  if (decoded === undefined) return undefined
  sum.add(decoded)
  return sum.of(decoded.value)
}

function* decodeList(list: JsonArray, schema: ListSchema, options: DecodeOptions): Decoding {
  const baseline = Array.isArray(options.baseline) ? (options.baseline as JsonArray) : undefined
  const sum = new Sum()
  let out = list
  for (const { from, to, isHeavy: isAlone } of slicesOf(list)) {
    const part = isAlone ? (list[from] as JsonValue) : list.slice(from, to)
    const before = isAlone ? baseline?.[from] : baseline?.slice(from, to)
    const partOptions = { ...options, baseline: before as JsonObject | undefined }
    if (!isAlone) yield
    const decoded = isAlone
      ? yield* decodePartInSteps(part, schema.items, partOptions)
      : decodePart(part, schema, partOptions)
    if (decoded === undefined) return undefined
    sum.add(decoded)
    if (decoded.value === part) continue
    if (out === list) out = list.slice()
    const items = isAlone ? [decoded.value] : (decoded.value as JsonArray)
    for (let i = 0; i < items.length; i++) out[from + i] = items[i] as JsonValue
  }
  return sum.of(out)
}

function* decodeMap(map: JsonObject, schema: MapSchema, options: DecodeOptions): Decoding {
  const given = keysOf(map)
  const keys = yield* sortInSteps([...given], compareTexts)
  let isSame = isSameOrder(given, keys)
  const sum = new Sum()
  const values: JsonValue[] = []
  const writings = new Map<string, string>()
  for (const { from, to, isHeavy: isAlone } of slicesOfKeys(map, keys)) {
    const names = keys.slice(from, to)
    const piece = pickKeys(map, names)
    yield
    const decoded = isAlone
      ? yield* decodeMember(piece, names[0] as string, schema, withoutBaseline(options))
      : decodePart(piece, schema, withoutBaseline(options))
    if (decoded === undefined) return undefined
    sum.add(decoded)
    const members = decoded.value as JsonObject
    for (const name of names) {
      values.push(members[name] as JsonValue)
      if (members[name] !== map[name]) isSame = false
      const writing = hasWritings(members) ? writingOf(members, name) : undefined
      if (writing !== undefined) writings.set(name, writing)
    }
  }
  if (isSame && writings.size === 0) return sum.of(listKeys(map, keys))
  const out = yield* mapInSteps(keys, (i) => values[i])
  if (writings.size > 0) keepWritings(out, writings)
  return sum.of(out)
}

/** A piece of one heavy member. */
function* decodeMember(piece: JsonObject, name: string, { values }: MapSchema, options: DecodeOptions): Decoding {
  const decoded = yield* decodePartInSteps(piece[name] as JsonValue, values, options)
  if (decoded === undefined) return undefined
  const value: JsonObject = {}
  setKey(value, name, decoded.value)
  return { ...decoded, value, keys: decoded.keys + 1 }
}

const isSameOrder = (given: readonly string[], sorted: readonly string[]): boolean =>
  given === sorted || given.every((key, i) => key === sorted[i])

/** As `countKeys`. */
function* countKeysInSteps(value: JsonValue): Steps<number> {
  yield
  if (!isHeavy(value)) return countKeys(value)
  let count = 0
  if (Array.isArray(value)) {
    for (const { from, to, isHeavy: isAlone } of slicesOf(value))
      count += yield* isAlone ? countKeysInSteps(value[from] as JsonValue) : countLight(value.slice(from, to))
    return count
  }
  const keys = keysOf(value)
  for (const { from, to, isHeavy: isAlone } of slicesOfKeys(value, keys)) {
    const piece = pickKeys(value, keys.slice(from, to))
    count += isAlone
      ? 1 + (yield* countKeysInSteps(piece[keys[from] as string] as JsonValue))
      : yield* countLight(piece)
  }
  return count
}

function* countLight(piece: JsonValue): Steps<number> {
  yield
  return countKeys(piece)
}
