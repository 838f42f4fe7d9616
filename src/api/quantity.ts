/**
 * Amounts such as `100m`, `1.5Gi` and `12e6`: an exact decimal number that remembers which family of suffixes it was
 * written with. A quantity is immutable. It is `mantissa × 10^scale`; the mantissa is a `number` while that is exact
 * and a `bigint` beyond. Digits below nano are rounded away from zero.
 */
import {
  addMantissas,
  compareMantissas,
  compareScaled,
  fitsInt64,
  inInt64,
  type Mantissa,
  multiplyMantissas,
  narrowMantissa,
  scaleDown,
  scaleUp,
  signOf,
  wrappingScales,
} from './mantissa.ts'
export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent'

/** A text that is no quantity; the message is the reference's. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError'
}

const formatWrong = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const numberWrong = 'unable to parse numeric part of quantity'
const suffixWrong = "unable to parse quantity's suffix"

const nano = -9
const milli = -3
const maxInt64 = 2n ** 63n - 1n
/** As many decimal digits fit a signed 64-bit integer whatever they are. */
const int64Digits = 18
/** Amounts further apart than this many digits do not see one another in a sum. */
const sumReach = 4096

interface Suffix {
  readonly base: 2 | 10
  readonly exponent: number
  readonly format: QuantityFormat
}

const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']

const suffixes: ReadonlyMap<string, Suffix> = new Map([
  ...binarySuffixes.map((text, i): [string, Suffix] => [text, { base: 2, exponent: 10 * i, format: 'BinarySI' }]),
  ...decimalSuffixes.map((text, i): [string, Suffix] => [
    text,
    { base: 10, exponent: 3 * (i - 3), format: 'DecimalSI' },
  ]),
])

interface QuantityParts {
  readonly mantissa: Mantissa
  readonly scale: number
  readonly format: QuantityFormat
  /** The reference holds it as an unbounded decimal, which it never calls an integer. */
  readonly wide?: boolean
  readonly text?: string | undefined
}

export class Quantity {
  readonly format: QuantityFormat
  readonly #mantissa: Mantissa
  readonly #scale: number
  readonly #wide: boolean
  #text: string | undefined

  private constructor({ mantissa, scale, format, wide, text }: QuantityParts) {
    this.format = format
    this.#mantissa = narrowMantissa(mantissa)
    this.#scale = scale
    this.#wide = wide ?? false
    this.#text = text
  }

  /** Throws a `QuantityError`. */
  static parse(text: string): Quantity {
    const parts = parseParts(text)
    if (typeof parts === 'string') throw new QuantityError(parts)
    return new Quantity(parts)
  }

  /**
   * Of a JSON string. The reference reads these from the text of the document: white space around the amount is left out
   * where JSON lets it stand as it is, and whatever is escaped there is no part of an amount.
   */
  static parseJson(value: string): Quantity {
    return Quantity.parse(withoutSpace(value))
  }

  /** What is wrong with a JSON string, as `parseJson` reads it. */
  static checkJson(value: string): string | undefined {
    return Quantity.check(withoutSpace(value))
  }

  /** What is wrong with the text, or undefined when it is a quantity. */
  static check(text: string): string | undefined {
    const parts = parseParts(text)
    return typeof parts === 'string' ? parts : undefined
  }

  static of(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity({ mantissa: value, scale: 0, format })
  }

  static ofMilli(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity({ mantissa: value, scale: milli, format })
  }

  static readonly zero: Quantity = Quantity.of(0)

