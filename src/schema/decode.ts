/**
 * Compiles, from a built-in type, the fast decoder: plain JSON in, the canonical object out. Canonical means that
 * `JSON.stringify` gives the bytes that the reference writes: fields in wire order, keys of maps sorted, zero values of
 * fields that do not distinguish them from absent left out, fields that are always written filled in, amounts and times in
 * their one form. What becomes of empty lists and maps, which Go distinguishes from absent ones in memory alone, is up to the
 * caller (`Empties`).
 *
 * Nothing is changed in place: parts that are canonical already are shared with the input, the others are new.
 *
 * The fast decoder answers only for input without surprises. At the first one (an unknown field, a wrong type, a value
 * that does not parse) it gives up with `undefined` and the exact decoder says what is wrong.
 */

import { hasWritings, keepWritings, nullWriting } from '../api/given-writing.ts'
import type { JsonObject, JsonValue } from '../api/json.ts'
import { emptyList, emptyMap, emptySchemas, noSchemas } from '../api/json.ts'
import { compileOnce } from '../lib/memo.ts'
import { countKeys, isOmittable, rebuildMap, sortMap } from './json-shape.ts'
import { compileScalar, exactDecoderNeeded, type ScalarDecoder } from './scalar-decoders.ts'
import { zeroElement, zeroOf } from './scalars.ts'
import type { AnySchema, Field, ListSchema, MapSchema, ObjectSchema, Schema } from './schema.ts'

/** Keys read by the decoding that is under way; decoding never waits and never starts another. */
let keysRead = 0

export interface FastResult {
  readonly object: JsonObject
  /** With `countsKeys`: how many keys the input has, at all depths. Its text has more when some were duplicates. */
  readonly keys: number
  /** An empty list or map was left out: what is absent now may have a default. */
  readonly losesEmpties: boolean
  /** A quantity or a time was not in canonical form: the result has writings, which no other request may see. */
  readonly hasWritings: boolean
}

/**
 * A canonical value that the next value to be decoded may share parts with: those are canonical, too, and are not looked
 * at. The caller of a decoder sets it first.
 */
let canonicalBaseline: JsonValue | undefined

/** Whether the keys of raw JSON are counted, too; nothing else would look into it. */
let countsKeys = false

/**
 * Which empty lists and maps are kept.
 *
 * - `stored`: none, as the reference's storage gives them back: `null` in a field that is always written.
 * - `written`: those of fields that are always written, as Go writes JSON: owners, webhooks and policies see these.
 * - `given`: all of them, as Go decodes a body: drafts have them through defaults and validation.
 */
export type Empties = 'stored' | 'written' | 'given'

let empties: Empties = 'stored'

/** Whether the decoding that is under way left an empty list or map out. */
let losesEmpties = false

/** Whether the decoding that is under way found a quantity that is not in canonical form. */
let foundWritings = false

export interface DecodeOptions {
  /** A canonical object of the same type; keys of what the input shares with it are not counted. */
  readonly baseline?: JsonObject | undefined
  readonly empties?: Empties
  /** Counts the keys of the input. */
  readonly countsKeys?: boolean
}

/** Undefined when the input needs the exact decoder. */
export function decodeFast(
  value: JsonValue,
  schema: ObjectSchema,
  options: DecodeOptions = {},
): FastResult | undefined {
  const decoded = decodePart(value, schema, options)
  if (decoded === undefined) return undefined
  const { keys, losesEmpties, hasWritings } = decoded
  return { object: decoded.value as JsonObject, keys, losesEmpties, hasWritings }
}

export interface DecodedPart extends Omit<FastResult, 'object'> {
  readonly value: JsonValue
}

/** The same for a part of an object. */
export function decodePart(value: JsonValue, schema: Schema, options: DecodeOptions): DecodedPart | undefined {
  keysRead = 0
  top = 0
  canonicalBaseline = options.baseline
  empties = options.empties ?? 'stored'
  losesEmpties = false
  foundWritings = false
  countsKeys = options.countsKeys === true
  try {
    return { value: decoderOf(schema)(value), keys: keysRead, losesEmpties, hasWritings: foundWritings }
  } catch (error) {
    if (isSurprise(error)) return undefined
    throw error
  } finally {
    // Nothing that was decoded is held on to.
    canonicalBaseline = undefined
    if (itemStack.length > stackLimit) itemStack.length = 0
    else itemStack.fill(undefined)
  }
}

const stackLimit = 256

/** So are values that do not parse (amounts, times), and nesting that is too deep to follow. */
function isSurprise(error: unknown): boolean {
  if (error instanceof RangeError) return true
  return error === exactDecoderNeeded || (error instanceof Error && valueErrors.has(error.name))
}

const valueErrors = new Set(['QuantityError', 'TimeError', 'DurationError'])

const decoderOf = compileOnce('decoder', compile)

function compile(schema: Schema): ScalarDecoder {
  switch (schema.kind) {
    case 'object':
      return compileObject(schema)
    case 'map':
      return compileMap(schema)
    case 'list':
      return compileList(schema)
    case 'any':
      return compileAny(schema)
    default:
      return compileScalar(schema)
  }
}

