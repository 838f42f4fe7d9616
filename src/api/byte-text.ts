/**
 * Bytes as text without loss. The reference's strings are bytes; ours are UTF-16. Each byte that is no part of valid
 * UTF-8 becomes one lone surrogate, U+DC80 to U+DCFF (PEP 383, "surrogateescape"): two different byte sequences never
 * become the same text, no text of a stored object equals one, and `quote` prints it as Go does (`\xff`).
 */
import { isUtf8 } from 'node:buffer'

const escapeBase = 0xdc00

export function textOfBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  let text = ''
  let begin = 0
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at)
    if (length > 0) {
      at += length
      continue
    }
    text += bytes.toString('utf8', begin, at) + String.fromCharCode(escapeBase + bytes[at]!)
    begin = ++at
  }
  return text + bytes.toString('utf8', begin)
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
  const parts = [...text].map((char) => {
    const byte = escapedByte(char.charCodeAt(0))
    return char.length === 1 && byte !== undefined ? Buffer.of(byte) : Buffer.from(char, 'utf8')
  })
  return Buffer.concat(parts)
}

/** As JSON can hold it: what is no character is the replacement character, as the reference's encoder writes it. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')

/** How many bytes the valid sequence at an offset has; 0 when there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const length = lengthOf(bytes[at]!)
  return length > 0 && at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0
}

function lengthOf(lead: number): number {
  if (lead < 0x80) return 1
  if (lead < 0xc2) return 0
  if (lead < 0xe0) return 2
  if (lead < 0xf0) return 3
  return lead < 0xf5 ? 4 : 0
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

/** The first escape that is none, as Go tells of it: at most three characters. */
export function brokenEscape(text: string): string | undefined {
  const at = text.search(/%(?![0-9A-Fa-f]{2})/)
  return at < 0 ? undefined : text.slice(at, at + 3)
}

function unescapedBytes(text: string): Buffer {
  const source = Buffer.from(text, 'utf8')
  const out = Buffer.alloc(source.length)
  let length = 0
  for (let at = 0; at < source.length; at++) {
    const isEscape = source[at] === percent
    out[length++] = isEscape ? Number.parseInt(source.toString('latin1', at + 1, at + 3), 16) : source[at]!
    if (isEscape) at += 2
  }
  return out.subarray(0, length)
}

const percent = 0x25
