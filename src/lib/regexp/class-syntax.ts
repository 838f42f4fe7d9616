/** Classes of characters as expressions write them: by an escape, by the name of a Unicode group, or item by item. */
import {
  appendFolded,
  merged,
  negated,
  perlClasses,
  posixClasses,
  push,
  type Ranges,
  unicodeGroup,
} from './char-class.ts'
import { escapedRune } from './escapes.ts'
import { type PatternSource, RegexpSyntaxError } from './source.ts'

export class ClassSyntax {
  readonly #source: PatternSource
  #hasPosixEnd = true

  constructor(source: PatternSource) {
    this.#source = source
  }

  /** A class that is named by an escape: undefined where there is none. */
  group(fold: boolean): Ranges | undefined {
    if (this.#source.text[this.#source.at] !== '\\') return undefined
    const name = this.#source.text[this.#source.at + 1] ?? ''
    if (name === 'p' || name === 'P') return this.#unicodeClass(name === 'P', fold)
    const perl = perlClasses.get(name)
    if (perl === undefined) return undefined
    this.#source.at += 2
    const isNegative = name >= 'A' && name <= 'Z'
    return fold ? foldedGroup(perl, isNegative) : perl
  }

  #unicodeClass(isNegative: boolean, fold: boolean): Ranges {
    const begin = this.#source.at
    this.#source.at += 2
    if (this.#source.isAtEnd)
      throw new RegexpSyntaxError('invalid character class range', this.#source.text.slice(begin))
    let name: string
    if (this.#source.text[this.#source.at] === '{') {
      const end = this.#source.text.indexOf('}', this.#source.at)
      if (end < 0) throw new RegexpSyntaxError('invalid character class range', this.#source.text.slice(begin))
      name = this.#source.text.slice(this.#source.at + 1, end)
      this.#source.at = end + 1
    } else name = String.fromCodePoint(this.#source.rune())
    const isInverted = name.startsWith('^')
    const group = unicodeGroup(isInverted ? name.slice(1) : name, {
      fold,
      negate: isNegative !== isInverted,
    })
    if (group === undefined) {
      throw new RegexpSyntaxError('invalid character class range', this.#source.since(begin))
    }
    return group
  }

  /** One item of a class in brackets that began at a place. */
  item(ranges: number[], begin: number, fold: boolean): void {
    const named = this.#posix(fold) ?? this.group(fold)
    if (named !== undefined) {
      push(ranges, named)
      return
    }
    const from = this.#source.at
    const lo = this.#bracketRune(begin)
    let hi = lo
    const next = this.#source.text[this.#source.at + 1]
    if (this.#source.text[this.#source.at] === '-' && next !== undefined && next !== ']') {
      this.#source.at++
      hi = this.#bracketRune(begin)
      if (hi < lo)
        throw new RegexpSyntaxError('invalid character class range', this.#source.text.slice(from, this.#source.at))
    }
    if (fold) appendFolded(ranges, lo, hi)
    else ranges.push(lo, hi)
  }

  #bracketRune(begin: number): number {
    if (this.#source.isAtEnd) throw new RegexpSyntaxError('missing closing ]', this.#source.text.slice(begin))
    return this.#source.text[this.#source.at] === '\\' ? escapedRune(this.#source) : this.#source.rune()
  }

  #posix(fold: boolean): Ranges | undefined {
    if (!this.#hasPosixEnd || !this.#source.text.startsWith('[:', this.#source.at)) return undefined
    const end = this.#source.text.indexOf(':]', this.#source.at + 2)
    this.#hasPosixEnd = end >= 0
    if (end < 0) return undefined
    const name = this.#source.text.slice(this.#source.at + 2, end)
    const isNegative = name.startsWith('^')
    const ranges = posixClasses.get(isNegative ? name.slice(1) : name)
    if (ranges === undefined) {
      throw new RegexpSyntaxError('invalid character class range', this.#source.text.slice(this.#source.at, end + 2))
    }
    this.#source.at = end + 2
    const named = isNegative ? negated(ranges) : ranges
    return fold ? foldedGroup(named, isNegative) : named
  }
}

/** A class and its folds; of what a class leaves out the folds are left out, too. */
function foldedGroup(ranges: Ranges, negate: boolean): Ranges {
  const folded: number[] = []
  const kept = negate ? negated(ranges) : ranges
  for (let i = 0; i < kept.length; i += 2) appendFolded(folded, kept[i]!, kept[i + 1]!)
  return negate ? negated(merged(folded)) : merged(folded)
}
