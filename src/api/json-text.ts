/** The text of JSON, with integers beyond 2^53, which `JSON.stringify` refuses. */
import { isOmitted, type JsonValue } from './json.ts'

/** As `JSON.stringify`. */
export function jsonText(value: JsonValue, indent = 0): string {
  try {
    return JSON.stringify(value, undefined, indent)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return writeExact(value, ' '.repeat(indent), '')
  }
}

/** `step` is one level of indentation, `margin` all of them. */
function writeExact(value: JsonValue, step: string, margin: string): string {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = margin + step
  const colon = step === '' ? ':' : ': '
  const members = Array.isArray(value)
    ? value.map((item) => writeExact(item, step, inner))
    : Object.keys(value).flatMap((key) => {
        const item = value[key]
        return item === undefined || isOmitted(item)
          ? []
          : [`${JSON.stringify(key)}${colon}${writeExact(item, step, inner)}`]
      })
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  if (members.length === 0) return `${open}${close}`
  if (step === '') return `${open}${members.join(',')}${close}`
  return `${open}\n${inner}${members.join(`,\n${inner}`)}\n${margin}${close}`
}
