/**
 * Text in double quotes as Go writes it (`%q`): what can be printed stands for itself. Long texts are gone over unit by
 * unit without making texts of the parts, so that megabytes take milliseconds.
 */

import { textOfUnits } from '../../lib/unit-writer.ts'
import { escapedByte } from '../byte-text.ts'

/** Characters of a text that a message quotes. */
export const maxQuotedText = 128 * 1024

/** Nearly all text is nothing else. */
const plain = /^[ !#-[\]-~]*$/

const quotation = 0x22
const backslash = 0x5c

/** How a character of ASCII is written: as it is (0), in hexadecimal digits (1), or as the letter behind a backslash. */
const escapes = new Uint8Array(0x80).fill(1, 0, 0x20).fill(1, 0x7f)
for (const [char, letter] of Object.entries({
  '"': '"',
  '\\': '\\',
  '\x07': 'a',
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
  '\v': 'v',
})) {
  escapes[char.charCodeAt(0)] = letter.charCodeAt(0)
}

/** Units of the longest escape, and the closing quotation mark. */
const maxEscape = 11

export function quote(text: string): string {
  if (plain.test(text)) return `"${text}"`
  let units = new Uint16Array(2 * text.length + 2 * maxEscape)
  let length = 0
  units[length++] = quotation
  for (let i = 0; i < text.length; i++) {
    if (length + maxEscape > units.length) units = grown(units)
    const unit = text.charCodeAt(i)
    const letter = unit < 0x80 ? escapes[unit]! : 1
    if (letter === 0) units[length++] = unit
    else if (letter > 1) {
      units[length++] = backslash
      units[length++] = letter
    } else {
      const code = text.codePointAt(i)!
      if (code > 0xffff) i++
      length = code > 0x7f && isPrintable(code) ? writeCharacter(units, length, code) : writeHex(units, length, code)
    }
  }
  units[length++] = quotation
  return textOfUnits(units.subarray(0, length))
}

function grown(units: Uint16Array): Uint16Array<ArrayBuffer> {
  const larger = new Uint16Array(2 * units.length)
  larger.set(units)
  return larger
}

/** Returns where it ends. */
function writeCharacter(units: Uint16Array, at: number, code: number): number {
  let end = at
  if (code > 0xffff) units[end++] = 0xd7c0 + (code >> 10)
  units[end++] = code > 0xffff ? 0xdc00 + (code & 0x3ff) : code
  return end
}

/** `\xff`, `\u200b`, `\U000e0001`. Returns where it ends. */
function writeHex(units: Uint16Array, at: number, code: number): number {
  const byte = code < 0x80 ? code : escapedByte(code)
  const digits = byte !== undefined ? 2 : code > 0xffff ? 8 : 4
  let end = at
  units[end++] = backslash
  units[end++] = digits === 2 ? 0x78 : digits === 4 ? 0x75 : 0x55
  for (let shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    const digit = ((byte ?? code) >> shift) & 0xf
    units[end++] = digit < 10 ? 0x30 + digit : 0x57 + digit
  }
  return end
}

const unknown = 0
const yes = 1
const no = 2
/** What has been found out about the characters of the basic plane. */
const known = new Uint8Array(0x10000)
let lastWide = { code: -1, answer: false }

export function isPrintable(code: number): boolean {
  if (code > 0xffff) {
    if (lastWide.code !== code) lastWide = { code, answer: matchesPrintable(code) }
    return lastWide.answer
  }
  if (known[code] === unknown) known[code] = matchesPrintable(code) ? yes : no
  return known[code] === yes
}

const matchesPrintable = (code: number): boolean => /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(String.fromCodePoint(code))
