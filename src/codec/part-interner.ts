/**
 * Interns parts of request bodies by their text. Consecutive bodies of a type are often nearly equal (the pods of a workload, the
 * events of a controller): a part whose text was seen before is not parsed again; the object gets the interned value, which is
 * canonical, defaulted and frozen, and everything downstream can compare by identity.
 *
 * A part is the value of a top-level field, or of a member of one, except in `metadata`. The interned value is a pure function of
 * text and field: rules that relate one part to another run for every object.
 */

import { markInterned } from '../api/interned.ts'
import type { JsonObject, JsonValue } from '../api/json.ts'
import { equalJson, isJsonObject } from '../api/json.ts'
import { decodePart } from '../schema/decode.ts'
import type { Field, ObjectSchema } from '../schema/schema.ts'
import { type ScanTrace, scanJson } from './json-scan.ts'

/** Defaults a part in isolation; undefined when its defaults depend on other parts. */
export type CompletePart = (field: Field, value: JsonValue) => JsonValue | undefined

/** Larger bodies are not interned: they rarely repeat. */
const maxBodyBytes = 64 * 1024
/** Bound on the interned text of one type; everything is dropped when it is reached. */
const maxHeldBytes = 256 * 1024
/** Bound on the texts of one field, least recently used first out. */
const maxTexts = 4
/** Shorter texts parse as fast as they are looked up. */
const minTextBytes = 24

export class PartInterner {
  readonly schema: ObjectSchema
  readonly #complete: CompletePart
  #members = new Map<string, InternTable | Map<string, InternTable> | undefined>()
  #heldBytes = 0

  constructor(schema: ObjectSchema, complete: CompletePart) {
    this.schema = schema
    this.#complete = complete
  }

  /** Undefined for a body that is too large. */
  read(bytes: Buffer): InterningScan | undefined {
    return bytes.length > maxBodyBytes ? undefined : new InterningScan(bytes, this)
  }

