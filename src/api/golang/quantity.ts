/** Quantities in Go's own syntax (`%#v`), as the reference's messages print them. */

import { nullWriting, roundedFrom } from '../given-writing.ts'
import { Quantity, type QuantityFormat } from '../quantity.ts'
import { GoLiteral } from './literal.ts'
import { quote } from './quote.ts'
import { goPointer } from './struct.ts'

const decimalScales: ReadonlyMap<string, number> = new Map(
  ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'].map((suffix, i) => [suffix, 3 * (i - 3)]),
)

/** Decimals with more digits are held unbounded. */
const maxFastDigits = 18
const nanoScale = -9

export interface QuantityReading {
  /** The text that it was parsed from, where that is not the canonical form. */
  readonly written?: string | undefined
  /** `String()` was called on it, which caches the text. */
  readonly isTold?: boolean
  /** It has become an unbounded decimal since it was read. */
  readonly isWide?: boolean
}

/**
 * A quantity as the reference holds it: the digits and the exponent that it was read with, and its text where that was
 * canonical when it was read, or where it was asked for since.
 */
export function goQuantity(
  canonical: string,
  { written = canonical, isTold = false, isWide = false }: QuantityReading = {},
): GoLiteral {
  const { value, scale, isExact, isCanonical, format } = readQuantity(written)
  const isInt64 = isExact && !isWide
  const text = isTold || isCanonical ? canonical : ''
  const wide = goPointer('inf.Dec', isInt64 ? undefined : canonical)
  return new GoLiteral(
    `resource.Quantity{i:resource.int64Amount{value:${isInt64 ? value : 0}, scale:${isInt64 ? scale : 0}}, d:resource.infDecAmount{Dec:${wide}}, s:${quote(text)}, Format:"${format}"}`,
    quote(canonical),
  )
}

interface ReadQuantity {
  readonly value: bigint
  readonly scale: number
  /** Not held as an unbounded decimal. */
  readonly isExact: boolean
  readonly isCanonical: boolean
  /** Empty for what was given as null. */
  readonly format: QuantityFormat | ''
}

export function readQuantity(text: string): ReadQuantity {
  if (text === nullWriting) return { value: 0n, scale: 0, isExact: true, isCanonical: false, format: '' }
  const rounded = roundedFrom(text)
  if (rounded !== undefined) return { ...readQuantity(rounded), isCanonical: false }
  const { format } = Quantity.parse(text)
  if (text === '0') return { value: 0n, scale: 0, isExact: true, isCanonical: true, format }
  const [, sign = '', zeros = '', number = '', fraction = '', suffix = ''] =
    /^([+-]?)(0*)(\d*)(?:\.(\d*))?(.*)$/.exec(text) ?? []
  const digits = (number === '' && zeros !== '' ? '0' : number) + fraction
  const unbounded = { value: 0n, scale: 0, isExact: false, isCanonical: false, format }
  const read = BigInt(digits === '' ? '0' : digits)
  const signed = sign === '-' ? -read : read
  if (format === 'BinarySI') {
    const power = 10n * BigInt(['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].indexOf(suffix))
    const room = 15 - number.length - Math.trunc((Number(power) * 3) / 10) - 1
    if (fraction !== '' || room < 0) return unbounded
    return { value: signed << power, scale: 0, isExact: true, isCanonical: read % 8n !== 0n, format }
  }
  if (digits.length > maxFastDigits) return unbounded
  const exponent = decimalScales.get(suffix) ?? Number(suffix.slice(1))
  const scale = exponent - fraction.length
  if (scale < nanoScale) return unbounded
  const isCanonical = scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0')
  return { value: signed, scale, isExact: true, isCanonical, format }
}
