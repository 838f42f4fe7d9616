/**
 * Writes ASN.1 values in DER, as much of it as certificates need. Every function returns a whole encoded value.
 *
 *   sequence(integer(5), utf8('x'))   →   30 06 02 01 05 0c 01 78
 */

export function sequence(...values: readonly Uint8Array[]): Buffer {
  return encode(0x30, Buffer.concat(values))
}

export function derSet(...values: readonly Uint8Array[]): Buffer {
  return encode(0x31, Buffer.concat(values))
}

export function derInteger(value: number | Uint8Array): Buffer {
  const bytes = typeof value === 'number' ? Buffer.from([value]) : Buffer.from(value)
  // A leading bit would make the number negative.
  return encode(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes)
}

export function derBoolean(value: boolean): Buffer {
  return encode(0x01, Buffer.of(value ? 0xff : 0))
}

export function utf8(text: string): Buffer {
  return encode(0x0c, Buffer.from(text))
}

export function octets(bytes: Uint8Array): Buffer {
  return encode(0x04, bytes)
}

/** Bits, of which the last `unused` ones do not count. */
export function bits(bytes: Uint8Array, unused = 0): Buffer {
  return encode(0x03, Buffer.concat([Buffer.of(unused), bytes]))
}

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return encode(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

/** Seconds count; years from 2050 on have four digits. */
export function derTime(milliseconds: number): Buffer {
  const digits = `${new Date(milliseconds).toISOString().slice(0, 19).replace(/\D/g, '')}Z`
  return Number(digits.slice(0, 4)) < 2050
    ? encode(0x17, Buffer.from(digits.slice(2)))
    : encode(0x18, Buffer.from(digits))
}

/** A context tag around a whole value. */
export function explicit(tag: number, value: Uint8Array): Buffer {
  return encode(0xa0 | tag, value)
}

/** A context tag in place of a primitive value's own. */
export function implicit(tag: number, contents: Uint8Array): Buffer {
  return encode(0x80 | tag, contents)
}

function encode(tag: number, contents: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(contents.length)]), contents])
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return [0x80 | bytes.length, ...bytes]
}

function base128(value: number): number[] {
  const bytes = [value % 128]
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest % 128) | 0x80)
  return bytes
}