  /** The intern table of a field, or those of its members; undefined for a field that is not interned. */
  member(name: string): InternTable | Map<string, InternTable> | undefined {
    if (this.#members.has(name)) return this.#members.get(name)
    const opened = this.#open(name)
    if (this.schema.fields.has(name)) this.#members.set(name, opened)
    return opened
  }

  #open(name: string): InternTable | Map<string, InternTable> | undefined {
    const field = this.schema.fields.get(name)
    if (field === undefined || name === 'metadata' || !holdsMore.has(field.schema.kind)) return undefined
    if (field.schema.kind !== 'object') return new InternTable(field, this.#complete)
    const places = new Map<string, InternTable>()
    for (const inner of field.schema.fields.values()) {
      if (holdsMore.has(inner.schema.kind)) places.set(inner.name, new InternTable(inner, this.#complete))
    }
    return places
  }

  /** Adds the text of a part that was not found. */
  add(place: InternTable, text: Buffer): void {
    if (text.length < minTextBytes) return
    if (this.#heldBytes + text.length > maxHeldBytes) {
      this.#members = new Map()
      this.#heldBytes = 0
    } else this.#heldBytes += text.length - place.add(Buffer.from(text))
  }
}

const holdsMore = new Set<string>(['object', 'map', 'list'])

/** The texts of one field, most recently used first. */
class InternTable {
  readonly field: Field
  readonly #complete: CompletePart
  readonly #texts: InternedText[] = []

  constructor(field: Field, complete: CompletePart) {
    this.field = field
    this.#complete = complete
  }

  find(bytes: Buffer, at: number): InternedText | undefined {
    const texts = this.#texts
    for (let i = 0; i < texts.length; i++) {
      const known = texts[i] as InternedText
      if (!known.isAt(bytes, at)) continue
      for (let j = i; j > 0; j--) texts[j] = texts[j - 1] as InternedText
      texts[0] = known
      known.value ??= finished(this.field, known.text, this.#complete)
      return known
    }
    return undefined
  }

  /** Returns how many bytes were evicted. */
  add(text: Buffer): number {
    this.#texts.unshift(new InternedText(text))
    return this.#texts.length > maxTexts ? (this.#texts.pop()?.text.length ?? 0) : 0
  }
}

class InternedText {
  readonly text: Buffer
  /** Decoded on the second sight; null when it cannot be shared. */
  value: JsonValue | undefined

  constructor(text: Buffer) {
    this.text = text
  }

  /** Equal bytes are a whole value, because the text is one. */
  isAt(bytes: Buffer, at: number): boolean {
    const { text } = this
    const { length } = text
    const end = at + length
    if (end > bytes.length || bytes[end - 1] !== text[length - 1]) return false
    const middle = length >> 1
    return bytes[at + middle] === text[middle] && bytes.compare(text, 0, length, at, end) === 0
  }
}

function finished(field: Field, text: Buffer, completePart: CompletePart): JsonValue {
  const { schema } = field
  const { plain, keys, depth } = scanJson(text)
  const parsed = plain && depth <= maxPartDepth ? parseOrNothing(text) : undefined
  if (parsed === undefined) return null
  const decoded = decodePart(parsed, schema, { empties: 'given', countsKeys: true })
  if (decoded === undefined || decoded.keys !== keys || decoded.hasWritings) return null
  const complete = completePart(field, decoded.value)
  if (complete === undefined) return null
  const kept = decodePart(complete, schema, { empties: 'given' })?.value
  const canonical = decodePart(complete, schema, {})?.value
  // An empty list is distinguished from none until it is stored; a part that is empty may not be stored at all.
  if (!isFilled(canonical) || !equalJson(kept, canonical)) return null
  return markInterned(canonical)
}

const maxPartDepth = 64

/** The text may come from a body that was refused: it was seen before that one was read. */
function parseOrNothing(text: Buffer): JsonValue | undefined {
  try {
    return JSON.parse(text.toString()) as JsonValue
  } catch {
    return undefined
  }
}

const isFilled = (value: JsonValue | undefined): value is JsonObject | JsonValue[] =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

interface InternedPart {
  /** The member that has it; empty when it is one itself. */
  readonly owner: string
  readonly name: string
  readonly value: JsonValue
  readonly start: number
  readonly end: number
}

/** Hooks into the scan of one body: skips interned parts, and adds the others. */
export class InterningScan implements ScanTrace {
  readonly #bytes: Buffer
  readonly #interner: PartInterner
  readonly #shared: InternedPart[] = []
  /** The member that is being read, and the places in it. */
  #owner = ''
  #places: Map<string, InternTable> | undefined
  /** What is being read, by level, and where it begins. */
  readonly #unknown: (InternTable | undefined)[] = [undefined, undefined, undefined]
  readonly #starts = [0, 0, 0]

  constructor(bytes: Buffer, interner: PartInterner) {
    this.#bytes = bytes
    this.#interner = interner
  }

  key(from: number, to: number, at: number, level: number): number {
    this.#unknown[level] = undefined
    if (level === 2 && this.#places === undefined) return at
    const name = this.#bytes.toString('latin1', from, to)
    if (level === 2) return this.#value(this.#places?.get(name), this.#owner, at, level)
    const member = this.#interner.member(name)
    this.#owner = name
    this.#places = member instanceof Map ? member : undefined
    return member instanceof Map ? at : this.#value(member, '', at, level)
  }

  #value(place: InternTable | undefined, owner: string, at: number, level: number): number {
    if (place === undefined) return at
    const bytes = this.#bytes
    let start = at
    while ((bytes[start] as number) <= blank) start++
    const known = place.find(bytes, start)
    if (known === undefined) {
      this.#unknown[level] = place
      this.#starts[level] = start
      return at
    }
    if (known.value == null) return at
    const end = start + known.text.length
    this.#shared.push({ owner, name: place.field.name, value: known.value, start, end })
    return end
  }

  closed(at: number, level: number): void {
    const place = this.#unknown[level]
    if (place === undefined) return
    this.#unknown[level] = undefined
    this.#interner.add(place, this.#bytes.subarray(this.#starts[level], at))
  }

  /** The body with a placeholder for every interned part. */
  text(): string {
    const bytes = this.#bytes
    let text = ''
    let from = 0
    for (const { start, end } of this.#shared) {
      text += `${bytes.toString('utf8', from, start)}0`
      from = end
    }
    return text + bytes.toString('utf8', from)
  }

  /** Puts the interned parts in place of the placeholders. Returns the baseline: an object that holds them alone. */
  fill(body: JsonObject): JsonObject {
    const baseline: JsonObject = {}
    for (const { owner, name, value } of this.#shared) {
      const target = owner === '' ? body : body[owner]
      if (!isJsonObject(target)) continue
      target[name] = value
      if (owner === '') baseline[name] = value
      else sharedOf(baseline, owner)[name] = value
    }
    return baseline
  }
}

const blank = 0x20

function sharedOf(baseline: JsonObject, owner: string): JsonObject {
  const known = baseline[owner]
  if (isJsonObject(known)) return known
  const made: JsonObject = {}
  baseline[owner] = made
  return made
}
