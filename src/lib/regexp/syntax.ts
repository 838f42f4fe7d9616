/**
 * Parses a regular expression as Go's package regexp/syntax does with its Perl flags, with the same limits and the same
 * errors. Groups do not capture: submatches are not supported. Parsing is linear in the expression and yields on the
 * way; a counted repetition is kept as such and not yet written out.
 */
import type { Steps } from '../in-turns.ts'
import { appendFolded, MAX_RUNE, merged, negated, type Ranges } from './char-class.ts'
import { ClassSyntax } from './class-syntax.ts'
import { escapedRune } from './escapes.ts'
import { type GroupFlags, plainFlags, readFlags } from './group-flags.ts'
import {
  BEGIN_LINE,
  BEGIN_TEXT,
  END_LINE,
  END_TEXT,
  extent,
  joinedNode,
  leaf,
  NO_WORD_BOUNDARY,
  type RegexpNode,
  type RepeatNode,
  repeatSize,
  WORD_BOUNDARY,
} from './node.ts'
import { PatternSource, RegexpSyntaxError } from './source.ts'

const MAX_SIZE = Math.floor((128 << 20) / 40)
const MAX_RANGES = (128 << 20) / 4
const MAX_HEIGHT = 1000
const MAX_REPEAT = 1000

/** Nodes and classes that are shared within an expression. */
const MAX_SHARED = 1000

/** Characters between two yields. */
const chunk = 4096

/** A group that is open: what stood in front of it waits below. */
interface Frame {
  readonly flags: GroupFlags
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

const newLine = 0x0a
const notNewLine: Ranges = [0, newLine - 1, newLine + 1, MAX_RUNE]
const anyRune: Ranges = [0, MAX_RUNE]

class Parser {
  readonly #source: PatternSource
  readonly #classes: ClassSyntax
  #flags: GroupFlags = plainFlags
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

  constructor(text: string) {
    this.#source = new PatternSource(text)
    this.#classes = new ClassSyntax(this.#source)
  }

  get isAtEnd(): boolean {
    return this.#source.isAtEnd
  }

  get position(): number {
    return this.#source.at
  }

  /** One token, or one item of what is open. */
  step(): void {
    if (this.#bracket !== undefined) this.#bracketStep(this.#bracket)
    else if (this.#quoteEnd >= 0) this.#quoteStep()
    else this.#tokenStep()
  }

  #tokenStep(): void {
    const begin = this.#source.at
    const isRepeat = this.#token(this.#source.text[begin]!)
    this.#lastRepeat = isRepeat ? (this.#lastRepeat < 0 ? begin : this.#lastRepeat) : -1
  }

  end(): RegexpNode {
    if (this.#bracket !== undefined) {
      throw new RegexpSyntaxError('missing closing ]', this.#source.text.slice(this.#bracket.begin))
    }
    if (this.#frames.length > 1) throw new RegexpSyntaxError('missing closing )', this.#source.text)
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
        this.#source.at++
        this.#closeAlternative()
        return false
      case '^':
        return this.#assertion(this.#flags.multiLine ? BEGIN_LINE : BEGIN_TEXT, 1)
      case '$':
        return this.#assertion(this.#flags.multiLine ? END_LINE : END_TEXT, 1)
      case '.':
        this.#source.at++
        this.#class(this.#flags.dotAll ? anyRune : notNewLine)
        return false
      case '[':
        this.#openBracket()
        return false
      case '*':
      case '+':
      case '?':
        this.#source.at++
        this.#repeat(character === '+' ? 1 : 0, character === '?' ? 1 : -1, {
          begin: this.#source.at - 1,
          counted: false,
        })
        return true
      case '{':
        return this.#counted()
      case '\\':
        return this.#escape()
      default:
        this.#literal(this.#source.rune())
        return false
    }
  }

  #push(node: RegexpNode): void {
    this.#check(node)
    this.#frame.parts.push(node)
  }

