/**
 * Text in double quotes as Go writes it (`%q`): what can be printed stands for itself. Long texts are gone over unit by
 * unit without making texts of the parts, so that megabytes take milliseconds.
 */

import { UnitWriter } from '../../lib/unit-writer.ts'
import { escapedByte } from '../byte-text.ts'

/** Nearly all text is nothing else. */
const plain = /^[ !#-[\]-~]*$/

const shortEscapes = new Map(
  Object.entries({
    '"': '"',
    '\\': '\\',
    '\x07': 'a',
    '\b': 'b',
    '\f': 'f',
    '\n': 'n',
    '\r': 'r',
    '\t': 't',
    '\v': 'v',
  }).map(([char, letter]) => [char.charCodeAt(0), `\\${letter}`]),
)

export function quote(text: string): string {
  if (plain.test(text)) return `"${text}"`
  const out = new UnitWriter(text.length + 16)
  out.write(0x22)
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0x20 && unit < 0x7f && unit !== 0x22 && unit !== 0x5c) {
      out.write(unit)
      continue
    }
    const code = text.codePointAt(i)!
    if (code > 0x7f && isPrintable(code)) {
      out.write(unit)
      if (code > 0xffff) out.write(text.charCodeAt(++i))
    } else {
      out.writeText(escaped(code))
      if (code > 0xffff) i++
    }
  }
  out.write(0x22)
  return out.toString()
}

function escaped(code: number): string {
  const short = shortEscapes.get(code)
  if (short !== undefined) return short
  const hex = (escapedByte(code) ?? code).toString(16)
  if (code < 0x80 || escapedByte(code) !== undefined) return `\\x${hex.padStart(2, '0')}`
  return code > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`
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
