/**
 * Whether bytes are one well-formed item of CBOR, before anything is made of it: what is wrong with the bytes is reported before what is wrong
 * with the values.
 * Mirrors github.com/fxamacker/cbor: decoder.wellformed.
 */
import { cborTypeNames } from './cbor-type-names.ts'
import { DecodeError } from './decode-error.ts'

export interface CborLimits {
  /** Arrays, maps and tags inside one another. */
  readonly depth: number
  /** Items of an array, or pairs of a map. */
  readonly items: number
}

export const refusedItem = (major: number, why: string): DecodeError =>
  new DecodeError(`cbor: data item of cbor type ${cborTypeNames[major]} is not accepted by protocol: ${why}`)

const cutShort = (): DecodeError => new DecodeError('unexpected EOF')
const indefinite = 31
const maxLength = 2n ** 63n

/** An array, a map, or a string in pieces, that more belongs to. */
interface Holder {
  readonly major: number
  /** Of the items in it. */
  readonly depth: number
  /** Of items, or keys and values; infinite up to a break. */
  readonly count: number
  read: number
}

/** Checks as far as it is asked to, so that the same check serves those who give way in between. */
export class WellformedCheck {
  readonly #bytes: Buffer
  readonly #limits: CborLimits
  #at = 0
  /** Outermost first. */
  readonly #open: Holder[] = []
  /** Of the head that was read last. */
  #info = 0
  #argument: number | bigint = 0

  constructor(bytes: Buffer, limits: CborLimits) {
    if (bytes.length === 0) throw new DecodeError('EOF')
    this.#bytes = bytes
    this.#limits = limits
  }

  /** Passes so many items; whether that was all. Throws a `DecodeError`. */
  proceed(items: number): boolean {
    for (let i = 0; i < items; i++) {
      const holder = this.#open.at(-1)
      if (holder === undefined) this.#item(0)
      else if (holder.count === Number.POSITIVE_INFINITY && this.#atBreak()) this.#broken(holder)
      else if (holder.major <= 3) this.#piece(holder.major)
      else this.#item(holder.depth)
      if (this.#open.length > 0) continue
      const left = this.#bytes.length - this.#at
      if (left > 0) throw new DecodeError(`cbor: ${left} bytes of extraneous data starting at index ${this.#at}`)
      return true
    }
    return false
  }

  #item(outer: number): void {
    let depth = outer
    let major = this.#head()
    if (major === 6) {
      depth = this.#tags(depth)
      major = this.#head()
    }
    if (major === 4 || major === 5) this.#collection(major, this.#deeper(depth))
    else if ((major === 2 || major === 3) && this.#info === indefinite) {
      this.#open.push({ major, depth, count: Number.POSITIVE_INFINITY, read: 0 })
    } else {
      if (major === 2 || major === 3) this.#skip(major)
      this.#ended()
    }
  }

  #deeper(depth: number): number {
    const { depth: most } = this.#limits
    if (depth >= most) throw new DecodeError(`cbor: exceeded max nested level ${most}`)
    return depth + 1
  }

