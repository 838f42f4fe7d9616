/**
 * Parses a regular expression as Go's package regexp/syntax does with its Perl flags, with the same limits and the same
 * errors. Groups capture nothing here: nobody asks for submatches. Parsing is linear in the expression and yields on the
 * way; a counted repetition is kept as such and not yet written out.
 */
import type { Steps } from '../in-turns.ts'
import {
  appendFolded,
  MAX_RUNE,
  merged,
  negated,
  perlClasses,
  posixClasses,
  push,
  type Ranges,
  unicodeGroup,
} from './char-class.ts'

/** Bits of the empty matches. */
export const BEGIN_LINE = 1
export const END_LINE = 2
export const BEGIN_TEXT = 4
export const END_TEXT = 8
export const WORD_BOUNDARY = 16
export const NO_WORD_BOUNDARY = 32

/** What Go's checks look at: instructions, levels, and the largest product of counts along a path. */
interface Extent {
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

interface RepeatNode extends Extent {
  readonly op: 'repeat'
  readonly sub: RegexpNode
  readonly min: number
  /** -1 is without end. */
  readonly max: number
  readonly lazy: boolean
}

/** What is wrong with an expression, in Go's words. */
export class RegexpSyntaxError extends Error {
  constructor(code: string, part: string) {
    super(`error parsing regexp: ${code}: \`${part}\``)
  }
}

const MAX_SIZE = Math.floor((128 << 20) / 40)
const MAX_RANGES = (128 << 20) / 4
const MAX_HEIGHT = 1000
const MAX_REPEAT = 1000

/** Nodes and classes that are shared within an expression. */
const MAX_SHARED = 1000

/** Characters between two yields. */
const chunk = 4096

interface Flags {
  readonly fold: boolean
  readonly multiLine: boolean
  readonly dotAll: boolean
  readonly lazy: boolean
}

/** A group that is open: what stood in front of it waits below. */
interface Frame {
  readonly flags: Flags
  readonly captures: boolean
  readonly alternatives: RegexpNode[]
  parts: RegexpNode[]
}

/** A class in brackets that is open. */
interface Bracket {
  readonly begin: number
  readonly isNegative: boolean
  readonly ranges: number[]
  /** A closing bracket may be the first item. */
  isFirst: boolean
}

export function* parseRegexp(expression: string): Steps<RegexpNode> {
  const parser = new Parser(expression)
  let next = chunk
  while (!parser.isAtEnd) {
    parser.step()
    if (parser.position < next) continue
    next = parser.position + chunk
    yield
  }
  return parser.end()
}

const plainFlags: Flags = { fold: false, multiLine: false, dotAll: false, lazy: false }
const newLine = 0x0a
const notNewLine: Ranges = [0, newLine - 1, newLine + 1, MAX_RUNE]
const anyRune: Ranges = [0, MAX_RUNE]

class Parser {
  readonly #text: string
  #at = 0
  #flags: Flags = plainFlags
  #frames: Frame[] = [{ flags: plainFlags, captures: false, alternatives: [], parts: [] }]
  /** Where the last operator stood, when nothing came after it. */
  #lastRepeat = -1
  #ranges = 0
  #bracket: Bracket | undefined
  /** Nodes of characters and classes, which an expression may have millions of. */
  readonly #leaves = new Map<number | Ranges, RegexpNode>()
  readonly #brackets = new Map<string, Ranges>()
  /** Where `\\Q` ends. */
  #quoteEnd = -1
  #hasPosixEnd = true

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  get position(): number {
    return this.#at
  }

