/** Arithmetic in 64 bits, comparison across numeric types, and numbers as Go prints them. */
import type { Int } from './values.ts'
import { CelError, Double, INT_MAX, INT_MIN, toInt, UINT_MAX, Uint } from './values.ts'

const intOverflow = (): CelError => new CelError('integer overflow')
const uintOverflow = (): CelError => new CelError('unsigned integer overflow')
const divisionByZero = (): CelError => new CelError('division by zero')
const modulusByZero = (): CelError => new CelError('modulus by zero')

export type Arithmetic = '+' | '-' | '*' | '/' | '%'

/** The exact result as an int, or an overflow. */
export function checkedInt(value: bigint): Int | CelError {
  return value < INT_MIN || value > INT_MAX ? intOverflow() : toInt(value)
}

export function checkedUint(value: bigint): Uint | CelError {
  return value < 0n || value > UINT_MAX ? uintOverflow() : new Uint(value)
}

export function intArithmetic(operator: Arithmetic, a: Int, b: Int): Int | CelError {
  if (typeof a === 'number' && typeof b === 'number') {
    const fast = smallArithmetic(operator, a, b)
    if (fast !== undefined && Number.isSafeInteger(fast)) return fast === 0 ? 0 : fast
  }
  const x = BigInt(a)
  const y = BigInt(b)
  switch (operator) {
    case '+':
      return checkedInt(x + y)
    case '-':
      return checkedInt(x - y)
    case '*':
      return checkedInt(x * y)
    case '/':
      return y === 0n ? divisionByZero() : checkedInt(x / y)
    case '%':
      if (y === 0n) return modulusByZero()
      return x === INT_MIN && y === -1n ? intOverflow() : toInt(x % y)
  }
}

function smallArithmetic(operator: Arithmetic, a: number, b: number): number | undefined {
  switch (operator) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '/':
      return b === 0 ? undefined : Math.trunc(a / b)
    case '%':
      return b === 0 ? undefined : a % b
  }
}

export function uintArithmetic(operator: Arithmetic, a: bigint, b: bigint): Uint | CelError {
  switch (operator) {
    case '+':
      return checkedUint(a + b)
    case '-':
      return checkedUint(a - b)
    case '*':
      return checkedUint(a * b)
    case '/':
      return b === 0n ? divisionByZero() : new Uint(a / b)
    case '%':
      return b === 0n ? modulusByZero() : new Uint(a % b)
  }
}

export function doubleArithmetic(operator: Exclude<Arithmetic, '%'>, a: number, b: number): Double {
  switch (operator) {
    case '+':
      return new Double(a + b)
    case '-':
      return new Double(a - b)
    case '*':
      return new Double(a * b)
    case '/':
      return new Double(a / b)
  }
}

export type Numeric = Int | Uint | Double

export const isNumeric = (value: unknown): value is Numeric =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof Uint || value instanceof Double

/** -1, 0, 1, or undefined where one is not a number. */
export function compareNumbers(a: Numeric, b: Numeric): -1 | 0 | 1 | undefined {
  let x = plain(a)
  let y = plain(b)
  // Against a double the reference compares as doubles, but for what lies outside of the integers.
  if (typeof a === 'object' && a instanceof Double) y = Number(y)
  else if (typeof b === 'object' && b instanceof Double) x = Number(x)
  if (x < y) return -1
  if (x > y) return 1
  // JavaScript compares numbers and bigints by their exact values.
  // biome-ignore lint/suspicious/noDoubleEquals: number against bigint
  return x == y ? 0 : undefined
}

function plain(value: Numeric): number | bigint {
  return typeof value === 'object' ? value.value : value
}

export function doubleToInt(value: number): Int | CelError {
  // The bounds themselves are excluded: they are not exact in a double.
  if (Number.isNaN(value) || value <= -(2 ** 63) || value >= 2 ** 63) return intOverflow()
  return toInt(BigInt(Math.trunc(value)))
}

export function doubleToUint(value: number): Uint | CelError {
  if (Number.isNaN(value) || value < 0 || value >= 2 ** 64) return uintOverflow()
  return new Uint(BigInt(Math.trunc(value)))
}

const INTEGER = /^([+-]?)(\d+)$/
/** More digits than this fit no 64 bits; reading millions of them would take long. */
const MAX_DIGITS = 20

export function parseCelInt(text: string): Int | undefined {
  const match = INTEGER.exec(text)
  const digits = match?.[2]?.replace(/^0+/, '') ?? ''
  if (!match || digits.length > MAX_DIGITS) return undefined
  const magnitude = BigInt(digits || '0')
  const value = match[1] === '-' ? -magnitude : magnitude
  return value < INT_MIN || value > INT_MAX ? undefined : toInt(value)
}

export function parseUint64(text: string): Uint | undefined {
  if (!/^\d+$/.test(text)) return undefined
  const digits = text.replace(/^0+/, '')
  if (digits.length > MAX_DIGITS) return undefined
  const value = BigInt(digits || '0')
  return value > UINT_MAX ? undefined : new Uint(value)
}

const DECIMAL = /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/
const SPECIAL = /^([+-]?)(inf|infinity|nan)$/i

export function parseDouble(text: string): number | undefined {
  const special = SPECIAL.exec(text)
  if (special) {
    if (special[2]!.toLowerCase() === 'nan') return special[1] === '' ? Number.NaN : undefined
    return special[1] === '-' ? -Infinity : Infinity
  }
  if (!DECIMAL.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** As Go's %g prints a double with the fewest digits that identify it. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const size = Math.abs(value)
  if (size >= 1e-4 && size < 1e6) return String(value)
  const [mantissa, exponentText] = value.toExponential().split('e') as [string, string]
  const exponent = Number(exponentText)
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${twoDigits(exponent)}`
}

const twoDigits = (exponent: number): string => String(Math.abs(exponent)).padStart(2, '0')
