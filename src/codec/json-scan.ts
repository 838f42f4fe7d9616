/**
 * One pass over the bytes of a JSON text, without reading it: how many keys it has, and whether `JSON.parse` would give
 * all of it back. What it would not: numbers with a point or an exponent (`1.0` is no integer to a typed field), whole
 * numbers beyond 2^53, escaped halves of surrogate pairs. The text need not be well-formed; the answer then means
 * nothing, and `JSON.parse` refuses it.
 */
export interface JsonScan {
  readonly plain: boolean
  readonly keys: number
  /** Commas between values: with the keys, how many values there are. */
  readonly commas: number
  /** How many objects and lists are open at most. */
  readonly depth: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const ZERO = 0x30
const POINT = 0x2e
const LETTER_D = 0x64
const LETTER_E = 0x65
const LETTER_U = 0x75
const LOWER_CASE = 0x20
/** Braces; brackets are the same but for the bit of the lower case. */
const OPEN = 0x7b
const CLOSE = 0x7d

/** 2^53 has sixteen digits. */
const plainDigits = 15

/** Visitor of what lies in the outermost two levels: the object itself and its direct members. */
export interface ScanTrace {
  /** The key between `from` and `to` has a value after `at`. Returns where to go on: there, or behind the value. */
  key(from: number, to: number, at: number, level: number): number
  /** An object or list in that level ended before `at`. */
  closed(at: number, level: number): void
}

const tracedLevels = 2

export function scanJson(bytes: Uint8Array, trace?: ScanTrace): JsonScan {
  const { length } = bytes
  let keys = 0
  let commas = 0
  let plain = true
  let open = 0
  let depth = 0
  let at = 0
  while (at < length) {
    const byte = bytes[at++] as number
    if (byte === QUOTE) {
      const start = at
      while (at < length) {
        const inner = bytes[at++] as number
        if (inner === QUOTE) break
        if (inner !== BACKSLASH) continue
        if (bytes[at] === LETTER_U && ((bytes[at + 1] as number) | LOWER_CASE) === LETTER_D) plain = false
        at++
      }
      if (bytes[at] === COLON) {
        keys++
        at++
        if (trace !== undefined && open <= tracedLevels) at = trace.key(start, at - 2, at, open)
      }
    } else if (byte === COMMA) {
      commas++
    } else if (byte === COLON) {
      keys++
    } else if ((byte | LOWER_CASE) === OPEN) {
      if (++open > depth) depth = open
    } else if ((byte | LOWER_CASE) === CLOSE) {
      open--
      if (trace !== undefined && open <= tracedLevels) trace.closed(at, open)
    } else if ((byte ^ ZERO) <= 9) {
      const start = at - 1
      while (((bytes[at] as number) ^ ZERO) <= 9) at++
      const next = bytes[at] as number
      if (next === POINT || (next | LOWER_CASE) === LETTER_E || at - start > plainDigits) plain = false
    }
  }
  return { plain, keys, commas, depth }
}