  /** One token, or one item of what is open. */
  step(): void {
    if (this.#bracket !== undefined) this.#bracketStep(this.#bracket)
    else if (this.#quoteEnd >= 0) this.#quoteStep()
    else this.#tokenStep()
  }

  #tokenStep(): void {
    const begin = this.#at
    const isRepeat = this.#token(this.#text[begin]!)
    this.#lastRepeat = isRepeat ? (this.#lastRepeat < 0 ? begin : this.#lastRepeat) : -1
  }

  end(): RegexpNode {
    if (this.#bracket !== undefined) {
      throw new RegexpSyntaxError('missing closing ]', this.#text.slice(this.#bracket.begin))
    }
    if (this.#frames.length > 1) throw new RegexpSyntaxError('missing closing )', this.#text)
    return this.#closeAlternatives(this.#frame)
  }

  get #frame(): Frame {
    return this.#frames.at(-1)!
  }

  /** Whether it was an operator that repeats. */
  #token(character: string): boolean {
    switch (character) {
      case '(':
        this.#openGroup()
        return false
      case ')':
        this.#closeGroup()
        return false
      case '|':
        this.#at++
        this.#closeAlternative()
        return false
      case '^':
        return this.#assertion(this.#flags.multiLine ? BEGIN_LINE : BEGIN_TEXT, 1)
      case '$':
        return this.#assertion(this.#flags.multiLine ? END_LINE : END_TEXT, 1)
      case '.':
        this.#at++
        this.#class(this.#flags.dotAll ? anyRune : notNewLine)
        return false
      case '[':
        this.#openBracket()
        return false
      case '*':
      case '+':
      case '?':
        this.#at++
        this.#repeat(character === '+' ? 1 : 0, character === '?' ? 1 : -1, { begin: this.#at - 1, counted: false })
        return true
      case '{':
        return this.#counted()
      case '\\':
        return this.#escape()
      default:
        this.#literal(this.#rune())
        return false
    }
  }

  /** Takes the character at the place; half of a pair is what UTF-8 has for it. */
  #rune(): number {
    const rune = this.#text.codePointAt(this.#at)!
    this.#at += rune > 0xffff ? 2 : 1
    return rune >= 0xd800 && rune <= 0xdfff ? 0xfffd : rune
  }

  #push(node: RegexpNode): void {
    this.#check(node)
    this.#frame.parts.push(node)
  }

