/** How long the JSON of a value is, without writing it. */
import type { JsonValue } from './json.ts'

/** The bytes of the value's JSON as the reference writes it, where `<`, `>`, `&` and line separators are escaped. */
export function encodedLength(value: JsonValue): number {
  const pending: (JsonValue | undefined)[] = [value]
  let length = 0
  while (pending.length > 0) {
    const next = pending.pop()
    if (typeof next === 'string') {
      length += textLength(next)
    } else if (Array.isArray(next)) {
      length += Math.max(next.length, 1) + 1
      for (const item of next) pending.push(item)
    } else if (typeof next === 'object' && next !== null) {
      const keys = Object.keys(next).filter((key) => next[key] !== undefined)
      length += Math.max(keys.length, 1) + 1
      for (const key of keys) {
        length += textLength(key) + 1
        pending.push(next[key])
      }
    } else {
      length += String(next).length
    }
  }
  return length
}

function textLength(text: string): number {
  const escaped = text.match(/[<>&\u2028\u2029]/g)?.reduce((sum, char) => sum + (char < '\u0080' ? 5 : 3), 0) ?? 0
  return Buffer.byteLength(JSON.stringify(text)) + escaped
}
