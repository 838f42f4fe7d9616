/**
 * `application/cbor` and `application/cbor-seq`. Every item begins with the tag of self-described CBOR. Texts and keys
 * are byte strings, bytes are byte strings under tag 22, map keys are in the order of their encoding, and numbers take
 * the fewest bytes, so that equal objects have equal bytes.
 */
import type { JsonObject, JsonValue } from '../api/json.ts'
import { keysOf } from '../api/key-lists.ts'
import { materialize, sortInSteps } from '../api/large-values.ts'
import { runToEnd, type Steps } from '../lib/in-turns.ts'
import type { Schema } from '../schema/schema.ts'
import { CborReader } from './cbor-reader.ts'
import { type CborLimits, WellformedCheck } from './cbor-wellformed.ts'

const selfDescribed = Buffer.from([0xd9, 0xd9, 0xf7])

export const hasCborPrefix = (bytes: Buffer): boolean => bytes.subarray(0, 3).equals(selfDescribed)

/** Of requests. What was stored is read whatever its size. */
const bodyLimits: CborLimits = { depth: 64, items: 1024 }
const storedLimits: CborLimits = { depth: 1000, items: Number.POSITIVE_INFINITY }

/** Exactly one item. Byte strings come out as text, or as base64 where a tag asks for it. Throws a `DecodeError`. */
export const decodeCborBody = (bytes: Buffer): JsonValue => runToEnd(decodeCborBodyInSteps(bytes))

/** The same of a body that may be large. */
export const decodeCborBodyInSteps = (bytes: Buffer): Steps<JsonValue> => decodeWithin(bytes, bodyLimits)

/** The same of what was stored, or is to be looked at, which may be larger than what a request may bring. */
export const decodeCbor = (bytes: Buffer): JsonValue => runToEnd(decodeCborInSteps(bytes))

/** The same of a large value. */
export const decodeCborInSteps = (bytes: Buffer): Steps<JsonValue> => decodeWithin(bytes, storedLimits)

/** Items to a step of reading. */
const itemsRead = 1_000

function* decodeWithin(bytes: Buffer, limits: CborLimits): Steps<JsonValue> {
  const check = new WellformedCheck(bytes, limits)
  while (!check.proceed(itemsRead)) yield
  const reader = new CborReader(bytes)
  while (!reader.proceed(itemsRead)) yield
  return reader.result
}

/** With the type's schema, fields of bytes are written as such; without it they are the text that JSON has. */
export const encodeCbor = (value: JsonValue, schema?: Schema): Buffer => runToEnd(encodeCborInSteps(value, schema))

/** The same for answers, which may be large. */
export function* encodeCborInSteps(value: JsonValue, schema?: Schema): Steps<Buffer> {
  const writer = new CborWriter()
  writer.raw(selfDescribed)
  yield* writer.value(value, isCustom(schema) ? undefined : schema)
  return writer.finish()
}

/** Of custom types the values decide: their texts are texts, and whole numbers integers. */
const isCustom = (schema: Schema | undefined): boolean => schema?.kind === 'object' && schema.name === undefined

/** How many items make a step: a step goes through all that is open. */
const itemsPerStep = 256

/** What comes before the items of an array. */
export const cborArrayHead = (count: number): Buffer => Buffer.from(encodeHead(4, count))

/** One event of a watch, whose object is encoded already. */
export function encodeCborEvent(type: string, object: Buffer): Buffer {
  const writer = new CborWriter()
  writer.raw(selfDescribed)
  writer.head(5, 2)
  writer.text('type')
  writer.text(type)
  writer.text('object')
  writer.raw(bareItem(object))
  return writer.finish()
}

const base64Tag = 22

class CborWriter {
  /** Bytes of many items each, and the parts of those that come after them. */
  readonly #pieces: Buffer[] = []
  #parts: Uint8Array[] = []
  #items = 0

  finish(): Buffer {
    if (this.#pieces.length === 0) return Buffer.concat(this.#parts)
    this.#fold()
    return Buffer.concat(this.#pieces)
  }

  #fold(): void {
    this.#pieces.push(Buffer.concat(this.#parts))
    this.#parts = []
  }

  raw(bytes: Uint8Array): void {
    this.#parts.push(bytes)
  }

  head(major: number, argument: number | bigint): void {
    this.raw(encodeHead(major, argument))
  }

  text(text: string): void {
    this.#bytes(Buffer.from(text))
  }

  *value(value: JsonValue, schema: Schema | undefined): Steps<void> {
    if (typeof value !== 'object' || value === null) this.#scalar(value, schema)
    else if (Array.isArray(value)) yield* this.#array(value, schema)
    else yield* this.#map(value, schema)
  }

  #scalar(value: Exclude<JsonValue, object>, schema: Schema | undefined): void {
    if (value === null) this.raw(Buffer.from([0xf6]))
    else if (typeof value === 'boolean') this.raw(Buffer.from([value ? 0xf5 : 0xf4]))
    else if (typeof value === 'string') this.#string(value, schema)
    else if (typeof value === 'bigint') this.#integer(value)
    else this.#number(value, schema)
  }

