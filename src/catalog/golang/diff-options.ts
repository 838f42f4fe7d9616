/** How much of a value a report of differences prints, and in which manner. Mirrors go-cmp: formatOptions. */

/** `both`: what is the same; `-`, `+`: one of the values alone; undefined: the difference of the two. */
export type DiffMode = undefined | 'both' | '-' | '+'

/** Whether a value shows its type: always, never, or where it is a struct, slice or map. */
export type Typing = 'always' | 'never' | 'composite'

export interface Options {
  readonly mode: DiffMode
  readonly typing: Typing
  /** The budget of the report; a level deeper there is less room. */
  readonly level: number
  /** Values show themselves, not the text that they have of themselves. */
  readonly isPlain: boolean
}

const limitBits = 16

export const clampLevel = (level: number): number => Math.min(Math.max(level, 0), limitBits)
/** 0, 4, 8, 16, … */
export const valueLimit = (level: number): number => ((1 << clampLevel(level)) >> 1) << 2
