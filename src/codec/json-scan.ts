/**
 * One pass over the bytes of a JSON text, without reading it: how many keys it has, and whether `JSON.parse` would give
 * all of it back. What it would not: numbers with a point or an exponent (`1.0` is no integer to a typed field), whole
 * numbers beyond 2^53, escaped halves of surrogate pairs. Very deep texts are not plain either. The text need not be
 * well-formed; the answer then means nothing, and `JSON.parse` refuses it.
 */
export interface JsonScan {
  readonly plain: boolean
  readonly keys: number
}

const plainDepth = 200
/** 2^53 has sixteen digits. */
const plainDigits = 15

export function scanJson(bytes: Uint8Array): JsonScan {
  const { length } = bytes
  let keys = 0
  let depth = 0
  let plain = true
  for (let i = 0; i < length; i++) {
    const byte = bytes[i] as number
    if (byte === 0x22) {
      for (i++; i < length && bytes[i] !== 0x22; i++) {
        if (bytes[i] !== 0x5c) continue
        if (bytes[++i] === 0x75 && ((bytes[i + 1] as number) | 0x20) === 0x64) plain = false
      }
    } else if (byte === 0x3a) {
      keys++
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > plainDepth) plain = false
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--
    } else if (byte >= 0x30 && byte <= 0x39) {
      const end = endOfDigits(bytes, i + 1)
      const next = bytes[end] as number
      if (next === 0x2e || (next | 0x20) === 0x65 || end - i > plainDigits) plain = false
      i = end - 1
    }
  }
  return { plain, keys }
}

function endOfDigits(bytes: Uint8Array, from: number): number {
  let at = from
  while (((bytes[at] as number) ^ 0x30) <= 9) at++
  return at
}