interface FieldDecoder {
  readonly index: number
  readonly name: string
  /** The key is always written. */
  readonly emit: boolean
  /** Zero is written, or distinguished from absent. */
  readonly keepsZero: boolean
  /** A list or map that is no pointer: nothing, or empty. */
  readonly isContainer: boolean
  /** Any text is canonical, but for the empty one. */
  readonly isText: boolean
  /** How it was written is kept where that is not its canonical form. */
  readonly keepsWriting: boolean
  readonly field: Field
  decode: ScalarDecoder
  /** The field that followed this one the last time: mostly it does again. */
  next: FieldDecoder | undefined
}

/** Fields by name; a plain lookup is faster than a `Map`. It has no prototype, so any key may be asked for. */
type FieldTable = Record<string, FieldDecoder | undefined>

function compileObject(schema: ObjectSchema): ScalarDecoder {
  const table = Object.create(null) as FieldTable
  const always: FieldDecoder[] = []
  let index = 0
  let mayHaveWritings = false
  for (const field of schema.fields.values()) {
    const entry = fieldDecoder(field, index++)
    if (entry.keepsWriting) mayHaveWritings = true
    table[field.name] = entry
    if (field.emit) always.push(entry)
  }
  const start = { index: -1, next: undefined } as Pick<FieldDecoder, 'index' | 'next'> as FieldDecoder
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw exactDecoderNeeded
    const baseline = canonicalBaseline
    const baselineMembers =
      typeof baseline === 'object' && baseline !== null && !Array.isArray(baseline) ? baseline : undefined
    const base = top
    let written = 0
    let last = start
    let canonical = !mayHaveWritings || !losesWritings(value)
    let writings: Map<string, string> | undefined
    for (const key in value) {
      let entry = last.next
      if (entry === undefined || entry.name !== key) {
        entry = table[key]
        if (entry === undefined) throw exactDecoderNeeded
        last.next = entry
      }
      if (entry.index < last.index) canonical = false
      last = entry
      if (entry.emit) written++
      const raw = value[key] as JsonValue
      let item: JsonValue | undefined = raw
      if (typeof raw !== 'string' || raw === '' || !entry.isText) {
        canonicalBaseline = baselineMembers === undefined ? undefined : baselineMembers[key]
        const isShared = canonicalBaseline === raw && typeof raw === 'object' && raw !== null
        if (!isShared) {
          item = decodeItem(entry, raw)
          if (item !== raw || raw === undefined) {
            canonical = false
            if (entry.keepsWriting) writings = withWriting(writings, key, raw)
          }
        }
      }
      entryStack[top] = entry
      itemStack[top++] = item
    }
    keysRead += top - base
    const result = canonical && written === always.length ? value : rebuild(base, always)
    top = base
    if (writings !== undefined) keepWritings(result as JsonObject, writings)
    return result
  }
}

/** What is stored is a copy of a container with writings. */
const losesWritings = (value: JsonObject): boolean => empties === 'stored' && hasWritings(value)

/** The writings of a container with one more; what is stored has none. */
function withWriting(
  writings: Map<string, string> | undefined,
  name: string,
  raw: JsonValue,
): Map<string, string> | undefined {
  if (empties === 'stored' || (typeof raw !== 'string' && typeof raw !== 'number')) return writings
  foundWritings = true
  return (writings ?? new Map<string, string>()).set(name, String(raw).trim())
}

/**
 * The fields that have been read and their canonical values (undefined: left out), of all objects that are being
 * decoded, the innermost last. One pair of stacks for all decoding saves two arrays an object.
 */
const entryStack: FieldDecoder[] = []
const itemStack: (JsonValue | undefined)[] = []
let top = 0

/** Of the list or map that was decoded last: asking a large map whether it is empty makes the engine list all its keys. */
let itemCount = 0

function decodeItem(entry: FieldDecoder, raw: JsonValue): JsonValue | undefined {
  if (raw === null || raw === undefined) return entry.emit ? zeroOf(entry.field) : undefined
  const item = entry.decode(raw)
  if (entry.isContainer) return itemCount === 0 ? decodedEmpty(entry, item) : item
  return (item === null ? !entry.emit : !entry.keepsZero && isOmittable(item)) ? undefined : item
}

function decodedEmpty({ emit }: FieldDecoder, item: JsonValue): JsonValue | undefined {
  if (emit) return empties === 'stored' ? null : item
  if (empties !== 'given') {
    losesEmpties = true
    return undefined
  }
  return Array.isArray(item) ? emptyList : emptyMap
}

/** The object whose fields are on the stacks from `base` on: in wire order, with the fields that are always written. */
function rebuild(base: number, always: readonly FieldDecoder[]): JsonObject {
  sortStacks(base)
  const out: JsonObject = {}
  let pending = 0
  for (let i = base; i < top; i++) {
    const entry = entryStack[i] as FieldDecoder
    while (pending < always.length && (always[pending] as FieldDecoder).index < entry.index) {
      emitZero(out, always[pending++] as FieldDecoder)
    }
    if (always[pending] === entry) pending++
    const item = itemStack[i]
    if (item !== undefined) out[entry.name] = item
  }
  while (pending < always.length) emitZero(out, always[pending++] as FieldDecoder)
  return out
}

