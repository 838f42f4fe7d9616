/**
 * The values that expressions compute with.
 *
 * A CEL int is a JavaScript number while it is a safe integer and a bigint beyond (always the one of the two, so that
 * `===` compares ints); a double is boxed, because ints are what resources are made of. Errors are values too: `&&`,
 * `||` and folds decide what becomes of them.
 */
import type { GoNative } from '../api/golang/native.ts'
import type { Work } from './evaluation.ts'
import type { Type } from './types.ts'

export type Int = number | bigint

export type Value =
  | null
  | boolean
  | Int
  | string
  | CelError
  | Double
  | Uint
  | Bytes
  | Timestamp
  | Duration
  | TypeValue
  | Optional
  | List
  | MapValue
  | Opaque

/** What an expression failed with. */
export class CelError {
  readonly kind = 'error'
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

export class Double {
  readonly kind = 'double'
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

/** Unsigned, 64 bits. */
export class Uint {
  readonly kind = 'uint'
  readonly value: bigint
  constructor(value: bigint) {
    this.value = value
  }
}

export class Bytes {
  readonly kind = 'bytes'
  readonly data: Uint8Array
  constructor(data: Uint8Array) {
    this.data = data
  }
}

/** A point in time, with the offset from UTC that it was written with. */
export class Timestamp {
  readonly kind = 'timestamp'
  /** Since 1970, in UTC. */
  readonly seconds: number
  readonly nanos: number
  /** Seconds east of UTC. */
  readonly offset: number
  constructor(seconds: number, nanos: number, offset = 0) {
    this.seconds = seconds
    this.nanos = nanos
    this.offset = offset
  }
}

/** Nanoseconds, in 64 bits. */
export class Duration {
  readonly kind = 'duration'
  readonly nanos: bigint
  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

export class TypeValue {
  readonly kind = 'type'
  readonly type: Type
  constructor(type: Type) {
    this.type = type
  }
}

export class Optional {
  static readonly none = new Optional(undefined)
  readonly kind = 'optional'
  readonly value: Value | undefined
  constructor(value: Value | undefined) {
    this.value = value
  }
}

export interface List {
  readonly kind: 'list'
  readonly length: number
  /** The item at a valid index. */
  at(index: number): Value
  /** Lists with a topology of their own say what equals them; a boolean or an error. */
  equals?(other: List, work?: Work): Value
  /** Lists with a topology of their own say what adding to them means. */
  readonly concat?: ((other: List) => Value) | undefined
}

export interface MapValue {
  readonly kind: 'map'
  readonly size: number
  /** The value under a key; undefined where there is none; an error where the key or the value is malformed. */
  find(key: Value): Value | undefined
  keys(): readonly Value[]
  /** Maps with an equality of their own: a boolean or an error. */
  equals?(other: Value, work?: Work): Value
  /** The name of the type, where it is not `map`. */
  readonly typeName?: string
  /** Presence of a field, where it is more than being found. */
  isSet?(field: string): boolean | CelError
}

/** A value of a library: it has a type, an equality and sometimes a size. */
export interface Opaque {
  readonly kind: 'opaque'
  readonly type: Type
  equals(other: Value): Value
  readonly size?: number
  /** What cel-go's `Value()` gives. */
  native?(): GoNative
}

export const isError = (value: Value): value is CelError => value instanceof CelError
export const isInt = (value: Value): value is Int => typeof value === 'number' || typeof value === 'bigint'

export const noSuchOverload = (): CelError => new CelError('no such overload')
/** The error itself if the value is one, else `no such overload`. */
export const errorOr = (value: Value): CelError => (value instanceof CelError ? value : noSuchOverload())

export const INT_MIN = -(2n ** 63n)
export const INT_MAX = 2n ** 63n - 1n
export const UINT_MAX = 2n ** 64n - 1n

/** The one form of an integer that lies in 64 bits. */
export function toInt(value: bigint): Int {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value
}

/** A list made while evaluating. */
export class ArrayList implements List {
  readonly kind = 'list'
  readonly items: Value[]
  constructor(items: Value[]) {
    this.items = items
  }
  get length(): number {
    return this.items.length
  }
  at(index: number): Value {
    return this.items[index]!
  }
}

/** A list of texts that a function made: Go's `[]string`. */
export class StringList extends ArrayList {}

/** Two small lists in one. */
export class JoinedList extends ArrayList {}

/** Beyond this a full scan exceeds every cost budget. */
const MAX_CONCAT = 10_000_000

/** Two lists one behind the other: made in no time, laid out on first access. */
export class ConcatList implements List {
  readonly kind = 'list'
  readonly length: number
  #parts: [List, List] | undefined
  #flat: Value[] | undefined

  constructor(left: List, right: List) {
    this.#parts = [left, right]
    this.length = left.length + right.length
  }