  #bytes(bytes: Buffer): void {
    this.head(2, bytes.length)
    this.raw(bytes)
  }

  #string(text: string, schema: Schema | undefined): void {
    if (schema?.kind === 'bytes') {
      this.head(6, base64Tag)
      this.#bytes(Buffer.from(text, 'base64'))
    } else {
      this.text(text)
    }
  }

  #number(value: number, schema: Schema | undefined): void {
    if (Number.isSafeInteger(value) && schema?.kind !== 'number') this.#integer(value)
    else this.raw(encodeFloat(value))
  }

  #integer(value: number | bigint): void {
    if (value >= 0) this.head(0, value)
    else this.head(1, typeof value === 'bigint' ? -1n - value : -1 - value)
  }

  *#array(items: readonly JsonValue[], schema: Schema | undefined): Steps<void> {
    this.head(4, items.length)
    const inner = schema?.kind === 'list' ? schema.items : undefined
    for (const item of items) {
      if (++this.#items % itemsPerStep === 0) {
        this.#fold()
        yield
      }
      yield* this.value(item, inner)
    }
  }

  *#map(object: JsonObject, schema: Schema | undefined): Steps<void> {
    yield* materialize(object)
    const keys = keysOf(object).filter((key) => object[key] !== undefined)
    this.head(5, keys.length)
    for (const key of yield* sortInSteps(keys, compareEncoded)) {
      if (++this.#items % itemsPerStep === 0) {
        this.#fold()
        yield
      }
      this.text(key)
      yield* this.value(object[key] as JsonValue, schemaOfKey(schema, key))
    }
  }
}

function schemaOfKey(schema: Schema | undefined, key: string): Schema | undefined {
  if (schema?.kind === 'object') return schema.fields.get(key)?.schema
  if (schema?.kind === 'map') return schema.values
  return schema?.kind === 'any' ? schema.object?.fields.get(key)?.schema : undefined
}

/** The length comes first in the encoding, so shorter keys do. */
function compareEncoded(a: string, b: string): number {
  if (isAscii(a) && isAscii(b)) return a.length - b.length || (a < b ? -1 : 1)
  const [x, y] = [Buffer.from(a), Buffer.from(b)]
  return x.length - y.length || Buffer.compare(x, y)
}

/** Then characters are bytes, and in the same order. */
const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

function encodeHead(major: number, argument: number | bigint): Buffer {
  const first = major << 5
  if (argument < 24) return Buffer.from([first | Number(argument)])
  if (argument < 0x100) return Buffer.from([first | 24, Number(argument)])
  const size = argument < 0x10000 ? 2 : argument < 0x100000000 ? 4 : 8
  const bytes = Buffer.alloc(size + 1)
  bytes[0] = first | (size === 2 ? 25 : size === 4 ? 26 : 27)
  if (size === 8) bytes.writeBigUInt64BE(BigInt(argument), 1)
  else bytes.writeUIntBE(Number(argument), 1, size)
  return bytes
}

/** In the fewest bytes that keep the value. */
function encodeFloat(value: number): Buffer {
  const half = encodeHalf(value)
  if (half !== undefined) return Buffer.from([0xf9, half >> 8, half & 0xff])
  const bytes = Buffer.alloc(9)
  if (Math.fround(value) === value) {
    bytes[0] = 0xfa
    bytes.writeFloatBE(value, 1)
    return bytes.subarray(0, 5)
  }
  bytes[0] = 0xfb
  bytes.writeDoubleBE(value, 1)
  return bytes
}

/** The bits of the half-precision number that equals the value, if there is one. */
function encodeHalf(value: number): number | undefined {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0
  const size = Math.abs(value)
  if (size === 0) return sign
  const exponent = Math.max(Math.floor(Math.log2(size)), -14)
  const fraction = size / 2 ** (exponent - 10)
  if (exponent > 15 || !Number.isInteger(fraction)) return undefined
  if (fraction >= 2048) return undefined
  return fraction < 1024 ? sign | fraction : sign | ((exponent + 15) << 10) | (fraction - 1024)
}

/** A list from items that are encoded already: the pieces to send one after another. */
export function encodeCborList(list: JsonObject, items: readonly Uint8Array[]): Uint8Array[] {
  const others = Object.keys(list).filter((key) => key !== 'items' && list[key] !== undefined)
  const pieces: Uint8Array[] = [selfDescribed, encodeHead(5, others.length + 1)]
  for (const key of [...others, 'items'].sort(compareEncoded)) {
    const keyBytes = Buffer.from(key)
    pieces.push(encodeHead(2, keyBytes.length), keyBytes)
    if (key === 'items') pieces.push(encodeHead(4, items.length), ...items.map(bareItem))
    else pieces.push(bareItem(encodeCbor(list[key] as JsonValue)))
  }
  return pieces
}

/** An item without the tag that marks it. */
const bareItem = (item: Uint8Array): Uint8Array =>
  hasCborPrefix(Buffer.from(item.buffer, item.byteOffset, item.byteLength)) ? item.subarray(selfDescribed.length) : item