/** Brings the fields from `base` on into wire order. They are few, and often in order already. */
function sortStacks(base: number): void {
  for (let i = base + 1; i < top; i++) {
    const entry = entryStack[i] as FieldDecoder
    const item = itemStack[i]
    let at = i
    for (; at > base && (entryStack[at - 1] as FieldDecoder).index > entry.index; at--) {
      entryStack[at] = entryStack[at - 1] as FieldDecoder
      itemStack[at] = itemStack[at - 1]
    }
    entryStack[at] = entry
    itemStack[at] = item
  }
}

function emitZero(out: JsonObject, entry: FieldDecoder): void {
  out[entry.name] = zeroOf(entry.field)
}

function fieldDecoder(field: Field, index: number): FieldDecoder {
  const { schema } = field
  const entry: FieldDecoder = {
    index,
    name: field.name,
    emit: field.emit,
    keepsZero: field.pointer || field.emit,
    isContainer: !field.pointer && (schema.kind === 'list' || schema.kind === 'map'),
    isText: schema.kind === 'string',
    keepsWriting: schema.kind === 'quantity' || schema.kind === 'time',
    field,
    next: undefined,
    // Types may contain themselves: the decoder of a field is compiled when the field is first seen.
    decode: (value) => {
      entry.decode = decoderOf(schema)
      return entry.decode(value)
    },
  }
  return entry
}

function compileList({ items }: ListSchema): ScalarDecoder {
  let decode: ScalarDecoder | undefined
  return (value) => {
    if (!Array.isArray(value)) throw exactDecoderNeeded
    decode ??= decoderOf(items)
    const baselineMembers = Array.isArray(canonicalBaseline) ? canonicalBaseline : undefined
    let out = value
    for (let i = 0; i < value.length; i++) {
      const raw = value[i] as JsonValue
      canonicalBaseline = baselineMembers?.[i]
      if (canonicalBaseline === raw && typeof raw === 'object' && raw !== null) continue
      const item = raw === null ? zeroElement(items) : decode(raw)
      if (item === raw) continue
      if (out === value) out = value.slice()
      out[i] = item
    }
    itemCount = value.length
    return out
  }
}

function compileMap({ values }: MapSchema): ScalarDecoder {
  let decode: ScalarDecoder | undefined
  const hasQuantities = values.kind === 'quantity'
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw exactDecoderNeeded
    decode ??= decoderOf(values)
    let writings: Map<string, string> | undefined
    const items: JsonValue[] = []
    const keys: string[] = []
    let last = ''
    let isSame = !hasQuantities || !losesWritings(value)
    let isSorted = true
    for (const key in value) {
      const raw = value[key] as JsonValue
      canonicalBaseline = undefined
      const item = raw === null ? zeroMember(values) : decode(raw)
      if (item !== raw) {
        isSame = false
        if (hasQuantities) writings = withWriting(writings, key, raw ?? nullWriting)
      }
      if (key < last) isSorted = false
      last = key
      keys.push(key)
      items.push(item)
    }
    itemCount = items.length
    keysRead += items.length
    if (!isSame) {
      const rebuilt = rebuildMap(keys, items)
      if (writings !== undefined) keepWritings(rebuilt, writings)
      return rebuilt
    }
    return isSorted ? value : sortMap(value, keys)
  }
}

/** Bytes of a map that are none are empty as soon as they have been stored. */
const zeroMember = (values: Schema): JsonValue => (values.kind === 'bytes' ? '' : zeroElement(values))

/** Raw JSON is kept as it is. Where objects of a type may stand, they are brought into form, and only they. */
function compileAny(schema: AnySchema): ScalarDecoder {
  if (schema.object === undefined) {
    return (value) => {
      if (countsKeys) keysRead += countKeys(value)
      return value
    }
  }
  const { object } = schema
  const orBool = schema.name?.endsWith('OrBool') === true
  const orArray = schema.name?.endsWith('OrArray') === true
  const orStrings = schema.name?.endsWith('OrStringArray') === true
  const decodeAlone = (value: JsonValue): JsonValue => {
    canonicalBaseline = undefined
    return decoderOf(object)(value)
  }
  return (value) => {
    if (orBool && typeof value === 'boolean') return value
    if (!Array.isArray(value) || orBool) return decodeAlone(value)
    // No schemas are written as `null`, which is read as nothing.
    if (orArray && value.length === 0 && empties === 'stored') return null
    if (value === noSchemas || value === emptySchemas) return value
    if (orArray && value.length === 0) return emptySchemas
    if (!orStrings) return value.map(decodeAlone)
    if (value.some((item) => typeof item !== 'string')) throw exactDecoderNeeded
    return value
  }
}
