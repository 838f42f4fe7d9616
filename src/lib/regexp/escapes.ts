/** Escapes of single characters. */
import { MAX_RUNE } from './char-class.ts'
import { type PatternSource, RegexpSyntaxError } from './source.ts'

/** The character that an escape stands for. */
export function escapedRune(source: PatternSource): number {
  const begin = source.at++
  if (source.isAtEnd) throw new RegexpSyntaxError('trailing backslash at end of expression', '')
  const rune = source.rune()
  const value = escaped(source, rune)
  if (value === undefined) throw new RegexpSyntaxError('invalid escape sequence', source.since(begin))
  return value
}

function escaped(source: PatternSource, rune: number): number | undefined {
  const control = controls.get(rune)
  if (control !== undefined) return control
  if (isOctal(rune)) return octal(source, rune)
  if (rune === 0x78) return hexadecimal(source)
  return rune < 0x80 && !isAlphanumeric(rune) ? rune : undefined
}

/** Up to three digits; one alone that is not zero would be a reference to a group. */
function octal(source: PatternSource, first: number): number | undefined {
  if (first !== 0x30 && !isOctal(source.text.charCodeAt(source.at))) return undefined
  let value = first - 0x30
  for (let i = 1; i < 3 && isOctal(source.text.charCodeAt(source.at)); i++) {
    value = value * 8 + source.text.charCodeAt(source.at++) - 0x30
  }
  return value
}

function hexadecimal(source: PatternSource): number | undefined {
  if (source.isAtEnd) return undefined
  const first = source.rune()
  if (first === 0x7b) return braced(source)
  const second = source.isAtEnd ? 0 : source.rune()
  const [high, low] = [hexDigit(first), hexDigit(second)]
  return high < 0 || low < 0 ? undefined : high * 16 + low
}

function braced(source: PatternSource): number | undefined {
  let value = 0
  for (let digits = 0; !source.isAtEnd; digits++) {
    const rune = source.rune()
    if (rune === 0x7d) return digits === 0 ? undefined : value
    const digit = hexDigit(rune)
    value = value * 16 + digit
    if (digit < 0 || value > MAX_RUNE) return undefined
  }
  return undefined
}

/** `\a`, `\f`, `\n`, `\r`, `\t`, `\v`. */
const controls: ReadonlyMap<number, number> = new Map([
  [0x61, 0x07],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
  [0x76, 0x0b],
])

const isOctal = (rune: number): boolean => rune >= 0x30 && rune <= 0x37

const isAlphanumeric = (rune: number): boolean =>
  (rune >= 0x30 && rune <= 0x39) || (rune >= 0x41 && rune <= 0x5a) || (rune >= 0x61 && rune <= 0x7a)

function hexDigit(rune: number): number {
  if (rune >= 0x30 && rune <= 0x39) return rune - 0x30
  if (rune >= 0x41 && rune <= 0x46) return rune - 0x37
  return rune >= 0x61 && rune <= 0x66 ? rune - 0x57 : -1
}
