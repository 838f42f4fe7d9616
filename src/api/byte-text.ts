/**
 * Bytes as text without loss. The reference's strings are bytes; ours are UTF-16. Each byte that is no part of valid
 * UTF-8 becomes one lone surrogate, U+DC80 to U+DCFF (PEP 383, "surrogateescape"): two different byte sequences never
 * become the same text, no text of a stored object equals one, and `quote` prints it as Go does (`\xff`).
 */
import { isUtf8 } from 'node:buffer'

const escapeBase = 0xdc00

export function textOfBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  const units = new Uint16Array(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; ) {
    const point = codePointAt(bytes, at)
    if (point === undefined) {
      units[length++] = escapeBase + bytes[at++]!
      continue
    }
    at += encodedLength(point)
    if (point > 0xffff) units[length++] = 0xd7c0 + (point >> 10)
    units[length++] = point > 0xffff ? escapeBase + (point & 0x3ff) : point
  }
  return Buffer.from(units.buffer, 0, 2 * length).toString('utf16le')
}

/** Node takes every octet of a header for a character; what is beyond ASCII in one is UTF-8. */
export const textOfHeader = (octets: string): string =>
  /[\u0080-\u00ff]/.test(octets) && !/[\u0100-\uffff]/.test(octets)
    ? textOfBytes(Buffer.from(octets, 'latin1'))
    : octets

/** The byte that a unit stands for; undefined for units of ordinary text. */
export const escapedByte = (unit: number): number | undefined =>
  unit >= 0xdc80 && unit <= 0xdcff ? unit - escapeBase : undefined

/** The inverse of `textOfBytes`. */
export function bytesOfText(text: string): Buffer {
  if (!/\p{Surrogate}/u.test(text)) return Buffer.from(text, 'utf8')
  const bytes = Buffer.from(text, 'utf8')
  // What is no character became a replacement character, which has three bytes.
  let [from, to] = [0, 0]
  for (let i = 0; i < text.length; i++) {
    const point = text.codePointAt(i) as number
    const length = encodedLength(point)
    const byte = escapedByte(point)
    if (byte !== undefined) bytes[to++] = byte
    else for (let j = 0; j < length; j++) bytes[to++] = bytes[from + j]!
    from += length
    if (point > 0xffff) i++
  }
  return bytes.subarray(0, to)
}

/** As JSON can hold it: what is no character is the replacement character, as the reference's encoder writes it. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')

/** The character whose sequence begins at an offset; undefined where none does. */
function codePointAt(bytes: Buffer, at: number): number | undefined {
  const lead = bytes[at]!
  if (lead < 0x80) return lead
  if (lead < 0xc2 || lead > 0xf4) return undefined
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
  if (at + length > bytes.length) return undefined
  let point = lead & (0x7f >> length)
  for (let i = 1; i < length; i++) {
    const next = bytes[at + i]!
    if ((next & 0xc0) !== 0x80) return undefined
    point = (point << 6) | (next & 0x3f)
  }
  // Written longer than need be, half of a pair, or beyond what there is.
  const isCharacter = encodedLength(point) === length && (point & 0x1ff800) !== 0xd800 && point <= 0x10ffff
  return isCharacter ? point : undefined
}

function encodedLength(point: number): number {
  if (point < 0x80) return 1
  if (point < 0x800) return 2
  return point < 0x10000 ? 3 : 4
}

/** Percent escapes become their bytes. Undefined when one is broken. */
export function unescapePercent(text: string): string | undefined {
  if (!text.includes('%')) return text
  if (brokenEscape(text) !== undefined) return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    // Whole escapes, which are not UTF-8.
    return textOfBytes(unescapedBytes(text))
  }
}

/** The first escape that is none, as Go tells of it: at most three bytes. */
export function brokenEscape(text: string): string | undefined {
  const at = text.search(/%(?![0-9A-Fa-f]{2})/)
  return at < 0 ? undefined : textOfBytes(bytesOfText(text.slice(at, at + 4)).subarray(0, 3))
}

function unescapedBytes(text: string): Buffer {
  const source = Buffer.from(text, 'utf8')
  let length = 0
  for (let at = 0; at < source.length; at++) {
    const isEscape = source[at] === percent
    source[length++] = isEscape ? 16 * digitOf(source[at + 1]!) + digitOf(source[at + 2]!) : source[at]!
    if (isEscape) at += 2
  }
  return source.subarray(0, length)
}

/** Of a hexadecimal digit, in either case. */
const digitOf = (character: number): number => (character & 0xf) + (character > 0x39 ? 9 : 0)

const percent = 0x25
