/** The flags of an expression, which groups set for what follows or for themselves. */
import { type PatternSource, RegexpSyntaxError } from './source.ts'

export interface GroupFlags {
  readonly fold: boolean
  readonly multiLine: boolean
  readonly dotAll: boolean
  readonly lazy: boolean
}

export const plainFlags: GroupFlags = { fold: false, multiLine: false, dotAll: false, lazy: false }

const flagNames: ReadonlyMap<string, keyof GroupFlags> = new Map([
  ['i', 'fold'],
  ['m', 'multiLine'],
  ['s', 'dotAll'],
  ['U', 'lazy'],
])

/** Reads `(?flags)`, which goes on with other flags, or `(?flags:`, which opens a group that has them. */
export function readFlags(
  source: PatternSource,
  begin: number,
  current: GroupFlags,
): { readonly flags: GroupFlags; readonly opensGroup: boolean } {
  source.at = begin + 2
  let flags = current
  let on = true
  let saw = false
  while (!source.isAtEnd) {
    const character = String.fromCodePoint(source.rune())
    const flag = flagNames.get(character)
    if (flag !== undefined) {
      flags = { ...flags, [flag]: on }
      saw = true
    } else if (character === '-' && on) {
      on = false
      saw = false
    } else if ((character === ':' || character === ')') && (on || saw)) {
      return { flags, opensGroup: character === ':' }
    } else break
  }
  throw new RegexpSyntaxError('invalid or unsupported Perl syntax', source.since(begin))
}
