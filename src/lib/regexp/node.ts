/** The parts of a parsed expression, and how large Go reckons them to be. */
import type { Ranges } from './char-class.ts'

/** Bits of the empty matches. */
export const BEGIN_LINE = 1
export const END_LINE = 2
export const BEGIN_TEXT = 4
export const END_TEXT = 8
export const WORD_BOUNDARY = 16
export const NO_WORD_BOUNDARY = 32

/** What Go's checks look at: instructions, levels, and the largest product of counts along a path. */
export interface Extent {
  readonly size: number
  readonly height: number
  readonly repeats: number
  /** Whether it matches the empty text. */
  readonly nullable: boolean
}

export type RegexpNode = Extent &
  (
    | { readonly op: 'empty' }
    | { readonly op: 'rune'; readonly rune: number }
    | { readonly op: 'class'; readonly ranges: Ranges }
    | { readonly op: 'assert'; readonly mask: number }
    | { readonly op: 'group'; readonly sub: RegexpNode }
    | { readonly op: 'concat' | 'alternate'; readonly subs: readonly RegexpNode[] }
    | RepeatNode
  )

export interface RepeatNode extends Extent {
  readonly op: 'repeat'
  readonly sub: RegexpNode
  readonly min: number
  /** -1 is without end. */
  readonly max: number
  readonly lazy: boolean
}

export const leaf: Extent = { size: 1, height: 1, repeats: 0, nullable: false }

export const extent = ({ size, height, repeats, nullable }: Extent): Extent => ({ size, height, repeats, nullable })

/** As Go reckons it. */
export function repeatSize(
  size: number,
  { min, max, counted }: { min: number; max: number; counted: boolean },
): number {
  if (!counted) return size + (max < 0 && min === 0 ? 2 : 1)
  if (max < 0) return min === 0 ? 2 + size : 1 + min * size
  return Math.max(1, max * size + (max - min))
}

/** A sequence or a choice of parts; one part is itself. */
export function joinedNode(op: 'concat' | 'alternate', subs: readonly RegexpNode[]): RegexpNode {
  if (subs.length === 0) return { op: 'empty', ...leaf, nullable: true }
  if (subs.length === 1) return subs[0]!
  let size = op === 'alternate' ? subs.length - 1 : 0
  let height = 0
  let repeats = 0
  let nullable = op === 'concat'
  for (const sub of subs) {
    size += sub.size
    // Go flattens what is of one kind.
    height = Math.max(height, sub.op === op ? sub.height : sub.height + 1)
    repeats = Math.max(repeats, sub.repeats)
    nullable = op === 'concat' ? nullable && sub.nullable : nullable || sub.nullable
  }
  return { op, subs, size, height, repeats, nullable }
}
