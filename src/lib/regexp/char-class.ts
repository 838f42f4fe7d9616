/**
 * Sets of characters as sorted, disjoint ranges `[lo, hi, lo, hi, ...]`. Case folds and Unicode groups are looked up in
 * the tables of re2js, one small expression at a time.
 */
import { RE2JS } from 're2js'

export type Ranges = readonly number[] | Int32Array

export const MAX_RUNE = 0x10ffff

const digit = [0x30, 0x39]
const space = [0x09, 0x0a, 0x0c, 0x0d, 0x20, 0x20]
const word = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]

/** The classes behind `\d` and the like. */
export const perlClasses: ReadonlyMap<string, Ranges> = new Map([
  ['d', digit],
  ['D', negated(digit)],
  ['s', space],
  ['S', negated(space)],
  ['w', word],
  ['W', negated(word)],
])

/** The classes of `[[:name:]]`; `[[:^name:]]` is the rest. */
export const posixClasses: ReadonlyMap<string, Ranges> = new Map([
  ['alnum', [0x30, 0x39, 0x41, 0x5a, 0x61, 0x7a]],
  ['alpha', [0x41, 0x5a, 0x61, 0x7a]],
  ['ascii', [0x00, 0x7f]],
  ['blank', [0x09, 0x09, 0x20, 0x20]],
  ['cntrl', [0x00, 0x1f, 0x7f, 0x7f]],
  ['digit', digit],
  ['graph', [0x21, 0x7e]],
  ['lower', [0x61, 0x7a]],
  ['print', [0x20, 0x7e]],
  ['punct', [0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e]],
  ['space', [0x09, 0x0d, 0x20, 0x20]],
  ['upper', [0x41, 0x5a]],
  ['word', word],
  ['xdigit', [0x30, 0x39, 0x41, 0x46, 0x61, 0x66]],
])

export function negated(ranges: Ranges): number[] {
  const rest: number[] = []
  let from = 0
  for (let i = 0; i < ranges.length; i += 2) {
    if (ranges[i]! > from) rest.push(from, ranges[i]! - 1)
    from = ranges[i + 1]! + 1
  }
  if (from <= MAX_RUNE) rest.push(from, MAX_RUNE)
  return rest
}

/** From so many ranges on they are merged by going over all characters instead of by sorting. */
const manyRanges = 4096

/** Ranges in any order, with overlaps, as a set. */
export function merged(ranges: readonly number[]): number[] {
  return ranges.length > 2 * manyRanges ? sweep(ranges) : mergeSorted(ranges)
}

function mergeSorted(ranges: readonly number[]): number[] {
  if (ranges.length <= 2) return [...ranges]
  const order = new Float64Array(ranges.length / 2)
  for (let i = 0; i < order.length; i++) order[i] = ranges[2 * i]! * 0x200000 + ranges[2 * i + 1]!
  order.sort()
  const set: number[] = []
  for (const both of order) {
    const lo = Math.floor(both / 0x200000)
    const hi = both % 0x200000
    if (set.length > 0 && lo <= set.at(-1)! + 1) set[set.length - 1] = Math.max(set.at(-1)!, hi)
    else set.push(lo, hi)
  }
  return set
}

function sweep(ranges: readonly number[]): number[] {
  const change = new Int32Array(MAX_RUNE + 2)
  for (let i = 0; i < ranges.length; i += 2) {
    change[ranges[i]!]!++
    change[ranges[i + 1]! + 1]!--
  }
  const set: number[] = []
  let open = 0
  for (let rune = 0; rune <= MAX_RUNE + 1; rune++) {
    const before = open
    open += change[rune]!
    if (before === 0 && open > 0) set.push(rune)
    if (before > 0 && open === 0) set.push(rune - 1)
  }
  return set
}

export function hasRune(ranges: Ranges, rune: number): boolean {
  let low = 0
  let high = ranges.length >> 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (ranges[2 * middle + 1]! < rune) low = middle + 1
    else high = middle
  }
  return 2 * low < ranges.length && ranges[2 * low]! <= rune
}

/** Appends the range and everything that its characters fold to. */
export function appendFolded(ranges: number[], lo: number, hi: number): void {
  if (hi >= 0x80 && !(lo === 0 && hi === MAX_RUNE)) {
    // With one more character the class stays one: two cases of a letter would be made a letter without case.
    const [first, end, ...rest] = tableLookup(`(?i)[\\x{0}\\x{${lo.toString(16)}}-\\x{${hi.toString(16)}}]`) ?? [
      0,
      0,
      lo,
      hi,
    ]
    if (lo === 0) ranges.push(first!, end!)
    else if (end! > 0) ranges.push(1, end!)
    push(ranges, rest)
    return
  }
  ranges.push(lo, hi)
  if (hi >= 0x80) return
  appendShifted(ranges, [Math.max(lo, 0x41), Math.min(hi, 0x5a)], 32)
  appendShifted(ranges, [Math.max(lo, 0x61), Math.min(hi, 0x7a)], -32)
  const has = (letter: number): boolean => (lo <= letter && letter <= hi) || (lo <= letter + 32 && letter + 32 <= hi)
  // The Kelvin sign and the long s fold to letters of ASCII.
  if (has(0x4b)) ranges.push(0x212a, 0x212a)
  if (has(0x53)) ranges.push(0x17f, 0x17f)
}