  #check({ size, height }: RegexpNode): void {
    if (size > MAX_SIZE || this.#ranges > MAX_RANGES) throw new RegexpSyntaxError('expression too large', this.#text)
    if (height > MAX_HEIGHT) throw new RegexpSyntaxError('expression nests too deeply', this.#text)
  }

  #literal(rune: number): void {
    const key = this.#flags.fold ? -1 - rune : rune
    const known = this.#leaves.get(key)
    if (known !== undefined) this.#push(known)
    else
      this.#pushLeaf(
        key,
        this.#flags.fold ? { op: 'class', ranges: foldsOf(rune), ...leaf } : { op: 'rune', rune, ...leaf },
      )
  }

  #class(ranges: Ranges): void {
    this.#ranges += ranges.length
    const known = this.#leaves.get(ranges)
    if (known !== undefined) this.#push(known)
    else this.#pushLeaf(ranges, { op: 'class', ranges, ...leaf })
  }

  #pushLeaf(key: number | Ranges, node: RegexpNode): void {
    if (this.#leaves.size < MAX_SHARED) this.#leaves.set(key, node)
    this.#push(node)
  }

  #assertion(mask: number, width: number): false {
    this.#at += width
    this.#push({ op: 'assert', mask, ...leaf, nullable: true })
    return false
  }

  #openGroup(): void {
    const begin = this.#at
    if (this.#text[begin + 1] !== '?') {
      this.#at++
      this.#open(true)
      return
    }
    if (this.#text[begin + 2] === '<' || this.#text.startsWith('P<', begin + 2)) this.#named(begin)
    else this.#flagGroup(begin)
  }

  #open(captures: boolean): void {
    this.#frames.push({ flags: this.#flags, captures, alternatives: [], parts: [] })
  }

  #named(begin: number): void {
    const from = begin + (this.#text[begin + 2] === 'P' ? 4 : 3)
    const end = this.#text.indexOf('>', begin)
    if (from >= this.#text.length) {
      this.#flagGroup(begin)
      return
    }
    if (end < 0) throw new RegexpSyntaxError('invalid named capture', this.#text.slice(begin))
    if (!/^\w+$/.test(this.#text.slice(from, end))) {
      throw new RegexpSyntaxError('invalid named capture', this.#text.slice(begin, end + 1))
    }
    this.#at = end + 1
    this.#open(true)
  }

  /** `(?flags)` and `(?flags:`. */
  #flagGroup(begin: number): void {
    this.#at = begin + 2
    let flags = this.#flags
    let on = true
    let saw = false
    while (!this.isAtEnd) {
      const character = String.fromCodePoint(this.#rune())
      const flag = flagNames.get(character)
      if (flag !== undefined) {
        flags = { ...flags, [flag]: on }
        saw = true
      } else if (character === '-' && on) {
        on = false
        saw = false
      } else if ((character === ':' || character === ')') && (on || saw)) {
        if (character === ':') this.#open(false)
        this.#flags = flags
        return
      } else break
    }
    throw new RegexpSyntaxError('invalid or unsupported Perl syntax', this.#text.slice(begin, this.#at))
  }

  #closeAlternative(): void {
    const frame = this.#frame
    frame.alternatives.push(this.#joined('concat', frame.parts))
    frame.parts = []
  }

  #closeAlternatives(frame: Frame): RegexpNode {
    this.#closeAlternative()
    return this.#joined('alternate', frame.alternatives)
  }

  #closeGroup(): void {
    if (this.#frames.length === 1) throw new RegexpSyntaxError('unexpected )', this.#text)
    const frame = this.#frame
    const sub = this.#closeAlternatives(frame)
    this.#frames.pop()
    this.#flags = frame.flags
    this.#at++
    if (!frame.captures) this.#push(sub)
    else this.#push({ ...extent(sub), op: 'group', sub, size: sub.size + 2, height: sub.height + 1 })
  }

  #joined(op: 'concat' | 'alternate', subs: readonly RegexpNode[]): RegexpNode {
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
    const node: RegexpNode = { op, subs, size, height, repeats, nullable }
    this.#check(node)
    return node
  }

  /** `{n}`, `{n,}`, `{n,m}`; a brace that is none of them is itself. */
  #counted(): boolean {
    const begin = this.#at
    counts.lastIndex = begin
    const found = counts.exec(this.#text)
    if (found === null) {
      this.#at++
      this.#literal(0x7b)
      return false
    }
    this.#at = counts.lastIndex
    const min = Number(found[1])
    const max = found[2] === undefined ? min : found[3] === '' ? -1 : Number(found[3])
    if (min > MAX_REPEAT || max > MAX_REPEAT || (max >= 0 && min > max)) this.#badCount(begin)
    this.#repeat(min, max, { begin, counted: true })
    return true
  }

  #badCount(begin: number): never {
    throw new RegexpSyntaxError('invalid repeat count', this.#text.slice(begin, this.#at))
  }

  #repeat(min: number, max: number, { begin, counted }: { begin: number; counted: boolean }): void {
    let { lazy } = this.#flags
    if (this.#text[this.#at] === '?') {
      this.#at++
      lazy = !lazy
    }
    if (this.#lastRepeat >= 0) {
      throw new RegexpSyntaxError('invalid nested repetition operator', this.#text.slice(this.#lastRepeat, this.#at))
    }
    const { parts } = this.#frame
    const sub = parts.pop()
    if (sub === undefined) {
      throw new RegexpSyntaxError('missing argument to repetition operator', this.#text.slice(begin, this.#at))
    }
    const factor = max < 0 ? min : max
    const node: RepeatNode = {
      op: 'repeat',
      sub,
      min,
      max,
      lazy,
      size: repeatSize(sub.size, { min, max, counted }),
      height: sub.height + 1,
      repeats: !counted || factor === 0 ? (counted && max === 0 ? 0 : sub.repeats) : factor * Math.max(1, sub.repeats),
      nullable: min === 0 || sub.nullable,
    }
    this.#push(node)
    if (counted && (min >= 2 || max >= 2) && node.repeats > MAX_REPEAT) this.#badCount(begin)
  }

  #escape(): boolean {
    const name = this.#text[this.#at + 1]
    const mask = name === undefined ? undefined : assertions.get(name)
    if (mask !== undefined) return this.#assertion(mask, 2)
    if (name === 'C') throw new RegexpSyntaxError('invalid escape sequence', '\\C')
    if (name === 'Q') this.#openQuote()
    else {
      const group = this.#group()
      if (group !== undefined) this.#class(group)
      else this.#literal(this.#escapedRune())
    }
    return false
  }

  /** `\Q...\E`, without an end up to the end. */
  #openQuote(): void {
    const end = this.#text.indexOf('\\E', this.#at + 2)
    this.#at += 2
    this.#quoteEnd = end < 0 ? this.#text.length : end
    if (this.#at === this.#quoteEnd) this.#closeQuote()
  }

  #quoteStep(): void {
    this.#literal(this.#rune())
    if (this.#at >= this.#quoteEnd) this.#closeQuote()
  }

  #closeQuote(): void {
    this.#at = Math.min(this.#quoteEnd + 2, this.#text.length)
    this.#quoteEnd = -1
  }

  /** A class that is named by an escape: undefined where there is none. */
  #group(): Ranges | undefined {
    if (this.#text[this.#at] !== '\\') return undefined
    const name = this.#text[this.#at + 1] ?? ''
    if (name === 'p' || name === 'P') return this.#unicodeClass(name === 'P')
    const perl = perlClasses.get(name)
    if (perl === undefined) return undefined
    this.#at += 2
    return this.#foldedGroup(perl, name >= 'A' && name <= 'Z')
  }

  /** A class and its folds; of what a class leaves out the folds are left out, too. */
  #foldedGroup(ranges: Ranges, negate: boolean): Ranges {
    if (!this.#flags.fold) return ranges
    const folded: number[] = []
    const kept = negate ? negated(ranges) : ranges
    for (let i = 0; i < kept.length; i += 2) appendFolded(folded, kept[i]!, kept[i + 1]!)
    return negate ? negated(merged(folded)) : merged(folded)
  }

  #unicodeClass(isNegative: boolean): Ranges {
    const begin = this.#at
    this.#at += 2
    if (this.isAtEnd) throw new RegexpSyntaxError('invalid character class range', this.#text.slice(begin))
    let name: string
    if (this.#text[this.#at] === '{') {
      const end = this.#text.indexOf('}', this.#at)
      if (end < 0) throw new RegexpSyntaxError('invalid character class range', this.#text.slice(begin))
      name = this.#text.slice(this.#at + 1, end)
      this.#at = end + 1
    } else name = String.fromCodePoint(this.#rune())
    const isInverted = name.startsWith('^')
    const group = unicodeGroup(isInverted ? name.slice(1) : name, {
      fold: this.#flags.fold,
      negate: isNegative !== isInverted,
    })
    if (group === undefined) {
      throw new RegexpSyntaxError('invalid character class range', this.#text.slice(begin, this.#at))
    }
    return group
  }

  #escapedRune(): number {
    const begin = this.#at++
    if (this.isAtEnd) throw new RegexpSyntaxError('trailing backslash at end of expression', '')
    const rune = this.#rune()
    const value = this.#escaped(rune)
    if (value === undefined) throw new RegexpSyntaxError('invalid escape sequence', this.#text.slice(begin, this.#at))
    return value
  }

  #escaped(rune: number): number | undefined {
    const control = controls.get(rune)
    if (control !== undefined) return control
    if (isOctal(rune)) return this.#octal(rune)
    if (rune === 0x78) return this.#hexadecimal()
    return rune < 0x80 && !isAlphanumeric(rune) ? rune : undefined
  }

  /** Up to three digits; one alone that is not zero would be a reference to a group. */
  #octal(first: number): number | undefined {
    if (first !== 0x30 && !isOctal(this.#text.charCodeAt(this.#at))) return undefined
    let value = first - 0x30
    for (let i = 1; i < 3 && isOctal(this.#text.charCodeAt(this.#at)); i++) {
      value = value * 8 + this.#text.charCodeAt(this.#at++) - 0x30
    }
    return value
  }

  #hexadecimal(): number | undefined {
    if (this.isAtEnd) return undefined
    const first = this.#rune()
    if (first === 0x7b) return this.#braced()
    const second = this.isAtEnd ? 0 : this.#rune()
    const [high, low] = [hexDigit(first), hexDigit(second)]
    return high < 0 || low < 0 ? undefined : high * 16 + low
  }

  #braced(): number | undefined {
    let value = 0
    for (let digits = 0; !this.isAtEnd; digits++) {
      const rune = this.#rune()
      if (rune === 0x7d) return digits === 0 ? undefined : value
      const digit = hexDigit(rune)
      value = value * 16 + digit
      if (digit < 0 || value > MAX_RUNE) return undefined
    }
    return undefined
  }

  #openBracket(): void {
    const begin = this.#at++
    const isNegative = this.#text[this.#at] === '^'
    if (isNegative) this.#at++
    this.#bracket = { begin, isNegative, ranges: [], isFirst: true }
  }

  #bracketStep(bracket: Bracket): void {
    const { ranges, begin, isNegative, isFirst } = bracket
    if (isFirst || this.#text[this.#at] !== ']') {
      bracket.isFirst = false
      this.#bracketItem(ranges, begin)
      return
    }
    this.#at++
    this.#bracket = undefined
    const source = `${this.#flags.fold ? 'i' : ''}${this.#text.slice(begin, this.#at)}`
    const known = this.#brackets.get(source)
    const set = known ?? (isNegative ? negated(merged(ranges)) : merged(ranges))
    if (known === undefined && this.#brackets.size < MAX_SHARED) this.#brackets.set(source, set)
    this.#class(set)
  }

  #bracketItem(ranges: number[], begin: number): void {
    const named = this.#posix() ?? this.#group()
    if (named !== undefined) {
      push(ranges, named)
      return
    }
    const from = this.#at
    const lo = this.#bracketRune(begin)
    let hi = lo
    const next = this.#text[this.#at + 1]
    if (this.#text[this.#at] === '-' && next !== undefined && next !== ']') {
      this.#at++
      hi = this.#bracketRune(begin)
      if (hi < lo) throw new RegexpSyntaxError('invalid character class range', this.#text.slice(from, this.#at))
    }
    if (this.#flags.fold) appendFolded(ranges, lo, hi)
    else ranges.push(lo, hi)
  }

  #bracketRune(begin: number): number {
    if (this.isAtEnd) throw new RegexpSyntaxError('missing closing ]', this.#text.slice(begin))
    return this.#text[this.#at] === '\\' ? this.#escapedRune() : this.#rune()
  }

  #posix(): Ranges | undefined {
    if (!this.#hasPosixEnd || !this.#text.startsWith('[:', this.#at)) return undefined
    const end = this.#text.indexOf(':]', this.#at + 2)
    this.#hasPosixEnd = end >= 0
    if (end < 0) return undefined
    const name = this.#text.slice(this.#at + 2, end)
    const isNegative = name.startsWith('^')
    const ranges = posixClasses.get(isNegative ? name.slice(1) : name)
    if (ranges === undefined) {
      throw new RegexpSyntaxError('invalid character class range', this.#text.slice(this.#at, end + 2))
    }
    this.#at = end + 2
    return this.#foldedGroup(isNegative ? negated(ranges) : ranges, isNegative)
  }
}

function foldsOf(rune: number): Ranges {
  const ranges: number[] = []
  appendFolded(ranges, rune, rune)
  return merged(ranges)
}

const leaf: Extent = { size: 1, height: 1, repeats: 0, nullable: false }

const extent = ({ size, height, repeats, nullable }: Extent): Extent => ({ size, height, repeats, nullable })

const flagNames: ReadonlyMap<string, keyof Flags> = new Map([
  ['i', 'fold'],
  ['m', 'multiLine'],
  ['s', 'dotAll'],
  ['U', 'lazy'],
])

const assertions: ReadonlyMap<string, number> = new Map([
  ['A', BEGIN_TEXT],
  ['z', END_TEXT],
  ['b', WORD_BOUNDARY],
  ['B', NO_WORD_BOUNDARY],
])

/** `\a`, `\f`, `\n`, `\r`, `\t`, `\v`. */
const controls: ReadonlyMap<number, number> = new Map([
  [0x61, 0x07],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
  [0x76, 0x0b],
])

const counts = /\{(0|[1-9][0-9]*)(,(|0|[1-9][0-9]*))?\}/y

/** As Go reckons it. */
function repeatSize(size: number, { min, max, counted }: { min: number; max: number; counted: boolean }): number {
  if (!counted) return size + (max < 0 && min === 0 ? 2 : 1)
  if (max < 0) return min === 0 ? 2 + size : 1 + min * size
  return Math.max(1, max * size + (max - min))
}

const isOctal = (rune: number): boolean => rune >= 0x30 && rune <= 0x37

const isAlphanumeric = (rune: number): boolean =>
  (rune >= 0x30 && rune <= 0x39) || (rune >= 0x41 && rune <= 0x5a) || (rune >= 0x61 && rune <= 0x7a)

function hexDigit(rune: number): number {
  if (rune >= 0x30 && rune <= 0x39) return rune - 0x30
  if (rune >= 0x41 && rune <= 0x46) return rune - 0x37
  return rune >= 0x61 && rune <= 0x66 ? rune - 0x57 : -1
}
