/** What stands at a position of a text and beside it, as characters and assertions see it. */
import { BEGIN_LINE, BEGIN_TEXT, END_LINE, END_TEXT, NO_WORD_BOUNDARY, WORD_BOUNDARY } from './node.ts'

/** What stands beside a place, as assertions see it. */
export const EDGE = 0
const NEW_LINE = 1
const WORD = 2
export const OTHER = 3

export const END = -1

export function neighbourKind(rune: number): number {
  if (rune === END) return EDGE
  if (rune === 0x0a) return NEW_LINE
  const isWord =
    (rune >= 0x61 && rune <= 0x7a) || (rune >= 0x41 && rune <= 0x5a) || (rune >= 0x30 && rune <= 0x39) || rune === 0x5f
  return isWord ? WORD : OTHER
}

/** The assertions that hold between two kinds. */
export function conditions(before: number, after: number): number {
  let mask = (before === WORD) === (after === WORD) ? NO_WORD_BOUNDARY : WORD_BOUNDARY
  if (before === EDGE) mask |= BEGIN_TEXT | BEGIN_LINE
  if (before === NEW_LINE) mask |= BEGIN_LINE
  if (after === EDGE) mask |= END_TEXT | END_LINE
  if (after === NEW_LINE) mask |= END_LINE
  return mask
}

/** The character at a place; half of a pair is what UTF-8 has for it. */
export function runeAt(text: string, at: number): number {
  if (at >= text.length) return END
  const unit = text.charCodeAt(at)
  if (unit < 0xd800 || unit > 0xdfff) return unit
  const rune = text.codePointAt(at)!
  return rune > 0xffff ? rune : 0xfffd
}

export function kindBefore(text: string, at: number): number {
  return at === 0 ? EDGE : neighbourKind(text.charCodeAt(at - 1))
}