  sign(): -1 | 0 | 1 {
    return signOf(this.#mantissa)
  }

  isZero(): boolean {
    return this.sign() === 0
  }

  compare(other: Quantity): -1 | 0 | 1 {
    if (this.#scale === other.#scale) return compareMantissas(this.#mantissa, other.#mantissa)
    return compareScaled(this.#mantissa, this.#scale, other.#mantissa, other.#scale)
  }

  equals(other: Quantity): boolean {
    return this.compare(other) === 0
  }

  /** Zero takes the format of what is added to it. */
  add(other: Quantity): Quantity {
    const format = this.isZero() ? other.format : this.format
    const bothNarrow = !this.#wide && !other.#wide
    if (bothNarrow && other.isZero()) return new Quantity({ ...this.#parts(), format })
    if (bothNarrow && this.isZero()) return new Quantity({ ...other.#parts(), format })
    const apart = this.#scale - other.#scale
    const coarser = apart > 0 ? this : other
    if (Math.abs(apart) > sumReach && !coarser.isZero())
      return new Quantity({ ...coarser.#parts(), format, wide: true })
    const scale = Math.min(this.#scale, other.#scale)
    const a = scaleUp(this.#mantissa, this.#scale - scale)
    const b = scaleUp(other.#mantissa, other.#scale - scale)
    const mantissa = addMantissas(a, b)
    const wide = !bothNarrow || !fitsInt64(a) || !fitsInt64(b) || !fitsInt64(mantissa)
    return new Quantity({ mantissa, scale, format, wide })
  }

  sub(other: Quantity): Quantity {
    return this.add(other.neg())
  }

  neg(): Quantity {
    return new Quantity({ ...this.#parts(), mantissa: -this.#mantissa })
  }

  /** Multiplies by an integer. */
  mul(factor: number | bigint): Quantity {
    const mantissa = multiplyMantissas(this.#mantissa, factor)
    return new Quantity({ ...this.#parts(), mantissa, wide: this.#wide || !fitsInt64(mantissa) })
  }

  /** The least quantity of that power of ten that is not nearer to zero; the same object if it has no finer digits. */
  roundUp(scale: number = milli): Quantity {
    if (this.#scale >= scale) return this
    return new Quantity({ ...this.#parts(), mantissa: scaleDown(this.#mantissa, scale - this.#scale), scale })
  }

  /** The reference's notion: held as a 64-bit integer without a decimal exponent below one. */
  isInteger(): boolean {
    return this.asInteger() !== undefined
  }

  /** The exact value where `isInteger` holds. */
  asInteger(): bigint | undefined {
    if (this.#wide || this.#scale < 0) return undefined
    if (this.isZero()) return 0n
    if (this.#scale > int64Digits) return undefined
    const value = BigInt(scaleUp(this.#mantissa, this.#scale))
    return fitsInt64(value) ? value : undefined
  }

  /** Whole units, rounded away from zero; beyond 2^53 the nearest double. */
  value(): number {
    return this.scaledValue(0)
  }

  /** Thousandths, rounded away from zero; beyond 2^53 the nearest double. */
  milliValue(): number {
    return this.scaledValue(milli)
  }

  scaledValue(scale: number): number {
    return Number(this.#scaled(scale))
  }

  /** Mirrors `MilliValue() % 1000`. */
  isWhole(): boolean {
    const value = this.#scaled(milli)
    return typeof value === 'number' ? value % 1000 === 0 : value % 1000n === 0n
  }

  isMultiple(of: Mantissa): boolean {
    const value = this.#scaled(0)
    if (typeof value === 'number' && typeof of === 'number') return value % of === 0
    return BigInt(value) % BigInt(of) === 0n
  }

  /**
   * In the reference's 64 bits, where what is too large for them wraps around, or comes out as nothing. Mirrors
   * apimachinery/pkg/api/resource: positiveScaleInt64 and scaledValue.
   */
  #scaled(scale: number): Mantissa {
    const apart = this.#scale - scale
    if (apart <= 0) return inInt64(scaleDown(this.#mantissa, -apart))
    if (this.isZero()) return 0
    if (!this.#wide && !wrappingScales.has(apart)) {
      const scaled = apart > int64Digits ? undefined : scaleUp(this.#mantissa, apart)
      return scaled !== undefined && fitsInt64(scaled) ? scaled : 0
    }
    if (apart > int64Digits) return 0
    return inInt64(scaleUp(this.#mantissa, apart))
  }

  asApproximateFloat(): number {
    const base = Number(this.#mantissa)
    return this.#scale === 0 ? base : base * Number(`1e${this.#scale}`)
  }

  /** The text as it goes over the wire: as it was written if that was canonical, else made canonical. */
  toString(): string {
    this.#text ??= this.#canonical()
    return this.#text
  }

  toJSON(): string {
    return this.toString()
  }

  /** All of its digits, without a suffix, and so many decimals; by default as many as it is held with. Mirrors inf.Dec: String. */
  toFixed(places: number = Math.max(-this.#scale, 0)): string {
    if (this.#scale > maxDigits) return this.toString()
    const { mantissa, scale } = this.roundUp(-places).#parts()
    const digits = String(scaleUp(BigInt(mantissa), scale + places))
      .replace('-', '')
      .padStart(places + 1, '0')
    const text = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
    return this.sign() < 0 ? `-${text}` : text
  }

  #parts(): QuantityParts {
    return { mantissa: this.#mantissa, scale: this.#scale, format: this.format, wide: this.#wide }
  }

  #canonical(): string {
    if (this.isZero()) return '0'
    if (this.format === 'BinarySI' && !this.#belowOneKibi() && this.#hasNoFraction()) {
      return binaryText(scaleUp(this.roundUp(0).#mantissa, Math.max(this.#scale, 0)))
    }
    return decimalText(this.#mantissa, this.#scale, this.format)
  }

  #belowOneKibi(): boolean {
    return (
      compareScaled(this.#mantissa, this.#scale, 1024, 0) < 0 &&
      compareScaled(this.#mantissa, this.#scale, -1024, 0) > 0
    )
  }

  #hasNoFraction(): boolean {
    return this.#scale >= 0 || this.roundUp(0).equals(this)
  }
}

const space = '[ \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+'
const outerSpace = new RegExp(`^${space}|${space}$`, 'g')
const withoutSpace = (text: string): string => text.replace(outerSpace, '')

/** Splits the text in one pass; the string is what is wrong with it. */
function parseParts(text: string): QuantityParts | string {
  if (text === '') return formatWrong
  let pos = text[0] === '-' || text[0] === '+' ? 1 : 0
  while (text.charCodeAt(pos) === 48) pos++
  const wholeEnd = skipDigits(text, pos)
  const whole = text.slice(pos, wholeEnd) || '0'
  const hasPoint = text[wholeEnd] === '.'
  const numberEnd = hasPoint ? skipDigits(text, wholeEnd + 1) : wholeEnd
  const fraction = hasPoint ? text.slice(wholeEnd + 1, numberEnd) : ''
  const suffixText = text.slice(numberEnd)
  const suffix = suffixes.get(suffixText) ?? parseExponent(suffixText)
  if (suffix === undefined) return isSuffixShape(suffixText) ? suffixWrong : formatWrong
  return fastParts(text, whole, fraction, suffix) ?? slowParts(text.slice(0, numberEnd), whole, fraction, suffix)
}

function skipDigits(text: string, from: number): number {
  let pos = from
  for (let code = text.charCodeAt(pos); code >= 48 && code <= 57; code = text.charCodeAt(pos)) pos++
  return pos
}

function isSuffixShape(text: string): boolean {
  let pos = 0
  while (pos < text.length && 'eEinumkKMGTP'.includes(text.charAt(pos))) pos++
  if (text[pos] === '-' || text[pos] === '+') pos++
  return skipDigits(text, pos) === text.length
}

function parseExponent(text: string): Suffix | undefined {
  if (!/^[eE][-+]?[0-9]+$/.test(text) || text.length > 64) return undefined
  const exponent = BigInt(text[1] === '+' ? text.slice(2) : text.slice(1))
  if (BigInt.asIntN(64, exponent) !== exponent) return undefined
  return { base: 10, exponent: Number(BigInt.asIntN(32, exponent)), format: 'DecimalExponent' }
}

/** Amounts that the reference holds in 64 bits: few digits, nothing below nano, no fraction of a binary unit. */
function fastParts(text: string, whole: string, fraction: string, suffix: Suffix): QuantityParts | undefined {
  const { base, exponent, format } = suffix
  const digits = whole + fraction
  const negative = text.charCodeAt(0) === 45
  if (base === 2) {
    if (fraction !== '' || 14 - digits.length - Math.trunc((exponent * 3) / 10) < 0) return undefined
    const units = Number(digits)
    const mantissa = units * 2 ** exponent
    const canonical = (units & 7) !== 0
    return {
      mantissa: negative ? -mantissa : mantissa,
      scale: 0,
      format,
      wide: false,
      text: canonical ? text : undefined,
    }
  }
  const scale = exponent - fraction.length
  if (digits.length > int64Digits || scale < nano) return undefined
  const mantissa: Mantissa = digits.length > 15 ? BigInt(digits) : Number(digits)
  const canonical = scale % 3 === 0 && !digits.endsWith('000') && digits.charCodeAt(0) !== 48
  return { mantissa: negative ? -mantissa : mantissa, scale, format, wide: false, text: canonical ? text : undefined }
}

/** Digits that are reckoned with: numbers are refused beyond, fractions are rounded, as they are below nano anyhow. */
const maxDigits = 4096

function slowParts(number: string, whole: string, written: string, suffix: Suffix): QuantityParts | string {
  if (!/[0-9]/.test(number) || whole.length > maxDigits) return numberWrong
  const { base, exponent } = suffix
  if (written.length > maxDigits && exponent > maxDigits / 2) return numberWrong
  const fraction = written.length > maxDigits ? roundedFraction(written) : written
  let mantissa = BigInt(whole + fraction)
  let scale = -fraction.length
  if (base === 2) mantissa <<= BigInt(exponent)
  else scale += exponent
  if (mantissa !== 0n && scale <= sumReach) {
    mantissa = BigInt(scale < nano ? scaleDown(mantissa, nano - scale) : scaleUp(mantissa, scale - nano))
    scale = nano
  }
  let format = suffix.format
  if (format === 'BinarySI') {
    if (compareScaled(mantissa, scale, maxInt64, 0) > 0) [mantissa, scale] = [maxInt64, 0]
    if (mantissa > 0n && compareScaled(mantissa, scale, 1, 0) < 0) format = 'DecimalSI'
  }
  return { mantissa: number.startsWith('-') ? -mantissa : mantissa, scale, format, wide: true, text: undefined }
}

/** One more digit says whether any of those that are cut off counts: what is finer than nano is rounded up by it. */
const roundedFraction = (digits: string): string =>
  digits.slice(0, maxDigits) + (/[1-9]/.test(digits.slice(maxDigits)) ? '1' : '0')

/** The largest unit of 1024 that leaves no fraction. A power without a suffix is not written at all. */
function binaryText(value: Mantissa): string {
  let unit = 0
  let rest = BigInt(value)
  while (rest % 1024n === 0n) {
    rest /= 1024n
    unit++
  }
  return `${rest}${binarySuffixes[unit] ?? ''}`
}

/** The largest power of a thousand that leaves no fraction, written by the same rule. */
function decimalText(mantissa: Mantissa, scale: number, format: QuantityFormat): string {
  const text = String(mantissa)
  let end = text.length
  while (text.charCodeAt(end - 1) === 48) end--
  const factors = text.length - end
  const odd = (((scale + factors) % 3) + 3) % 3
  const exponent = scale + factors - odd
  const digits = text.slice(0, end) + '0'.repeat(odd)
  if (format === 'DecimalExponent') return exponent === 0 ? digits : `${digits}e${exponent}`
  return digits + (decimalSuffixes[exponent / 3 + 3] ?? '')
}
