/** Why bytes are no YAML text: the first mistake in them, as libyaml's reader finds it. */
import { isUtf8 } from 'node:buffer'

// biome-ignore lint/suspicious/noControlCharactersInRegex: those that YAML does not allow
const unprintable = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/

/** The text, or what is wrong with it. */
export function yamlText(bytes: Buffer): { readonly text: string } | { readonly problem: string } {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return utf16Text(bytes.subarray(2))
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return utf16Text(swapped(bytes.subarray(2)))
  if (isUtf8(bytes)) {
    const text = bytes.toString('utf8')
    if (!unprintable.test(text)) return { text }
  }
  for (let at = 0; at < bytes.length; ) {
    const width = widthOf(bytes[at] as number)
    const problem = problemAt(bytes, at, width)
    if (problem !== undefined) return { problem }
    at += width
  }
  return { problem: 'control characters are not allowed' }
}

function problemAt(bytes: Buffer, at: number, width: number): string | undefined {
  if (width === 0) return 'invalid leading UTF-8 octet'
  if (at + width > bytes.length) return 'incomplete UTF-8 octet sequence'
  const char = bytes.subarray(at, at + width)
  if (char.subarray(1).some((octet) => (octet & 0xc0) !== 0x80)) return 'invalid trailing UTF-8 octet'
  let code = width === 1 ? (char[0] as number) : (char[0] as number) & (0xff >> (width + 1))
  for (const octet of char.subarray(1)) code = (code << 6) | (octet & 0x3f)
  if (width > 1 && code < (smallest[width] as number)) return 'invalid length of a UTF-8 sequence'
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return 'invalid Unicode character'
  return unprintable.test(char.toString('utf8')) ? 'control characters are not allowed' : undefined
}

/** The least that needs so many octets. */
const smallest: readonly number[] = [0, 0, 0x80, 0x800, 0x10000]

function widthOf(octet: number): number {
  if (octet < 0x80) return 1
  if ((octet & 0xe0) === 0xc0) return 2
  if ((octet & 0xf0) === 0xe0) return 3
  return (octet & 0xf8) === 0xf0 ? 4 : 0
}

const swapped = (bytes: Buffer): Buffer => {
  const whole = bytes.length - (bytes.length % 2)
  return Buffer.concat([Buffer.from(bytes.subarray(0, whole)).swap16(), bytes.subarray(whole)])
}

/** Behind a byte order mark, in little-endian order. */
function utf16Text(bytes: Buffer): { readonly text: string } | { readonly problem: string } {
  const text = bytes.toString('utf16le')
  const problem = firstUnitProblem(text) ?? (bytes.length % 2 === 0 ? undefined : 'incomplete UTF-16 character')
  return problem === undefined ? { text } : { problem }
}

function firstUnitProblem(text: string): string | undefined {
  if (!/\p{Surrogate}/u.test(text) && !unprintable.test(text)) return undefined
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (isLow(unit)) return 'unexpected low surrogate area'
    if (!isHigh(unit)) {
      if (unprintable.test(text[i]!)) return 'control characters are not allowed'
      continue
    }
    if (i + 1 === text.length) return 'incomplete UTF-16 surrogate pair'
    if (!isLow(text.charCodeAt(++i))) return 'expected low surrogate area'
  }
  return undefined
}

const isHigh = (unit: number): boolean => (unit & 0xfc00) === 0xd800
const isLow = (unit: number): boolean => (unit & 0xfc00) === 0xdc00