  #check({ size, height }: RegexpNode): void {
    if (size > MAX_SIZE || this.#ranges > MAX_RANGES)
      throw new RegexpSyntaxError('expression too large', this.#source.text)
    if (height > MAX_HEIGHT) throw new RegexpSyntaxError('expression nests too deeply', this.#source.text)
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
    this.#source.at += width
    this.#push({ op: 'assert', mask, ...leaf, nullable: true })
    return false
  }

  #openGroup(): void {
    const begin = this.#source.at
    if (this.#source.text[begin + 1] !== '?') {
      this.#source.at++
      this.#open(true)
      return
    }
    if (this.#source.text[begin + 2] === '<' || this.#source.text.startsWith('P<', begin + 2)) this.#named(begin)
    else this.#flagGroup(begin)
  }

  #open(captures: boolean): void {
    this.#frames.push({ flags: this.#flags, captures, alternatives: [], parts: [] })
  }

  #named(begin: number): void {
    const from = begin + (this.#source.text[begin + 2] === 'P' ? 4 : 3)
    const end = this.#source.text.indexOf('>', begin)
    if (from >= this.#source.text.length) {
      this.#flagGroup(begin)
      return
    }
    if (end < 0) throw new RegexpSyntaxError('invalid named capture', this.#source.text.slice(begin))
    if (!/^\w+$/.test(this.#source.text.slice(from, end))) {
      throw new RegexpSyntaxError('invalid named capture', this.#source.text.slice(begin, end + 1))
    }
    this.#source.at = end + 1
    this.#open(true)
  }

  /** `(?flags)` and `(?flags:`. */
  #flagGroup(begin: number): void {
    const { flags, opensGroup } = readFlags(this.#source, begin, this.#flags)
    if (opensGroup) this.#open(false)
    this.#flags = flags
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
    if (this.#frames.length === 1) throw new RegexpSyntaxError('unexpected )', this.#source.text)
    const frame = this.#frame
    const sub = this.#closeAlternatives(frame)
    this.#frames.pop()
    this.#flags = frame.flags
    this.#source.at++
    if (!frame.captures) this.#push(sub)
    else this.#push({ ...extent(sub), op: 'group', sub, size: sub.size + 2, height: sub.height + 1 })
  }

  #joined(op: 'concat' | 'alternate', subs: readonly RegexpNode[]): RegexpNode {
    const node = joinedNode(op, subs)
    if (subs.length > 1) this.#check(node)
    return node
  }

  /** `{n}`, `{n,}`, `{n,m}`; a brace that is none of them is itself. */
  #counted(): boolean {
    const begin = this.#source.at
    counts.lastIndex = begin
    const found = counts.exec(this.#source.text)
    if (found === null) {
      this.#source.at++
      this.#literal(0x7b)
      return false
    }
    this.#source.at = counts.lastIndex
    const min = Number(found[1])
    const max = found[2] === undefined ? min : found[3] === '' ? -1 : Number(found[3])
    if (min > MAX_REPEAT || max > MAX_REPEAT || (max >= 0 && min > max)) this.#badCount(begin)
    this.#repeat(min, max, { begin, counted: true })
    return true
  }

  #badCount(begin: number): never {
    throw new RegexpSyntaxError('invalid repeat count', this.#source.since(begin))
  }

  #repeat(min: number, max: number, { begin, counted }: { begin: number; counted: boolean }): void {
    let { lazy } = this.#flags
    if (this.#source.text[this.#source.at] === '?') {
      this.#source.at++
      lazy = !lazy
    }
    if (this.#lastRepeat >= 0) {
      throw new RegexpSyntaxError(
        'invalid nested repetition operator',
        this.#source.text.slice(this.#lastRepeat, this.#source.at),
      )
    }
    const { parts } = this.#frame
    const sub = parts.pop()
    if (sub === undefined) {
      throw new RegexpSyntaxError('missing argument to repetition operator', this.#source.since(begin))
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
    const name = this.#source.text[this.#source.at + 1]
    const mask = name === undefined ? undefined : assertions.get(name)
    if (mask !== undefined) return this.#assertion(mask, 2)
    if (name === 'C') throw new RegexpSyntaxError('invalid escape sequence', '\\C')
    if (name === 'Q') this.#openQuote()
    else {
      const group = this.#classes.group(this.#flags.fold)
      if (group !== undefined) this.#class(group)
      else this.#literal(escapedRune(this.#source))
    }
    return false
  }

  /** `\Q...\E`, without an end up to the end. */
  #openQuote(): void {
    const end = this.#source.text.indexOf('\\E', this.#source.at + 2)
    this.#source.at += 2
    this.#quoteEnd = end < 0 ? this.#source.text.length : end
    if (this.#source.at === this.#quoteEnd) this.#closeQuote()
  }

  #quoteStep(): void {
    this.#literal(this.#source.rune())
    if (this.#source.at >= this.#quoteEnd) this.#closeQuote()
  }

  #closeQuote(): void {
    this.#source.at = Math.min(this.#quoteEnd + 2, this.#source.text.length)
    this.#quoteEnd = -1
  }

  #openBracket(): void {
    const begin = this.#source.at++
    const isNegative = this.#source.text[this.#source.at] === '^'
    if (isNegative) this.#source.at++
    this.#bracket = { begin, isNegative, ranges: [], isFirst: true }
  }

  #bracketStep(bracket: Bracket): void {
    const { ranges, begin, isNegative, isFirst } = bracket
    if (isFirst || this.#source.text[this.#source.at] !== ']') {
      bracket.isFirst = false
      this.#classes.item(ranges, begin, this.#flags.fold)
      return
    }
    this.#source.at++
    this.#bracket = undefined
    const source = `${this.#flags.fold ? 'i' : ''}${this.#source.since(begin)}`
    const known = this.#brackets.get(source)
    const set = known ?? (isNegative ? negated(merged(ranges)) : merged(ranges))
    if (known === undefined && this.#brackets.size < MAX_SHARED) this.#brackets.set(source, set)
    this.#class(set)
  }
}

function foldsOf(rune: number): Ranges {
  const ranges: number[] = []
  appendFolded(ranges, rune, rune)
  return merged(ranges)
}

const assertions: ReadonlyMap<string, number> = new Map([
  ['A', BEGIN_TEXT],
  ['z', END_TEXT],
  ['b', WORD_BOUNDARY],
  ['B', NO_WORD_BOUNDARY],
])

const counts = /\{(0|[1-9][0-9]*)(,(|0|[1-9][0-9]*))?\}/y