  at(index: number): Value {
    this.#flat ??= this.#flatten()
    return this.#flat[index]!
  }

  #flatten(): Value[] {
    if (this.length > MAX_CONCAT) throw new CostLimitExceeded()
    const flat: Value[] = []
    const pending: List[] = [...this.#parts!].reverse()
    for (let list = pending.pop(); list; list = pending.pop()) {
      if (list instanceof ConcatList && list.#parts) pending.push(list.#parts[1], list.#parts[0])
      else for (let i = 0; i < list.length; i++) flat.push(list.at(i))
    }
    this.#parts = undefined
    return flat
  }
}

type PlainKey = string | number | bigint | boolean
const isPlain = (key: Value): key is PlainKey =>
  typeof key === 'string' || typeof key === 'number' || typeof key === 'bigint' || typeof key === 'boolean'

/** What stands for a key that is no plain one: keys of one type are equal by value, lists and maps are only equal to themselves. */
function oddKey(key: Value): string | object {
  if (key === null) return 'null'
  if (key instanceof Uint) return `uint ${key.value}`
  if (key instanceof Double) return `double ${key.value === 0 ? 0 : key.value}`
  if (key instanceof Timestamp) return `timestamp ${key.seconds} ${key.nanos} ${key.offset}`
  if (key instanceof Duration) return `duration ${key.nanos}`
  return key instanceof TypeValue ? `type ${key.type.name}` : (key as object)
}

/** The other numbers that a number finds as well: 1 and 1u find one another, 1.0 finds both. */
function alikeKeys(key: Value): readonly Value[] {
  if (typeof key === 'number' || typeof key === 'bigint') return key < 0 ? [] : [new Uint(BigInt(key))]
  if (key instanceof Uint) return [toInt(key.value)]
  if (!(key instanceof Double) || !Number.isInteger(key.value)) return []
  const whole = BigInt(key.value)
  return whole < 0n ? [toInt(whole)] : [toInt(whole), new Uint(whole)]
}

type MapEntry = readonly [key: Value, value: Value]

/** A map made while evaluating. Keys may be of any type but bytes. */
export class EntryMap implements MapValue {
  readonly kind = 'map'
  readonly #plain = new Map<PlainKey, MapEntry>()
  #odd: Map<string | object, MapEntry> | undefined

  get size(): number {
    return this.#plain.size + (this.#odd?.size ?? 0)
  }

  find(key: Value): Value | undefined {
    const exact = this.#get(key)
    if (exact !== undefined || typeof key === 'string' || typeof key === 'boolean') return exact
    for (const alike of alikeKeys(key)) {
      const found = this.#get(alike)
      if (found !== undefined) return found
    }
    return undefined
  }

  #get(key: Value): Value | undefined {
    return isPlain(key) ? this.#plain.get(key)?.[1] : this.#odd?.get(oddKey(key))?.[1]
  }

  keys(): readonly Value[] {
    const plain = Array.from(this.#plain.values(), ([key]) => key)
    return this.#odd === undefined ? plain : [...plain, ...Array.from(this.#odd.values(), ([key]) => key)]
  }

  /** False for a key that no map can have. Used only while the map is being made. */
  set(key: Value, value: Value): boolean {
    if (key instanceof Bytes) return false
    if (isPlain(key)) {
      this.#plain.set(key, [key, value])
      return true
    }
    this.#odd ??= new Map()
    this.#odd.set(oddKey(key), [key, value])
    return true
  }

  delete(key: Value): void {
    if (isPlain(key)) this.#plain.delete(key)
    else this.#odd?.delete(oddKey(key))
  }
}

/** Ends an evaluation; no operator absorbs it. */
export class CostLimitExceeded extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded')
  }
}

const SHORT = 32
const SURROGATE = /[\ud800-\udbff]/

/** The last long text whose code points were counted: loops ask for the same one again and again. */
let counted = { text: '', count: 0 }
const LONG = 10_000

/** The number of code points. */
export function codePointCount(text: string): number {
  // The engine knows at once that plain text has no surrogates.
  if (text.length > SHORT && !SURROGATE.test(text)) return text.length
  if (text.length < LONG) return countCodePoints(text)
  if (counted.text !== text) counted = { text, count: countCodePoints(text) }
  return counted.count
}

function countCodePoints(text: string): number {
  let count = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const next = text.charCodeAt(i + 1)
      if (next >= 0xdc00 && next <= 0xdfff) {
        count--
        i++
      }
    }
  }
  return count
}

/** What `size()` says, undefined for a value without a size. */
export function sizeOf(value: Value): number | undefined {
  if (typeof value === 'string') return codePointCount(value)
  if (typeof value !== 'object' || value === null) return undefined
  switch (value.kind) {
    case 'list':
      return value.length
    case 'map':
      return value.size
    case 'bytes':
      return value.data.length
    case 'opaque':
      return value.size
    default:
      return undefined
  }
}
