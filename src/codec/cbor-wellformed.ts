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

/** Throws a `DecodeError`. */
export function checkWellformed(bytes: Buffer, limits: CborLimits): void {
  if (bytes.length === 0) throw new DecodeError('EOF')
  const check = new Check(bytes, limits)
  check.item(0)
  const left = bytes.length - check.at
  if (left > 0) throw new DecodeError(`cbor: ${left} bytes of extraneous data starting at index ${check.at}`)
}

const cutShort = (): DecodeError => new DecodeError('unexpected EOF')
const indefinite = 31
const maxLength = 2n ** 63n

class Check {
  at = 0
  readonly #bytes: Buffer
  readonly #limits: CborLimits
  /** Of the head that was read last. */
  #info = 0
  #argument: number | bigint = 0

  constructor(bytes: Buffer, limits: CborLimits) {
    this.#bytes = bytes
    this.#limits = limits
  }

  item(depth: number): void {
    const major = this.#head()
    if (major === 2 || major === 3) this.#string(major)
    else if (major === 4 || major === 5) this.#collection(major, this.#deeper(depth))
    else if (major === 6) this.#tagged(depth)
  }

  #deeper(depth: number): number {
    const { depth: most } = this.#limits
    if (depth >= most) throw new DecodeError(`cbor: exceeded max nested level ${most}`)
    return depth + 1
  }

  #string(major: 2 | 3): void {
    if (this.#info === indefinite) this.#chunks(major)
    else this.#skip(major)
  }

  #chunks(major: 2 | 3): void {
    while (!this.#atBreak()) {
      const next = this.#bytes[this.at]!
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
  }

  #skip(major: 2 | 3): void {
    const length = this.#argument
    if (length >= maxLength) throw tooLong(major, length, 'causing integer overflow')
    if (length > this.#bytes.length - this.at) throw cutShort()
    this.at += Number(length)
  }

  #collection(major: 4 | 5, depth: number): void {
    const perEntry = major === 5 ? 2 : 1
    if (this.#info === indefinite) {
      let read = 0
      for (; !this.#atBreak(); read++) {
        this.item(depth)
        if ((read + 1) % perEntry === 0) this.#checkCount(major, (read + 1) / perEntry)
      }
      if (read % perEntry === 1) throw new DecodeError('cbor: unexpected "break" code')
      return
    }
    const count = this.#argument
    if (count >= maxLength) throw tooLong(major, count, 'it would cause integer overflow')
    this.#checkCount(major, count)
    const items = Number(count) * perEntry
    for (let i = 0; i < items; i++) this.item(depth)
  }

  #checkCount(major: 4 | 5, count: number | bigint): void {
    const { items } = this.#limits
    if (count <= items) return
    const what = major === 4 ? 'elements' : 'key-value pairs'
    throw new DecodeError(`cbor: exceeded max number of ${what} ${items} for CBOR ${cborTypeNames[major]}`)
  }

  /** Tags may follow one another. */
  #tagged(outer: number): void {
    let depth = outer
    for (;;) {
      const next = this.#bytes[this.at]
      if (next === undefined) throw cutShort()
      if (this.#argument === 2 || this.#argument === 3) throw refusedItem(6, 'bignum')
      if (next >> 5 !== 6) break
      this.#head()
      depth = this.#deeper(depth)
    }
    this.item(depth)
  }

  #atBreak(): boolean {
    const next = this.#bytes[this.at]
    if (next === undefined) throw cutShort()
    if (next !== 0xff) return false
    this.at++
    return true
  }

  /** The major type of the next item. */
  #head(): number {
    const first = this.#bytes[this.at]
    if (first === undefined) throw cutShort()
    this.at++
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
    const { at } = this
    if (at + size > this.#bytes.length) throw cutShort()
    this.at += size
    this.#argument = size < 8 ? this.#bytes.readUIntBE(at, size) : this.#bytes.readBigUInt64BE(at)
    if (major !== 7) return
    if (size > 1) checkFloat(floatAt(this.#bytes, at, size))
    else if (this.#argument < 32) {
      throw new DecodeError(`cbor: invalid simple value ${this.#argument} for type primitives`)
    }
  }
}

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
