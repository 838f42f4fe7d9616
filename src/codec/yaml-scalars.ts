/** What a YAML 1.1 scalar without quotes stands for, as the reference reads it. */
import type { JsonValue } from '../api/json.ts'
import { YamlError } from './yaml-token.ts'

const words: ReadonlyMap<string, boolean | null> = new Map([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
])

const notANumber = /^(\.nan|\.NaN|\.NAN)$/
const infinity = /^[-+]?(\.inf|\.Inf|\.INF)$/
const decimalFloat = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/
const integers = /^[-+]?(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|[1-9][0-9]*|0)$/
const timestamp =
  /^\d{4}-\d{1,2}-\d{1,2}([Tt]\d{1,2}:\d{1,2}:\d{1,2}(\.\d*)?(Z|[-+]\d\d:\d\d)| \d{1,2}:\d{1,2}:\d{1,2}(\.\d*)?)?$/

type Kind = 'str' | 'bool' | 'null' | 'int' | 'float' | 'timestamp'

/** The kind of a plain scalar. Strings that are not of kind `str` are quoted when they are written. */
export function kindOfPlain(text: string): Kind | 'merge' {
  if (text === '<<') return 'merge'
  const word = words.get(text)
  if (word !== undefined) return word === null ? 'null' : 'bool'
  if (notANumber.test(text) || infinity.test(text)) return 'float'
  if (text.startsWith('.')) return decimalFloat.test(text) ? 'float' : 'str'
  if (!/^[-+0-9]/.test(text)) return 'str'
  if (timestamp.test(text)) return 'timestamp'
  const plain = text.replaceAll('_', '')
  if (integers.test(plain) && isInteger64(plain)) return 'int'
  return decimalFloat.test(plain) && Number.isFinite(Number(plain)) ? 'float' : 'str'
}

/** Whether a whole number has room in Go's 64 bits, with or without a sign. */
function isInteger64(text: string): boolean {
  if (text.length < 19) return true
  const value = BigInt(parseInteger(text))
  return value >= -(2n ** 63n) && value < 2n ** 64n
}

/** Throws a `YamlError` for numbers that JSON does not have. */
export function resolvePlain(text: string): JsonValue {
  switch (kindOfPlain(text)) {
    case 'bool':
    case 'null':
      return words.get(text) ?? null
    case 'int':
      return parseInteger(text.replaceAll('_', ''))
    case 'float':
      return parseFloatText(text.replaceAll('_', ''))
    default:
      return text
  }
}

function parseInteger(text: string): number | bigint {
  const negative = text.startsWith('-')
  const digits = text.replace(/^[-+]/, '')
  const prefixed = /^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits
  const exact = negative ? -BigInt(prefixed) : BigInt(prefixed)
  const short = Number(exact)
  return Number.isSafeInteger(short) ? short : exact
}

/** Whole ones become integers: they are written so in the JSON that YAML is read through. */
function parseFloatText(text: string): number | bigint {
  if (notANumber.test(text)) throw new YamlError('json: unsupported value: NaN')
  if (infinity.test(text)) throw new YamlError(`json: unsupported value: ${text.startsWith('-') ? '-Inf' : '+Inf'}`)
  const value = Number(text)
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return Object.is(value, -0) ? 0 : value
  // Below 10^21 without an exponent, in the fewest digits, as in Go.
  const written = Math.abs(value) < 1e21 ? BigInt(String(value)) : undefined
  return written !== undefined && BigInt.asIntN(64, written) === written ? written : value
}

/** A scalar with a tag of the core schema. Throws a `YamlError` when the text is not of that type. */
export function resolveTagged(tag: string, text: string): JsonValue {
  if (tag === 'binary') return decodeBinary(text)
  if (!['bool', 'null', 'int', 'float', 'timestamp'].includes(tag)) return text
  const kind = kindOfPlain(text)
  if (kind === tag || (tag === 'float' && kind === 'int')) return resolvePlain(text)
  throw new YamlError(`yaml: cannot decode !!${kind} \`${text}\` as a !!${tag}`)
}

function decodeBinary(text: string): string {
  const compact = text.replace(/\s/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact) || compact.length % 4 !== 0) {
    throw new YamlError('yaml: !!binary value contains invalid base64 data')
  }
  return Buffer.from(compact, 'base64').toString('utf8')
}

/** What is no number in JSON is a key all the same. */
export function limitlessKey(text: string): string | undefined {
  if (notANumber.test(text)) return '.nan'
  return infinity.test(text) ? `${text.startsWith('-') ? '-' : ''}.inf` : undefined
}
