/**
 * Writes Protobuf from the last byte to the first, so that the length of a nested message is known when its prefix is
 * written and nothing is measured twice. Call the parts of a field in reverse: value, then tag.
 */
const initialSize = 16 * 1024

export class ReverseWriter {
  #bytes = Buffer.allocUnsafe(initialSize)
  /** The first written byte. */
  #start = initialSize

  /** How much is written so far; the difference of two readings is the length of what lies between. */
  get length(): number {
    return this.#bytes.length - this.#start
  }

  reset(): void {
    this.#start = this.#bytes.length
  }

  /** A copy of everything written. */
  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(this.#start))
  }

  byte(value: number): void {
    if (this.#start < 1) this.#grow(1)
    this.#bytes[--this.#start] = value
  }

  /** A varint of an integer from 0 to 2^31 - 1: tags, lengths and most values. */
  small(value: number): void {
    if (this.#start < 5) this.#grow(5)
    if (value < 0x80) {
      this.#bytes[--this.#start] = value
      return
    }
    const size = value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5
    let at = this.#start - size
    this.#start = at
    let rest = value
    while (rest > 0x7f) {
      this.#bytes[at++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.#bytes[at] = rest
  }

  /** A varint of a signed integer of up to 64 bits; negative ones take ten bytes. */
  integer(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0 && value <= 0x7fffffff) {
      this.small(value)
      return
    }
    const bytes: number[] = []
    let rest = BigInt.asUintN(64, BigInt(value))
    while (rest > 0x7fn) {
      bytes.push(Number(rest & 0x7fn) | 0x80)
      rest >>= 7n
    }
    bytes.push(Number(rest))
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#start)
  }

  double(value: number): void {
    this.#reserve(8)
    this.#bytes.writeDoubleLE(value, this.#start)
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#start)
  }

  /** The text with its length before it. */
  string(text: string): void {
    const size = text.length
    if (size < 48) {
      if (this.#start < size + 5) this.#grow(size + 5)
      const bytes = this.#bytes
      let at = this.#start
      let i = size
      for (; i > 0; i--) {
        const code = text.charCodeAt(i - 1)
        if (code > 0x7f) break
        bytes[--at] = code
      }
      if (i === 0) {
        this.#start = at
        this.small(size)
        return
      }
    }
    const byteLength = Buffer.byteLength(text)
    this.#reserve(byteLength)
    this.#bytes.write(text, this.#start, byteLength, 'utf8')
    this.small(byteLength)
  }

  /** The bytes with their length before them. */
  bytes(bytes: Uint8Array): void {
    this.raw(bytes)
    this.small(bytes.length)
  }

  #reserve(size: number): void {
    if (this.#start < size) this.#grow(size)
    this.#start -= size
  }

  #grow(size: number): void {
    const written = this.#bytes.subarray(this.#start)
    const bytes = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, written.length + size + initialSize))
    this.#start = bytes.length - written.length
    bytes.set(written, this.#start)
    this.#bytes = bytes
  }

  /** Whether it is worth keeping for the next message. */
  get isSmall(): boolean {
    return this.#bytes.length <= 1024 * 1024
  }
}
