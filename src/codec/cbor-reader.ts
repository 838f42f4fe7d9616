/**
 * Well-formed CBOR to JSON values as the reference reads it: strict where CBOR is loose (duplicate keys, invalid text, numbers
 * that JSON does not have), and with byte strings taken for texts, since that is how texts are written.
 */
import { isUtf8 } from 'node:buffer'
import { quote } from '../api/field-error.ts'
import { type JsonObject, type JsonValue, setKey } from '../api/json.ts'
import { formatTime } from '../api/time.ts'
import { cborTypeNames } from './cbor-type-names.ts'
import { floatAt, refusedItem } from './cbor-wellformed.ts'
import { DecodeError } from './decode-error.ts'

const minInt64 = -(2n ** 63n)
const maxInt64 = 2n ** 63n - 1n

/** How the content of a byte string is written as text: tags 21 to 23. */
type TextForm = 'utf8' | 'base64url' | 'base64' | 'hex'
const textForms: ReadonlyMap<number, TextForm> = new Map([
  [21, 'base64url'],
  [22, 'base64'],
  [23, 'hex'],
])

/** An array, a map, or a string in pieces, that more belongs to. */
interface Holder {
  /** Its major type. */
  readonly major: number
  /** How many items, or pairs, are to come; infinite up to a break. */
  left: number
  /** Of the strings in it. */
  readonly form: TextForm
  readonly value: JsonValue[] | JsonObject | Pieces
  /** Of the pair whose value comes next. */
  key: string | undefined
  /** How many pairs there are already. */
  pairs: number
}

const indefinite = 31

/** Reads as far as it is asked to, so that the same reader serves those who give way in between. The bytes must be well-formed. */
export class CborReader {
  readonly #bytes: Buffer
  #at = 0
  /** Outermost first. */
  readonly #open: Holder[] = []
  /** Of the head that was read last: the count, length, tag or value is the argument. */
  #info = 0
  #argument: number | bigint = 0
  #result: JsonValue = null

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** What the bytes say, after all was read. */
  get result(): JsonValue {
    return this.#result
  }

  /** Reads so many items; whether that was all. Throws a `DecodeError`. */
  proceed(items: number): boolean {
    for (let i = 0; i < items; i++) {
      let value = this.#begin()
      while (value !== undefined) {
        const holder = this.#open.at(-1)
        if (holder === undefined) {
          this.#result = value
          return true
        }
        value = this.#put(holder, value)
      }
    }
    return false
  }

  /** A whole value, or undefined where a holder has more to come. */
  #begin(): JsonValue | undefined {
    const holder = this.#open.at(-1)
    if (holder === undefined) return this.#item('utf8')
    if (holder.value instanceof Pieces) return this.#piece(holder.value)
    if (holder.major === 5 && holder.key === undefined) return this.#key()
    return this.#item(holder.form)
  }

  /** Puts a finished value into its holder; gives the holder's own value back when that is finished, too. */
  #put(holder: Holder, value: JsonValue): JsonValue | undefined {
    const { value: held } = holder
    if (Array.isArray(held)) held.push(value)
    else if (holder.key !== undefined) {
      setKey(held as JsonObject, holder.key, value)
      holder.key = undefined
      holder.pairs++
    } else {
      const key = value as string
      if (Object.hasOwn(held, key)) {
        throw new DecodeError(`cbor: found duplicate map key ${quote(key)} at map element index ${holder.pairs}`)
      }
      holder.key = key
      return undefined
    }
    holder.left--
    return this.#closed(holder)
  }

  /** The value of the innermost holder, if nothing more belongs to it. */
  #closed({ left, value }: Holder): JsonValue | undefined {
    const hasMore = left === Number.POSITIVE_INFINITY ? !this.#atBreak() : left > 0
    if (hasMore) return undefined
    this.#open.pop()
    return value as JsonValue
  }

  #item(outer: TextForm): JsonValue | undefined {
    let form = outer
    let major = this.#head()
    for (; major === 6; major = this.#head()) {
      const tag = Number(this.#argument)
      if (tag === 0 || tag === 1) checkTimeTag(tag, this.#bytes[this.#at]!)
      form = textForms.get(tag) ?? form
      if (tag === 1) return timeOf(this.#item(form) as number | bigint)
    }
    switch (major) {
      case 0:
      case 1:
        return integer(major, this.#argument)
      case 2:
      case 3:
        return this.#string(major, form)
      case 4:
        return this.#opened(major, [], form)
      case 5:
        return this.#opened(major, {}, form)
      default:
        return simpleValue(this.#info, this.#argument)
    }
  }

  #key(): string | undefined {
    const major = this.#head()
    if (major === 2 || major === 3) return this.#string(major, 'utf8')
    throw new DecodeError(`cbor: cannot unmarshal ${cborTypeNames[major]} into Go value of type string`)
  }

  #opened(major: number, value: Holder['value'], form: TextForm): JsonValue | undefined {
    const left = this.#info === indefinite ? Number.POSITIVE_INFINITY : Number(this.#argument)
    const holder: Holder = { major, left, form, value, key: undefined, pairs: 0 }
    this.#open.push(holder)
    return this.#closed(holder)
  }

  #string(major: 2 | 3, form: TextForm): string | undefined {
    if (this.#info !== indefinite) return textOf(this.#slice(), major === 3, form)
    const pieces = new Pieces(major === 3, form)
    this.#open.push({ major, left: Number.POSITIVE_INFINITY, form, value: pieces, key: undefined, pairs: 0 })
    return undefined
  }

  /** The next piece of a string; the whole at its end. */
  #piece(pieces: Pieces): string | undefined {
    if (this.#atBreak()) {
      this.#open.pop()
      return pieces.text()
    }
    this.#head()
    pieces.add(this.#slice())
    return undefined
  }

  #slice(): Buffer {
    const size = Number(this.#argument)
    const at = this.#advance(size)
    return this.#bytes.subarray(at, at + size)
  }

  /** The major type of the next item. */
  #head(): number {
    const first = this.#bytes[this.#advance(1)] as number
    const [major, info] = [first >> 5, first & 31]
    this.#info = info
    this.#argument = info
    if (info < 24 || info === indefinite) return major
    const size = 1 << (info - 24)
    const at = this.#advance(size)
    if (major === 7 && size > 1) this.#argument = floatAt(this.#bytes, at, size)
    else if (size < 8) this.#argument = this.#bytes.readUIntBE(at, size)
    else {
      const wide = this.#bytes.readBigUInt64BE(at)
      this.#argument = wide <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(wide) : wide
    }
    return major
  }

  /** Where the next `size` bytes begin; they count as read. */
  #advance(size: number): number {
    const at = this.#at
    this.#at = at + size
    return at
  }

  #atBreak(): boolean {
    if (this.#bytes[this.#at] !== 0xff) return false
    this.#at++
    return true
  }
}

