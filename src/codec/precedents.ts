/**
 * Bodies of one type that come one after the other are often alike: the pods of a workload, the events of a controller.
 * The text of a part that was there before is not read again: the object gets the very value that was made of it then,
 * which is canonical and complete. Whoever goes over the object needs to look no further than identity.
 *
 * A part is the value of a field of an object, or of one of its direct members but `metadata`. What is shared is frozen,
 * and a function of its text and place alone: a rule that looks from one part into another runs for every object.
 */
import type { JsonObject, JsonValue } from '../api/json.ts'
import { equalJson, isJsonObject } from '../api/json.ts'
import { makeStable } from '../api/stable-part.ts'
import { decodePart } from '../schema/decode.ts'
import type { Field, ObjectSchema } from '../schema/schema.ts'
import { type ScanTrace, scanJson } from './json-scan.ts'

/** What the rules of its type make of the value of a field, wherever it stands; undefined when that is not always the same. */
export type CompletePart = (field: Field, value: JsonValue) => JsonValue | undefined

/** Bodies from here on are not like others. */
const maxBodyBytes = 64 * 1024
/** How many bytes of texts are remembered of one type. */
const maxHeldBytes = 256 * 1024
/** How many texts are remembered of one place. */
const maxTexts = 4
/** What is shorter is read as fast as it is found. */
const minTextBytes = 24

export class Precedents {
  readonly schema: ObjectSchema
  readonly #complete: CompletePart
  #members = new Map<string, Place | Map<string, Place> | undefined>()
  #heldBytes = 0

  constructor(schema: ObjectSchema, complete: CompletePart) {
    this.schema = schema
    this.#complete = complete
  }

  /** Undefined for a body that is too large. */
  read(bytes: Buffer): PrecedentReading | undefined {
    return bytes.length > maxBodyBytes ? undefined : new PrecedentReading(bytes, this)
  }

  /** The place of a field, or those of its members; undefined for what is not shared. */
  member(name: string): Place | Map<string, Place> | undefined {
    if (this.#members.has(name)) return this.#members.get(name)
    const opened = this.#open(name)
    if (this.schema.fields.has(name)) this.#members.set(name, opened)
    return opened
  }

  #open(name: string): Place | Map<string, Place> | undefined {
    const field = this.schema.fields.get(name)
    if (field === undefined || name === 'metadata' || !holdsMore.has(field.schema.kind)) return undefined
    if (field.schema.kind !== 'object') return new Place(field, this.#complete)
    const places = new Map<string, Place>()
    for (const inner of field.schema.fields.values()) {
      if (holdsMore.has(inner.schema.kind)) places.set(inner.name, new Place(inner, this.#complete))
    }
    return places
  }

  /** Remembers the text of a part that was not there before. */
  learn(place: Place, text: Buffer): void {
    if (text.length < minTextBytes) return
    if (this.#heldBytes + text.length > maxHeldBytes) {
      this.#members = new Map()
      this.#heldBytes = 0
    } else this.#heldBytes += text.length - place.learn(Buffer.from(text))
  }
}

const holdsMore = new Set<string>(['object', 'map', 'list'])

/** A place of a type, and the texts that bodies had there, the last one first. */
class Place {
  readonly field: Field
  readonly #complete: CompletePart
  readonly #texts: KnownText[] = []

  constructor(field: Field, complete: CompletePart) {
    this.field = field
    this.#complete = complete
  }

  find(bytes: Buffer, at: number): KnownText | undefined {
    const texts = this.#texts
    for (let i = 0; i < texts.length; i++) {
      const known = texts[i] as KnownText
      if (!known.isAt(bytes, at)) continue
      for (let j = i; j > 0; j--) texts[j] = texts[j - 1] as KnownText
      texts[0] = known
      known.value ??= finished(this.field, known.text, this.#complete)
      return known
    }
    return undefined
  }

  /** Returns how many bytes are forgotten in its place. */
  learn(text: Buffer): number {
    this.#texts.unshift(new KnownText(text))
    return this.#texts.length > maxTexts ? (this.#texts.pop()?.text.length ?? 0) : 0
  }
}

class KnownText {
  readonly text: Buffer
  /** What is made of it, once it was there twice; null when it is not to be shared. */
  value: JsonValue | undefined

  constructor(text: Buffer) {
    this.text = text
  }

  /** It is a whole value, so that what it is equal to is one. */
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
  // An empty list is told from none until it is stored; a part that is empty may not be stored at all.
  if (!isFilled(canonical) || !equalJson(kept, canonical)) return null
  return makeStable(canonical)
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

interface SharedPart {
  /** The member that has it; empty when it is one itself. */
  readonly owner: string
  readonly name: string
  readonly value: JsonValue
  readonly start: number
  readonly end: number
}

/** Follows the scan of one body: skips the parts that are known and remembers the others. */
export class PrecedentReading implements ScanTrace {
  readonly #bytes: Buffer
  readonly #precedents: Precedents
  readonly #shared: SharedPart[] = []
  /** The member that is being read, and the places in it. */
  #owner = ''
  #places: Map<string, Place> | undefined
  /** What is being read, by level, and where it begins. */
  readonly #unknown: (Place | undefined)[] = [undefined, undefined, undefined]
  readonly #starts = [0, 0, 0]

  constructor(bytes: Buffer, precedents: Precedents) {
    this.#bytes = bytes
    this.#precedents = precedents
  }

  key(from: number, to: number, at: number, level: number): number {
    this.#unknown[level] = undefined
    if (level === 2 && this.#places === undefined) return at
    const name = this.#bytes.toString('latin1', from, to)
    if (level === 2) return this.#value(this.#places?.get(name), this.#owner, at, level)
    const member = this.#precedents.member(name)
    this.#owner = name
    this.#places = member instanceof Map ? member : undefined
    return member instanceof Map ? at : this.#value(member, '', at, level)
  }

  #value(place: Place | undefined, owner: string, at: number, level: number): number {
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
    this.#precedents.learn(place, this.#bytes.subarray(this.#starts[level], at))
  }

  /** The body with something short in place of what is known. */
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

  /** Puts what is known into what was parsed. Returns an object that has nothing else. */
  fill(body: JsonObject): JsonObject {
    const like: JsonObject = {}
    for (const { owner, name, value } of this.#shared) {
      const target = owner === '' ? body : body[owner]
      if (!isJsonObject(target)) continue
      target[name] = value
      if (owner === '') like[name] = value
      else sharedOf(like, owner)[name] = value
    }
    return like
  }
}

const blank = 0x20

function sharedOf(like: JsonObject, owner: string): JsonObject {
  const known = like[owner]
  if (isJsonObject(known)) return known
  const made: JsonObject = {}
  like[owner] = made
  return made
}