  /** Of a string, whose pieces are of its own type. */
  #piece(major: number): void {
    const next = this.#bytes[this.#at]!
    const [type, name] = [next >> 5, cborTypeNames[major]]
    if (type !== major) {
      throw new DecodeError(`cbor: wrong element type ${cborTypeNames[type]} for indefinite-length ${name}`)
    }
    if ((next & 31) === indefinite) {
      throw new DecodeError(`cbor: indefinite-length ${name} chunk is not definite-length`)
    }
    this.#head()
    this.#skip(major)
  }

  #skip(major: number): void {
    const length = this.#argument
    if (length >= maxLength) throw tooLong(major, length, 'causing integer overflow')
    if (length > this.#bytes.length - this.#at) throw cutShort()
    this.#at += Number(length)
  }

  #collection(major: 4 | 5, depth: number): void {
    if (this.#info === indefinite) {
      this.#open.push({ major, depth, count: Number.POSITIVE_INFINITY, read: 0 })
      return
    }
    const count = this.#argument
    if (count >= maxLength) throw tooLong(major, count, 'it would cause integer overflow')
    this.#checkCount(major, count)
    if (count === 0) this.#ended()
    else this.#open.push({ major, depth, count: Number(count) * perEntry(major), read: 0 })
  }

  #checkCount(major: number, count: number | bigint): void {
    const { items } = this.#limits
    if (count <= items) return
    const what = major === 4 ? 'elements' : 'key-value pairs'
    throw new DecodeError(`cbor: exceeded max number of ${what} ${items} for CBOR ${cborTypeNames[major]}`)
  }

  /** What a break ends. */
  #broken({ major, read }: Holder): void {
    if (read % perEntry(major) === 1) throw new DecodeError('cbor: unexpected "break" code')
    this.#open.pop()
    this.#ended()
  }

  /** Counts an item that is over, and those that are over with it. */
  #ended(): void {
    for (let holder = this.#open.at(-1); holder !== undefined; holder = this.#open.at(-1)) {
      const { major, count } = holder
      const read = ++holder.read
      if (count === Number.POSITIVE_INFINITY) {
        const each = perEntry(major)
        if (read % each === 0) this.#checkCount(major, read / each)
        return
      }
      if (read < count) return
      this.#open.pop()
    }
  }

  /** Tags may follow one another; the depth of what they stand before. */
  #tags(outer: number): number {
    let depth = outer
    for (;;) {
      const next = this.#bytes[this.#at]
      if (next === undefined) throw cutShort()
      if (this.#argument === 2 || this.#argument === 3) throw refusedItem(6, 'bignum')
      if (next >> 5 !== 6) return depth
      this.#head()
      depth = this.#deeper(depth)
    }
  }

  #atBreak(): boolean {
    const next = this.#bytes[this.#at]
    if (next === undefined) throw cutShort()
    if (next !== 0xff) return false
    this.#at++
    return true
  }

  /** The major type of the next item. */
  #head(): number {
    const first = this.#bytes[this.#at]
    if (first === undefined) throw cutShort()
    this.#at++
    const [major, info] = [first >> 5, first & 31]
    this.#info = info
    this.#argument = info
    if (info < 24) return major
    if (info < 28) this.#readArgument(major, 1 << (info - 24))
    else if (info !== indefinite || major < 2 || major === 6) {
      throw new DecodeError(`cbor: invalid additional information ${info} for type ${cborTypeNames[major]}`)
    } else if (major === 7) throw new DecodeError('cbor: unexpected "break" code')
    return major
  }

  #readArgument(major: number, size: number): void {
    const at = this.#at
    if (at + size > this.#bytes.length) throw cutShort()
    this.#at += size
    this.#argument = size < 8 ? this.#bytes.readUIntBE(at, size) : this.#bytes.readBigUInt64BE(at)
    if (major !== 7) return
    if (size > 1) checkFloat(floatAt(this.#bytes, at, size))
    else if (this.#argument < 32) {
      throw new DecodeError(`cbor: invalid simple value ${this.#argument} for type primitives`)
    }
  }
}

/** Items that a map has for each of its entries, or an array. */
const perEntry = (major: number): number => (major === 5 ? 2 : 1)

const tooLong = (major: number, length: number | bigint, why: string): DecodeError =>
  new DecodeError(`cbor: ${cborTypeNames[major]} length ${length} is too large, ${why}`)

function checkFloat(value: number): void {
  if (Number.isNaN(value)) throw refusedItem(7, 'floating-point NaN')
  if (!Number.isFinite(value)) throw refusedItem(7, 'floating-point infinity')
}

/** The floating-point number of so many bytes. */
export function floatAt(bytes: Buffer, at: number, size: number): number {
  if (size === 2) return halfFloat(bytes.readUInt16BE(at))
  return size === 4 ? bytes.readFloatBE(at) : bytes.readDoubleBE(at)
}

function halfFloat(bits: number): number {
  const exponent = (bits >> 10) & 31
  const fraction = bits & 0x3ff
  const sign = bits & 0x8000 ? -1 : 1
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (fraction + 1024) * 2 ** (exponent - 25)
}
