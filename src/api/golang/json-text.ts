/** JSON text as Go writes it, for texts that are compared or read as text: annotations of audit events. */

import { UnitWriter } from '../../lib/unit-writer.ts'
import type { JsonValue } from '../json.ts'
import { jsonText } from '../json-text.ts'

const escapes: ReadonlyMap<string, string> = new Map([
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
])

/** Mirrors encoding/json: Marshal. */
export const goJson = (value: JsonValue): string => escapeHtml(jsonText(value))

/** Of JSON, in which these only ever occur inside strings. */
export function escapeHtml(text: string): string {
  if (!needsEscape(text)) return text
  return text.length > manyCharacters ? escapeByUnits(text) : text.replace(/[<>&\u2028\u2029]/g, escapeOf)
}

const escapeOf = (char: string): string => escapes.get(char) ?? char

/** One search after the other is many times faster than one for all. */
function needsEscape(text: string): boolean {
  return (
    text.includes('<') || text.includes('>') || text.includes('&') || text.includes('\u2028') || text.includes('\u2029')
  )
}

/** Each replacement is a text: a million of them would take most of a second. */
const manyCharacters = 16 * 1024

function escapeByUnits(text: string): string {
  const out = new UnitWriter(text.length + (text.length >> 2))
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 0x3c || unit === 0x3e || unit === 0x26 || unit === 0x2028 || unit === 0x2029) {
      out.writeText(escapeOf(text.charAt(i)))
    } else out.write(unit)
  }
  return out.toString()
}
