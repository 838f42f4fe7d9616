/**
 * Reads Protobuf within bounds: every length is held against the end of the enclosing message, so that corrupt bytes
 * are a `DecodeError` and never a read beyond. Texts are those of the reference's generated code.
 */
import { DecodeError } from './decode-error.ts'

export type WireType = 0 | 1 | 2 | 5

/** Messages inside messages. Only schemas of custom resources nest without end. */
const maxDepth = 1000
const maxGroupDepth = 10_000

const cutShort = (): DecodeError => new DecodeError('unexpected EOF')
const overflow = (): DecodeError => new DecodeError('proto: integer overflow')
const negative = (): DecodeError => new DecodeError('proto: negative length found during unmarshaling')

const two63 = 2 ** 63

export class ProtobufReader {
  readonly #bytes: Buffer
  #at: number
  #end: number
  #depth = 0

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes
    this.#at = start
    this.#end = end
  }

  /** Where the next byte is. */
  get at(): number {
    return this.#at
  }

  /** Whether the length-delimited value that comes next is longer. */
  isLonger(bytes: number): boolean {
    const at = this.#at
    const length = this.varint()
    this.#at = at
    return length > bytes
  }

  get done(): boolean {
    return this.#at >= this.#end
  }

  /** A varint as a length or tag: exact to 2^53, which is far beyond any buffer. */
  varint(): number {
    const bytes = this.#bytes
    let value = 0
    let factor = 1
    for (let i = 0; i < 10; i++) {
      if (this.#at >= this.#end) throw cutShort()
      const byte = bytes[this.#at++] as number
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
      factor *= 128
    }
    throw overflow()
  }

  int32(): number {
    const bytes = this.#bytes
    let value = 0
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.#at >= this.#end) throw cutShort()
      const byte = bytes[this.#at++] as number
      if (shift < 32) value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw overflow()
  }

  int64(): number | bigint {
    const start = this.#at
    const value = this.varint()
    if (value <= Number.MAX_SAFE_INTEGER) return value
    let exact = 0n
    for (let at = this.#at - 1; at >= start; at--) exact = (exact << 7n) | BigInt((this.#bytes[at] as number) & 0x7f)
    const signed = BigInt.asIntN(64, exact)
    const short = Number(signed)
    return Number.isSafeInteger(short) ? short : signed
  }

  bool(): boolean {
    return this.varint() !== 0
  }

  double(): number {
    const at = this.#at
    if (at + 8 > this.#end) throw cutShort()
    this.#at = at + 8
    return this.#bytes.readDoubleLE(at)
  }

  string(): string {
    const end = this.#take()
    const start = this.#at
    this.#at = end
    if (end - start > 24) return this.#bytes.toString('utf8', start, end)
    const bytes = this.#bytes
    let text = ''
    for (let at = start; at < end; at++) {
      const byte = bytes[at] as number
      if (byte > 0x7f) return bytes.toString('utf8', start, end)
      text += String.fromCharCode(byte)
    }
    return text
  }

  /** A view of the bytes, not a copy. */
  bytes(): Buffer {
    const end = this.#take()
    const view = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return view
  }

  /** Enters a nested message; give the result to `leave`. */
  enter(): number {
    const end = this.#take()
    if (++this.#depth > maxDepth) throw new DecodeError('proto: exceeded max depth')
    const outer = this.#end
    this.#end = end
    return outer
  }

  leave(outer: number): void {
    this.#depth--
    this.#at = this.#end
    this.#end = outer
  }

  /** The end of the length-delimited value that starts after the length read here. */
  #take(): number {
    const length = this.varint()
    if (length >= two63) throw negative()
    const end = this.#at + length
    if (end > this.#end) throw cutShort()
    return end
  }

  skip(wire: number): void {
    let groups = 0
    for (let type = wire; ; type = this.varint() & 7) {
      if (type === 0) this.varint()
      else if (type === 1) this.#advance(8)
      else if (type === 2) this.#at = this.#take()
      else if (type === 3) groups++
      else if (type === 4) groups--
      else if (type === 5) this.#advance(4)
      else throw new DecodeError(`proto: illegal wireType ${type}`)
      if (groups < 0) throw new DecodeError('proto: unexpected end of group')
      if (groups > maxGroupDepth) throw new DecodeError('proto: exceeded max depth')
      if (groups === 0) return
    }
  }

  #advance(size: number): void {
    this.#at += size
    if (this.#at > this.#end) throw cutShort()
  }
}
