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

interface Head {
  readonly major: number
  /** The count, length, tag or value; -1 for an indefinite length. */
  readonly argument: number | bigint
  readonly info: number
}

export class CborReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** One data item. Throws a `DecodeError`. */
  value(form: TextForm = 'utf8'): JsonValue {
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
    if (info === 31) return { major, info, argument: -1 }
    const size = 1 << (info - 24)
    const at = this.#advance(size)
    if (major === 7 && size > 1) return { major, info, argument: floatAt(this.#bytes, at, size) }
    if (size < 8) return { major, info, argument: this.#bytes.readUIntBE(at, size) }
    const wide = this.#bytes.readBigUInt64BE(at)
    return { major, info, argument: wide <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(wide) : wide }
  }

  #byte(): number {
    return this.#bytes[this.#advance(1)] as number
  }

  /** Where the next `size` bytes begin; they count as read. */
  #advance(size: number): number {
    const at = this.#at
    this.#at = at + size
    return at
  }

  /** The bytes of a string, whose parts may follow one another up to a break. */
  #chunks({ argument }: Head): Buffer {
    if (argument !== -1) return this.#slice(Number(argument))
    const parts: Buffer[] = []
    while (!this.#atBreak()) parts.push(this.#slice(Number(this.#head().argument)))
    return Buffer.concat(parts)
  }

  #slice(size: number): Buffer {
    const at = this.#advance(size)
    return this.#bytes.subarray(at, at + size)
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
    if (tag === 0 || tag === 1) checkTimeTag(tag, this.#bytes[this.#at]!)
    const content = this.value(textForms.get(tag) ?? form)
    if (tag !== 1) return content
    const seconds = Math.floor(Number(content))
    if (Math.abs(seconds) > 8.64e12) {
      throw new DecodeError(`cbor: cannot unmarshal ${typeof content} into Go value of type time.Time`)
    }
    const fraction = (Number(content) - seconds).toFixed(9).replace(/0+$/, '').slice(1)
    return formatTime({ seconds, nanos: 0 }).replace('Z', `${fraction === '.' ? '' : fraction}Z`)
  }
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
  if (info <= 24) throw refusedItem(7, `simple value ${argument} is not recognized`)
  return Number(argument)
}
