/**
 * One object as the cache holds it: its stored JSON text, which never contains a resourceVersion, and where in that
 * text the resourceVersion belongs. The version is the revision of the write, so it is spliced in on the way out: the
 * bytes are shared with the store, never copied per version.
 *
 * The text of a large object that was replaced is held as a delta from its successor (`lib/text-delta.ts`).
 *
 * What selectors ask for is kept beside the bytes; the parsed object is made on demand and kept only as long as it is
 * one of the recent ones.
 *
 * A stored value that cannot be decoded has an entry, too, whose text and object throw.
 */

import type { KubeObject, OwnerReference, StringMap } from '../api/object.ts'
import type { Steps } from '../lib/in-turns.ts'
import { checksMemos, deepFreeze } from '../lib/memo.ts'
import { slabBuffer } from '../lib/slab.ts'
import { TextDelta } from '../lib/text-delta.ts'
import type { ObjectHolder, RecentObjects } from './recent-objects.ts'

/** The text of an object without a resourceVersion, and the offset at which `"resourceVersion":"…",` goes in. */
export interface StoredText {
  readonly bytes: Buffer
  readonly splice: number
}

/** What a cache needs to know about the resource it holds. */
export interface EntryShape {
  /** The values that field selectors look at, in a fixed order. */
  fieldValues(object: KubeObject): readonly string[] | undefined
  parse(text: string): KubeObject
  /** The same of a large text. */
  parseInSteps?(text: Buffer): Steps<KubeObject>
  readonly recent: RecentObjects
  /** Whether the stored values of the entries are known to be just what would be written of their objects today. */
  readonly current: boolean
}

/** Why a stored value cannot be read, and the value itself: it is tried again. */
export interface Unreadable {
  readonly value: Uint8Array
  /** It could not be decrypted, or what was decrypted is no object. */
  readonly reason: 'transform' | 'decode'
  readonly why: string
  /** What reading the object throws. */
  readonly error: () => Error
  /** The object as it was when it could last be read, as far as the cache has seen it. */
  last?: CacheEntry
}

/** What garbage collection asks of an object: without it, thousands would have to be parsed when they come and go together. */
export interface ObjectLinks {
  readonly uid: string
  readonly owners: readonly OwnerReference[]
  readonly isDeleted: boolean
  readonly finalizers: readonly string[]
}

export interface EntryFacts extends StoredText {
  readonly key: string
  readonly namespace: string
  readonly name: string
  readonly labels: StringMap | undefined
  readonly fields: readonly string[] | undefined
  /** Present when it has owners, or is being deleted. */
  readonly links?: ObjectLinks | undefined
  readonly unreadable?: Unreadable | undefined
}

export class CacheEntry implements EntryFacts, ObjectHolder {
  readonly key: string
  readonly namespace: string
  readonly name: string
  /** How many bytes the text has. */
  readonly size: number
  readonly splice: number
  readonly revision: number
  readonly labels: StringMap | undefined
  readonly fields: readonly string[] | undefined
  readonly links: ObjectLinks | undefined
  readonly unreadable: Unreadable | undefined
  readonly #shape: EntryShape
  #object: KubeObject | undefined
  /** The large object that this one is, as of another revision: it is parsed there. */
  #original: CacheEntry | undefined
  #text: Buffer | Retired
  /** Where its text begins there: in a slab, those of others lie before it. */
  #from = 0
  /** Length of the chain of deltas that is based on this text. */
  #leaning = 0

  constructor(facts: EntryFacts, revision: number, shape: EntryShape) {
    this.key = facts.key
    this.namespace = facts.namespace
    this.name = facts.name
    const { bytes } = facts
    this.#text = bytes
    this.size = bytes.length
    this.splice = facts.splice
    this.labels = facts.labels
    this.fields = facts.fields
    this.links = facts.links
    this.unreadable = facts.unreadable
    this.revision = revision
    this.#shape = shape
    this.#object = undefined
    this.#original = undefined
  }

