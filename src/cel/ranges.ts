/** Ranges of sizes and costs, in 64 bits without a sign; what would overflow is the largest number. */
export interface Range {
  readonly min: bigint
  readonly max: bigint
}

export const MAX = 2n ** 64n - 1n

export const fixed = (value: bigint): Range => ({ min: value, max: value })
export const UNKNOWN: Range = { min: 0n, max: MAX }

/** `Math.min` takes no bigints. */
export function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a
  return b
}

const saturate = (value: bigint): bigint => smaller(value, MAX)
export const add = (a: bigint, b: bigint): bigint => saturate(a + b)

export const addRanges = (a: Range, b: Range): Range => ({ min: add(a.min, b.min), max: add(a.max, b.max) })

export const multiplyRanges = (a: Range, b: Range): Range => ({
  min: saturate(a.min * b.min),
  max: saturate(a.max * b.max),
})

/** Times a factor, rounded up, in the arithmetic of doubles. */
export const scale = (range: Range, factor: number): Range => ({
  min: scaleOne(range.min, factor),
  max: scaleOne(range.max, factor),
})

function scaleOne(value: bigint, factor: number): bigint {
  const product = Math.ceil(Number(value) * factor)
  return product >= 2 ** 64 ? MAX : BigInt(product)
}

/** The range that covers both. */
export function union(a: Range | undefined, b: Range): Range {
  if (!a) return b
  return { min: smaller(a.min, b.min), max: smaller(b.max, a.max) === a.max ? b.max : a.max }
}
