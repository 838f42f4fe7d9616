/**
 * A reverse delta: an old text stored as its difference from the text that replaced it. Most of a large object does not change
 * from one version to the next, so the event ring holds deltas instead of whole texts.
 *
 *   old   {"metadata":{A},"spec":{…},"status":{}}
 *   new   {"metadata":{A,B},"spec":{…},"status":{C}}
 *   kept  what both begin with, what both end with, and the largest part between that both have, as places in the new
 *         text; the rest as bytes
 *
 * Invariant: `restore` gives the old text back byte for byte.
 */

type Piece = Buffer | { readonly start: number; readonly end: number }

/** Below this a delta saves less than it costs. */
const minBytes = 8 * 1024
/** Long enough not to be met by chance, short enough to lie between two changes. */
const anchorBytes = 64
const maxAnchors = 32
const blockBytes = 1024

export class TextDelta {
  readonly length: number
  readonly #pieces: readonly Piece[]

  private constructor(pieces: readonly Piece[], length: number) {
    this.#pieces = pieces
    this.length = length
  }

  /** Undefined when the two have too little in common. */
  static of(old: Uint8Array, next: Uint8Array): TextDelta | undefined {
    if (old.length < minBytes || next.length < minBytes) return undefined
    const a = bufferOf(old)
    const b = bufferOf(next)
    const head = commonFrom(a, 0, b, 0)
    const tail = commonEnd(a, b, head)
    const middle = commonMiddle(a, b, { head, tail })
    const pieces: Piece[] = [
      { start: 0, end: head },
      copyOf(a, head, middle.inOld),
      { start: middle.inNew, end: middle.inNew + middle.length },
      copyOf(a, middle.inOld + middle.length, a.length - tail),
      { start: b.length - tail, end: b.length },
    ]
    const own = a.length - head - middle.length - tail
    return own * 4 > a.length ? undefined : new TextDelta(pieces, a.length)
  }

  /** The old text; `next` must be the text that it was taken against. */
  restore(next: Uint8Array): Buffer {
    const from = bufferOf(next)
    const out = Buffer.allocUnsafe(this.length)
    let at = 0
    for (const piece of this.#pieces) {
      at += Buffer.isBuffer(piece) ? piece.copy(out, at) : from.copy(out, at, piece.start, piece.end)
    }
    return out
  }
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** In memory of its own: it must not hold on to what it was cut from. */
function copyOf(bytes: Buffer, start: number, end: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(end - start)
  bytes.copy(copy, 0, start, end)
  return copy
}

/** How many bytes are the same from these places on. */
function commonFrom(a: Buffer, at: number, b: Buffer, there: number): number {
  const most = Math.min(a.length - at, b.length - there)
  let count = 0
  // Whole blocks are compared much faster than bytes.
  while (count + blockBytes <= most && isSameBlock(a, at + count, b, there + count)) count += blockBytes
  while (count < most && a[at + count] === b[there + count]) count++
  return count
}

const isSameBlock = (a: Buffer, at: number, b: Buffer, there: number): boolean =>
  a.compare(b, there, there + blockBytes, at, at + blockBytes) === 0

/** Of what is left after the first `head` bytes. */
function commonEnd(a: Buffer, b: Buffer, head: number): number {
  const most = Math.min(a.length, b.length) - head
  let count = 0
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count++
  return count
}

interface Common {
  readonly inOld: number
  readonly inNew: number
  readonly length: number
}

/**
 * A large part that both have of what is left. It is looked for from where the texts part: objects are repetitive inside,
 * but what follows a change tends to be found only once.
 */
function commonMiddle(a: Buffer, b: Buffer, { head, tail }: { head: number; tail: number }): Common {
  const rest = { a: a.subarray(head, a.length - tail), b: b.subarray(head, b.length - tail) }
  let best: Common = { inOld: head, inNew: 0, length: 0 }
  for (let i = 0; i < maxAnchors && (i + 1) * anchorBytes <= rest.a.length; i++) {
    const found = commonAround(rest.a, rest.b, i * anchorBytes)
    if (found.length <= best.length) continue
    best = { inOld: head + found.inOld, inNew: head + found.inNew, length: found.length }
    if (best.length * 2 > rest.a.length) break
  }
  return best
}

/** What both have around a place of the old text. */
function commonAround(a: Buffer, b: Buffer, at: number): Common {
  const found = b.indexOf(a.subarray(at, at + anchorBytes))
  if (found < 0) return { inOld: at, inNew: 0, length: 0 }
  let [inOld, inNew] = [at, found]
  while (inOld > 0 && inNew > 0 && a[inOld - 1] === b[inNew - 1]) {
    inOld--
    inNew--
  }
  return { inOld, inNew, length: commonFrom(a, inOld, b, inNew) }
}
