/**
 * CBOR to JSON values as the reference reads it: strict where CBOR is loose (duplicate keys, invalid text, numbers
 * that JSON does not have), and with byte strings taken for texts, since that is how texts are written.
 */
import { isUtf8 } from 'node:buffer'
import { quote } from '../api/field-error.ts'
import { type JsonObject, type JsonValue, setKey } from '../api/json.ts'
import { formatTime } from '../api/time.ts'
import { cborTypeNames } from './cbor-type-names.ts'
import { DecodeError } from './decode-error.ts'

/** Arrays, maps and tags inside one another. */
const maxDepth = 1000

const cutShort = (): DecodeError => new DecodeError('unexpected EOF')
const refused = (major: number, why: string): DecodeError =>
  new DecodeError(`cbor: data item of cbor type ${cborTypeNames[major]} is not accepted by protocol: ${why}`)

const minInt64 = -(2n ** 63n)
const maxInt64 = 2n ** 63n - 1n

/** How the content of a byte string is written as text: tags 21 to 23. */
type TextForm = 'utf8' | 'base64url' | 'base64' | 'hex'
const textForms: ReadonlyMap<number, TextForm> = new Map([
  [21, 'base64url'],
  [22, 'base64'],
  [23, 'hex'],
])

interface Head {
  readonly major: number
  /** The count, length, tag or value; -1 for an indefinite length. */
  readonly argument: number | bigint
  readonly info: number
}