function appendShifted(ranges: number[], [lo, hi]: readonly [number, number], by: number): void {
  if (lo <= hi) ranges.push(lo + by, hi + by)
}

export function push(ranges: number[], more: Ranges): void {
  for (const rune of more) ranges.push(rune)
}

/** The characters of `\p{name}`: undefined when there is no such group. */
export function unicodeGroup(name: string, { fold, negate }: { fold: boolean; negate: boolean }): Ranges | undefined {
  // Names are short; what is longer is none.
  if (name.length > 64 || !/^[\w\- ]+$/.test(name)) return undefined
  const canonical = canonicalName(name)
  if (canonical === 'Ascii') {
    const ranges = fold ? foldedAscii : ascii
    return negate ? negated(ranges) : ranges
  }
  const group = canonical === 'Lc' ? 'LC' : (categoryAliases.get(canonical) ?? canonical)
  if (!isGroup(group)) return undefined
  return tableLookup(`${fold ? '(?i)' : ''}[${negate ? '\\P' : '\\p'}{${group}}]`)
}

const ascii = [0, 0x7f]
/** With the long s and the Kelvin sign. */
const foldedAscii = [0, 0x7f, 0x17f, 0x17f, 0x212a, 0x212a]

/** Case, spaces, underscores and hyphens do not matter. So scripts of several words have no name: Go knows them with an underscore. */
function canonicalName(name: string): string {
  const letters = name.replace(/[-_ ]/g, '').toLowerCase()
  return letters.charAt(0).toUpperCase() + letters.slice(1)
}

/** Names of Unicode for general categories. */
const categoryAliases: ReadonlyMap<string, string> = new Map(
  `LC Cased_Letter, Pe Close_Punctuation, M Combining_Mark, Pc Connector_Punctuation, Cc Control, Sc Currency_Symbol,
  Pd Dash_Punctuation, Nd Decimal_Number, Me Enclosing_Mark, Pf Final_Punctuation, Cf Format, Pi Initial_Punctuation,
  L Letter, Nl Letter_Number, Zl Line_Separator, Ll Lowercase_Letter, M Mark, Sm Math_Symbol, Lm Modifier_Letter,
  Sk Modifier_Symbol, Mn Nonspacing_Mark, N Number, Ps Open_Punctuation, C Other, Lo Other_Letter, No Other_Number,
  Po Other_Punctuation, So Other_Symbol, Zp Paragraph_Separator, Co Private_Use, P Punctuation, Z Separator,
  Zs Space_Separator, Mc Spacing_Mark, Cs Surrogate, S Symbol, Lt Titlecase_Letter, Cn Unassigned, Lu Uppercase_Letter,
  Cc cntrl, Nd digit, P punct`
    .split(/,\s+/)
    .map((pair) => pair.split(' ') as [string, string])
    .map(([category, alias]) => [canonicalName(alias), category]),
)

/** re2js also knows properties of Unicode by their names, as Go does not. */
function isGroup(name: string): boolean {
  if (name === 'Unknown') return false
  if (name === 'Any' || name === 'Assigned' || /^[CLMNPSZ][a-zC]?$/.test(name)) return true
  try {
    new RegExp(`\\p{Script=${name}}`, 'u')
    return true
  } catch {
    return false
  }
}

/** What re2js made of expressions that are one class: undefined for an expression that it refuses. */
const lookups = new Map<string, Ranges | undefined>()
const maxLookups = 512

function tableLookup(expression: string): Ranges | undefined {
  if (lookups.has(expression)) return lookups.get(expression)
  if (lookups.size >= maxLookups) lookups.delete(lookups.keys().next().value!)
  const ranges = compileClass(expression)
  lookups.set(expression, ranges)
  return ranges
}

interface Compiled {
  readonly re2Input: {
    readonly prog: { readonly start: number; readonly inst: readonly { readonly runes: Int32Array }[] }
  }
}

function compileClass(expression: string): Ranges | undefined {
  try {
    const { prog } = (RE2JS.compile(expression) as unknown as Compiled).re2Input
    const { runes } = prog.inst[prog.start]!
    return runes.length === 1 ? [runes[0]!, runes[0]!] : runes
  } catch {
    return undefined
  }
}