/** The pieces of a string, of which there may be as many as bytes: they are put together some at a time. */
class Pieces {
  readonly #isText: boolean
  readonly #form: TextForm
  readonly #folded: Buffer[] = []
  #latest: Buffer[] = []

  constructor(isText: boolean, form: TextForm) {
    this.#isText = isText
    this.#form = form
  }

  add(piece: Buffer): void {
    if (piece.length === 0) return
    this.#latest.push(piece)
    if (this.#latest.length === piecesPerFold) this.#fold()
  }

  #fold(): void {
    this.#folded.push(Buffer.concat(this.#latest))
    this.#latest = []
  }

  text(): string {
    this.#fold()
    return textOf(Buffer.concat(this.#folded), this.#isText, this.#form)
  }
}

const piecesPerFold = 1024

/** A text string is what it is; what stands for the bytes of a byte string depends on its tag. */
function textOf(bytes: Buffer, isText: boolean, form: TextForm): string {
  if (!isText) return bytes.toString(form)
  if (!isUtf8(bytes)) throw new DecodeError('cbor: invalid UTF-8 string')
  return bytes.toString('utf8')
}

function timeOf(content: number | bigint): string {
  const seconds = Math.floor(Number(content))
  if (Math.abs(seconds) > 8.64e12) {
    throw new DecodeError(`cbor: cannot unmarshal ${typeof content} into Go value of type time.Time`)
  }
  const fraction = (Number(content) - seconds).toFixed(9).replace(/0+$/, '').slice(1)
  return formatTime({ seconds, nanos: 0 }).replace('Z', `${fraction === '.' ? '' : fraction}Z`)
}

/** A time is a text, or a number of seconds. */
function checkTimeTag(tag: 0 | 1, head: number): void {
  const major = head >> 5
  const isNumber = major <= 1 || (head >= 0xf9 && head <= 0xfb)
  if (tag === 0 ? major === 3 : isNumber) return
  const wanted = tag === 0 ? 'text string' : 'integer or floating-point number'
  throw new DecodeError(`cbor: tag number ${tag} must be followed by ${wanted}, got ${cborTypeNames[major]}`)
}

function integer(major: 0 | 1, argument: number | bigint): number | bigint {
  if (typeof argument === 'number' && argument < Number.MAX_SAFE_INTEGER) return major === 0 ? argument : -1 - argument
  const exact = major === 0 ? BigInt(argument) : -1n - BigInt(argument)
  if (exact < minInt64 || exact > maxInt64) {
    throw new DecodeError(
      `cbor: cannot unmarshal ${cborTypeNames[major]} into Go value of type int64 (${exact} overflows Go's int64)`,
    )
  }
  const short = Number(exact)
  return Number.isSafeInteger(short) ? short : exact
}

function simpleValue(info: number, argument: number | bigint): JsonValue {
  if (info === 20 || info === 21) return info === 21
  if (info === 22) return null
  if (info <= 24) throw refusedItem(7, `simple value ${argument} is not recognized`)
  return Number(argument)
}