export class CborReader {
  readonly #bytes: Buffer
  #at = 0
  #depth = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get position(): number {
    return this.#at
  }

  /** One data item. Throws a `DecodeError`. */
  value(form: TextForm = 'utf8'): JsonValue {
    if (++this.#depth > maxDepth) throw new DecodeError(`cbor: exceeded max nested level ${maxDepth}`)
    const value = this.#item(form)
    this.#depth--
    return value
  }

  #item(form: TextForm): JsonValue {
    const head = this.#head()
    switch (head.major) {
      case 0:
        return integer(0, head.argument)
      case 1:
        return integer(1, head.argument)
      case 2:
        return this.#chunks(head).toString(form)
      case 3:
        return this.#text(head)
      case 4:
        return this.#array(head, form)
      case 5:
        return this.#map(head, form)
      case 6:
        return this.#tagged(Number(head.argument), form)
      default:
        return simpleValue(head)
    }
  }

  #head(): Head {
    const first = this.#byte()
    const major = first >> 5
    const info = first & 31
    if (info < 24) return { major, info, argument: info }
    if (info < 28) return { major, info, argument: major === 7 ? this.#float(info) : this.#argument(info) }
    if (info === 31 && major >= 2 && major !== 6) return { major, info, argument: -1 }
    throw new DecodeError(`cbor: invalid additional information ${info} for type ${cborTypeNames[major]}`)
  }

  #argument(info: number): number | bigint {
    const size = 1 << (info - 24)
    const at = this.#advance(size)
    if (size < 8) return this.#bytes.readUIntBE(at, size)
    const value = this.#bytes.readBigUInt64BE(at)
    return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value
  }

  #float(info: number): number {
    const at = this.#advance(1 << (info - 24))
    if (info === 24) return this.#bytes[at] as number
    if (info === 25) return halfFloat(this.#bytes.readUInt16BE(at))
    return info === 26 ? this.#bytes.readFloatBE(at) : this.#bytes.readDoubleBE(at)
  }

  #byte(): number {
    return this.#bytes[this.#advance(1)] as number
  }

  /** Where the next `size` bytes begin; they count as read. */
  #advance(size: number): number {
    const at = this.#at
    if (at + size > this.#bytes.length) throw cutShort()
    this.#at = at + size
    return at
  }

  /** The bytes of a string, whose parts may follow one another up to a break. */
  #chunks({ major, argument }: Head): Buffer {
    if (argument !== -1) return this.#slice(argument)
    const parts: Buffer[] = []
    for (let part = this.#head(); !(part.major === 7 && part.info === 31); part = this.#head()) {
      if (part.major !== major || part.argument === -1) {
        throw new DecodeError(
          `cbor: wrong element type ${cborTypeNames[part.major]} for indefinite-length ${cborTypeNames[major]}`,
        )
      }
      parts.push(this.#slice(part.argument))
    }
    return Buffer.concat(parts)
  }

  #slice(size: number | bigint): Buffer {
    if (size > this.#bytes.length) throw cutShort()
    const at = this.#advance(Number(size))
    return this.#bytes.subarray(at, this.#at)
  }

  #text(head: Head): string {
    const bytes = this.#chunks(head)
    if (!isUtf8(bytes)) throw new DecodeError('cbor: invalid UTF-8 string')
    return bytes.toString('utf8')
  }

  #atBreak(): boolean {
    if (this.#bytes[this.#at] !== 0xff) return false
    this.#at++
    return true
  }

  /** Whether item number `i` of a collection is there. */
  #hasItem(i: number, { argument }: Head): boolean {
    return argument === -1 ? !this.#atBreak() : i < Number(argument)
  }

  #array(head: Head, form: TextForm): JsonValue[] {
    const items: JsonValue[] = []
    for (let i = 0; this.#hasItem(i, head); i++) items.push(this.value(form))
    return items
  }

  #map(head: Head, form: TextForm): JsonObject {
    const object: JsonObject = {}
    for (let i = 0; this.#hasItem(i, head); i++) {
      const key = this.#key()
      if (Object.hasOwn(object, key)) {
        throw new DecodeError(`cbor: found duplicate map key ${quote(key)} at map element index ${i}`)
      }
      setKey(object, key, this.value(form))
    }
    return object
  }

  #key(): string {
    const head = this.#head()
    if (head.major === 2) return this.#chunks(head).toString('utf8')
    if (head.major === 3) return this.#text(head)
    throw new DecodeError(`cbor: cannot unmarshal ${cborTypeNames[head.major]} into Go value of type string`)
  }

  #tagged(tag: number, form: TextForm): JsonValue {
    if (tag === 2 || tag === 3) throw refused(6, 'bignum')
    const content = this.value(textForms.get(tag) ?? form)
    if (tag === 0 && typeof content !== 'string') throw wrongTime(content)
    if (tag !== 1) return content
    if (typeof content !== 'number') throw wrongTime(content)
    const seconds = Math.floor(content)
    if (Math.abs(seconds) > 8.64e12) throw wrongTime(content)
    const fraction = (content - seconds).toFixed(9).replace(/0+$/, '').slice(1)
    return formatTime({ seconds, nanos: 0 }).replace('Z', `${fraction === '.' ? '' : fraction}Z`)
  }

  /** Throws a `DecodeError` when something follows what was read. */
  end(): void {
    const left = this.#bytes.length - this.#at
    if (left > 0) throw new DecodeError(`cbor: ${left} bytes of extraneous data starting at index ${this.#at}`)
  }
}

const wrongTime = (content: JsonValue): DecodeError =>
  new DecodeError(`cbor: cannot unmarshal ${typeof content} into Go value of type time.Time`)

function integer(major: 0 | 1, argument: number | bigint): number | bigint {
  const exact = major === 0 ? BigInt(argument) : -1n - BigInt(argument)
  if (exact < minInt64 || exact > maxInt64) {
    throw new DecodeError(
      `cbor: cannot unmarshal ${cborTypeNames[major]} into Go value of type int64 (${exact} overflows Go's int64)`,
    )
  }
  const short = Number(exact)
  return Number.isSafeInteger(short) ? short : exact
}

function simpleValue({ info, argument }: Head): JsonValue {
  if (info === 20 || info === 21) return info === 21
  if (info === 22) return null
  if (info === 31) throw new DecodeError('cbor: unexpected "break" code')
  if (info <= 24) throw refused(7, `simple value ${argument} is not recognized`)
  const value = Number(argument)
  if (Number.isNaN(value)) throw refused(7, 'floating-point NaN')
  if (!Number.isFinite(value)) throw refused(7, 'floating-point infinity')
  return value
}

function halfFloat(bits: number): number {
  const exponent = (bits >> 10) & 31
  const fraction = bits & 0x3ff
  const sign = bits & 0x8000 ? -1 : 1
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (fraction + 1024) * 2 ** (exponent - 25)
}
