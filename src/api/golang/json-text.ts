/** JSON text as Go writes it, for texts that are compared or read as text: annotations of audit events. */

import type { JsonValue } from '../json.ts'
import { jsonText } from '../json-text.ts'

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** These only ever occur inside strings. Mirrors encoding/json: Marshal. */
export const goJson = (value: JsonValue): string =>
  jsonText(value).replace(/[<>&\u2028\u2029]/g, (found) => escapes[found] as string)