  /** The same object as of another revision: what a deletion event shows. */
  at(revision: number): CacheEntry {
    if (revision === this.revision) return this
    const entry = new CacheEntry(this, revision, this.#shape)
    // To parse a large text once more would take long, and who looks at the one mostly looks at the other, too.
    if (this.size > largeText) entry.#original = this.#original ?? this
    return entry
  }

  /** Whether its stored value is known to equal what would be written today; unknown where encryption may have changed. */
  get isCurrent(): boolean {
    return this.#shape.current
  }

  get bytes(): Buffer {
    const text = this.#text
    if (!Buffer.isBuffer(text)) return text.rest.restore(text.by.bytes)
    return text.length === this.size ? text : text.subarray(this.#from, this.#from + this.size)
  }

  /** Whether its text has a Buffer of its own. */
  get isUnpacked(): boolean {
    return Buffer.isBuffer(this.#text) && this.#text.length === this.size && this.size > 0
  }

  /** Copies its text to this place of a slab that it shares with others from now on. Returns the offset after it. */
  pack(slab: Buffer, at: number): number {
    const { bytes } = this
    this.#text = slab
    this.#from = at
    return at + bytes.copy(slab, at)
  }

  /** It was replaced: its text becomes a delta from its successor's, unless the chain of deltas is at its bound. */
  retire(by: CacheEntry): void {
    if (!Buffer.isBuffer(this.#text) || this.#leaning >= longestChain) return
    const rest = TextDelta.of(this.bytes, by.bytes)
    if (rest === undefined) return
    this.#text = { rest, by }
    by.#leaning = this.#leaning + 1
  }

  /** It is the present state again. */
  revive(): void {
    if (Buffer.isBuffer(this.#text)) return
    this.#text = this.bytes
    this.#from = 0
  }

  /** The length of `json()`, known without making it. */
  get jsonLength(): number {
    return this.size + versionMember.length + digitsOf(this.revision) + 2
  }

  /** The whole object as JSON text. */
  json(): Buffer {
    const out = Buffer.allocUnsafe(this.jsonLength)
    this.writeJson(out, 0)
    return out
  }

  /** The text with a newline: a whole answer, to be sent and not kept. */
  jsonLine(): Buffer {
    const out = slabBuffer(this.jsonLength + 1)
    out[this.writeJson(out, 0)] = newline
    return out
  }

  /** Writes the JSON text into a buffer and returns the offset after it. */
  writeJson(target: Buffer, offset: number): number {
    return this.writeJsonFrom(0, target, offset)
  }

  /** As `writeJson`, leaving out the first bytes of the text. */
  writeJsonFrom(skip: number, target: Buffer, offset: number): number {
    if (this.unreadable !== undefined) throw this.unreadable.error()
    const isWhole = Buffer.isBuffer(this.#text)
    const source = isWhole ? (this.#text as Buffer) : this.bytes
    const from = isWhole ? this.#from : 0
    const splice = from + this.splice
    const end = from + this.size
    const start = offset + source.copy(target, offset, from + skip, splice)
    // Where the version is the last member, the comma belongs before it.
    const isLast = source[splice] === closingBrace
    if (isLast) target[start] = comma
    const at = writeVersion(this.revision, target, isLast ? start + 1 : start)
    if (isLast) return at + source.copy(target, at, splice, end)
    target[at] = comma
    return at + 1 + source.copy(target, at + 1, splice, end)
  }

  /** The parsed object. It is shared, and immutable. */
  object(): KubeObject {
    if (this.#object !== undefined) return this.#object
    if (this.#original !== undefined) return this.#asOfNow(this.#original.object())
    const object = this.#shape.parse(this.json().toString('utf8'))
    this.keep(object)
    return object
  }

  /** As `object`, of an object that may be large. */
  *objectInSteps(): Steps<KubeObject> {
    if (this.#original !== undefined) return this.#asOfNow(yield* this.#original.objectInSteps())
    if (this.#object === undefined && this.size > largeText && this.#shape.parseInSteps !== undefined) {
      this.keep(yield* this.#shape.parseInSteps(this.json()))
    }
    return this.object()
  }

  /** The parsed object, if it is cached. */
  get parsed(): KubeObject | undefined {
    const known = this.#original?.parsed
    return known === undefined ? this.#object : this.#asOfNow(known)
  }

  #asOfNow(object: KubeObject): KubeObject {
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.revision) } }
  }

  /** The parsed object without caching it, for a reader that will not come back soon. Immutable. */
  peek(): KubeObject {
    if (this.#original !== undefined) return this.#asOfNow(this.#original.peek())
    return this.#object ?? this.draft()
  }

  /** As `peek`, of an object that may be large. */
  *peekInSteps(): Steps<KubeObject> {
    if (this.#original !== undefined) return this.#asOfNow(yield* this.#original.peekInSteps())
    if (this.#object !== undefined || this.size <= largeText || this.#shape.parseInSteps === undefined)
      return this.peek()
    return yield* this.#shape.parseInSteps(this.json())
  }

  /** Caches a parsed object, which is immutable from now on. */
  keep(object: KubeObject): void {
    if (checksMemos) deepFreeze(object)
    this.#object = object
    this.#shape.recent.add(this)
  }

  forget(): void {
    this.#object = undefined
  }

  /** A parsed object that the caller may change. */
  draft(): KubeObject {
    return this.#shape.parse(this.json().toString('utf8'))
  }
}

/** Texts that are parsed in steps. */
const largeText = 64 * 1024

interface Retired {
  readonly rest: TextDelta
  readonly by: CacheEntry
}

const longestChain = 8

/** The entry, or for one that cannot be read the last that could. */
export const lastReadable = (entry: CacheEntry | undefined): CacheEntry | undefined =>
  entry?.unreadable === undefined ? entry : entry.unreadable.last

const versionMember = Buffer.from('"resourceVersion":"', 'latin1')
const newline = 0x0a
const quote = 0x22
const comma = 0x2c
const closingBrace = 0x7d
const zero = 0x30

function digitsOf(revision: number): number {
  let digits = 1
  for (let bound = 10; bound <= revision; bound *= 10) digits++
  return digits
}

/** Byte by byte: for so few of them that is faster than any call. */
function writeVersion(revision: number, target: Buffer, offset: number): number {
  let at = offset
  for (let i = 0; i < versionMember.length; i++) target[at++] = versionMember[i] as number
  const end = at + digitsOf(revision)
  let rest = revision
  for (let i = end - 1; i >= at; i--) {
    const next = Math.floor(rest / 10)
    target[i] = zero + (rest - next * 10)
    rest = next
  }
  target[end] = quote
  return end + 1
}
