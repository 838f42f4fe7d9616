/** Whole numbers of any size times a power of ten: numbers where they are exact, bigints beyond. */

export type Mantissa = number | bigint

const powersOfTen = Array.from({ length: 16 }, (_, i) => 10 ** i)

export function narrowMantissa(value: Mantissa): Mantissa {
  if (typeof value === 'bigint') {
    return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER ? Number(value) : value
  }
  return Number.isSafeInteger(value) ? value || 0 : BigInt(value)
}

export function signOf(value: Mantissa): -1 | 0 | 1 {
  return value > 0 ? 1 : value < 0 ? -1 : 0
}

export function compareMantissas(a: Mantissa, b: Mantissa): -1 | 0 | 1 {
  return a < b ? -1 : a > b ? 1 : 0
}

/** By these powers of ten the reference multiplies in one step, which wraps around. */
export const wrappingScales: ReadonlySet<number> = new Set([1, 2, 3, 6, 9])

export const inInt64 = (value: Mantissa): Mantissa => (typeof value === 'number' ? value : BigInt.asIntN(64, value))

export function fitsInt64(value: Mantissa): boolean {
  return typeof value === 'number' || BigInt.asIntN(64, value) === value
}

export function addMantissas(a: Mantissa, b: Mantissa): Mantissa {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum)) return sum
  }
  return BigInt(a) + BigInt(b)
}

export function multiplyMantissas(a: Mantissa, b: Mantissa): Mantissa {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    if (Number.isSafeInteger(product)) return product
  }
  return BigInt(a) * BigInt(b)
}

/** Times a power of ten. */
export function scaleUp(value: Mantissa, places: number): Mantissa {
  if (places === 0 || signOf(value) === 0) return value
  const power = powersOfTen[places]
  return power === undefined ? BigInt(value) * 10n ** BigInt(places) : multiplyMantissas(value, power)
}

/** Divided by a power of ten, away from zero. */
export function scaleDown(value: Mantissa, places: number): Mantissa {
  if (places === 0) return value
  const digits = String(value).length
  if (places > digits) return signOf(value)
  const power = powersOfTen[places]
  if (typeof value === 'number' && power !== undefined) {
    const rest = value % power
    return (value - rest) / power + Math.sign(rest)
  }
  const divisor = 10n ** BigInt(places)
  const dividend = BigInt(value)
  return dividend / divisor + BigInt(signOf(dividend % divisor))
}

/** Compares without writing out the difference of far exponents. */
export function compareScaled(a: Mantissa, aScale: number, b: Mantissa, bScale: number): -1 | 0 | 1 {
  const sign = signOf(a)
  if (sign !== signOf(b) || sign === 0) return compareMantissas(sign, signOf(b))
  const apart = aScale - bScale
  if (Math.abs(apart) < powersOfTen.length)
    return compareMantissas(scaleUp(a, Math.max(apart, 0)), scaleUp(b, Math.max(-apart, 0)))
  const magnitude = compareMantissas(digitsOf(a) + aScale, digitsOf(b) + bScale)
  if (magnitude !== 0) return (magnitude * sign) as -1 | 1
  const scale = Math.min(aScale, bScale)
  return compareMantissas(scaleUp(a, aScale - scale), scaleUp(b, bScale - scale))
}

function digitsOf(value: Mantissa): number {
  return String(value).length - (value < 0 ? 1 : 0)
}
