/** A cursor over YAML text, and the scalars that it reads, as libyaml reads them. */
import { type Mark, scannerError } from './yaml-token.ts'

export const isBreak = (char: string): boolean =>
  char === '\n' || char === '\r' || char === '\u0085' || char === '\u2028' || char === '\u2029'
export const isBlank = (char: string): boolean => char === ' ' || char === '\t'
/** Blank, break, or the end of the text. */
export const isGap = (char: string): boolean => char === '' || isBlank(char) || isBreak(char)

const escapes: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  N: '\u0085',
  _: '\u00a0',
  L: '\u2028',
  P: '\u2029',
}

const hexLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

export class YamlText {
  readonly #text: string
  at = 0
  line = 0
  #lineStart = 0

  constructor(text: string) {
    this.#text = text
    if (text.startsWith('\ufeff')) {
      this.at = 1
      this.#lineStart = 1
    }
  }

  get column(): number {
    return this.at - this.#lineStart
  }

  mark(): Mark {
    return { index: this.at, line: this.line, column: this.column }
  }

  char(offset = 0): string {
    return this.#text.charAt(this.at + offset)
  }

  /** From a place up to this one. */
  since(from: number): string {
    return this.#text.slice(from, this.at)
  }

  skipLine(): void {
    while (this.char() !== '' && !isBreak(this.char())) this.at++
  }

  /** The end of the text ends a line that has begun. */
  endLine(): void {
    if (this.column === 0) return
    this.line++
    this.#lineStart = this.at
  }

  /** Takes a line break and gives it as it counts in a scalar. */
  skipBreak(): string {
    const char = this.char()
    this.at += char === '\r' && this.char(1) === '\n' ? 2 : 1
    this.line++
    this.#lineStart = this.at
    return char === '\u2028' || char === '\u2029' ? char : '\n'
  }

  atDocumentMark(mark: string): boolean {
    return this.column === 0 && this.#text.startsWith(mark, this.at) && isGap(this.char(3))
  }

  /** A scalar without quotes, which ends where the line or what is around it does. */
  plainScalar(start: Mark, { indent, inFlow }: { indent: number; inFlow: boolean }): { text: string; broken: boolean } {
    let text = ''
    let gap = ''
    let broken = false
    for (;;) {
      if (this.atDocumentMark('---') || this.atDocumentMark('...') || this.char() === '#') break
      const from = this.at
      while (!isGap(this.char()) && !this.#endsPlain(inFlow)) this.at++
      if (this.at > from) {
        text += gap + this.since(from)
        gap = ''
        broken = false
      }
      if (!isBlank(this.char()) && !isBreak(this.char())) break
      const folded = this.#foldGap((char) => {
        if (char === '\t' && this.column < indent) {
          throw scannerError('found a tab character that violates indentation', this.mark(), start)
        }
      })
      gap = folded.text
      broken = folded.broken
      if (!inFlow && this.column < indent) break
    }
    return { text, broken }
  }

  #endsPlain(inFlow: boolean): boolean {
    const char = this.char()
    if (char === ':') return isGap(this.char(1))
    return inFlow && ',?[]{}'.includes(char)
  }

  /** Blanks and breaks between words: blanks stay, one break is a blank, more breaks are one fewer. */
  #foldGap(checkLeading: (char: string) => void = () => undefined): { text: string; broken: boolean } {
    let blanks = ''
    let first: string | undefined
    let breaks = ''
    for (let char = this.char(); isBlank(char) || isBreak(char); char = this.char()) {
      if (isBreak(char)) {
        if (first === undefined) first = this.skipBreak()
        else breaks += this.skipBreak()
      } else {
        if (first !== undefined) checkLeading(char)
        else blanks += char
        this.at++
      }
    }
    if (first === undefined) return { text: blanks, broken: false }
    if (first !== '\n') return { text: first + breaks, broken: true }
    return { text: breaks === '' ? ' ' : breaks, broken: true }
  }

  quotedScalar(quote: string, start: Mark): string {
    this.at++
    let text = ''
    for (;;) {
      if (this.atDocumentMark('---') || this.atDocumentMark('...')) {
        throw scannerError('found unexpected document indicator', this.mark(), start)
      }
      if (this.char() === '') throw scannerError('found unexpected end of stream', this.mark(), start)
      text += this.#quotedWord(quote, start)
      if (this.char() === quote) break
      text += this.#foldGap().text
    }
    this.at++
    return text
  }

  #quotedWord(quote: string, start: Mark): string {
    let text = ''
    for (let char = this.char(); !isGap(char); char = this.char()) {
      if (char === quote) {
        if (quote === '"' || this.char(1) !== "'") break
        text += "'"
        this.at += 2
      } else if (quote === '"' && char === '\\') {
        text += isBreak(this.char(1)) ? this.#escapedBreak() : this.#escape(start)
      } else {
        text += char
        this.at++
      }
    }
    return text
  }

  /** Nothing stands for the break or the blanks after it; further breaks count in full. */
  #escapedBreak(): string {
    this.at++
    this.skipBreak()
    let breaks = ''
    while (isBlank(this.char()) || isBreak(this.char())) {
      if (isBreak(this.char())) breaks += this.skipBreak()
      else this.at++
    }
    return breaks
  }

  #escape(start: Mark): string {
    const code = this.char(1)
    const short = escapes[code]
    if (short !== undefined) {
      this.at += 2
      return short
    }
    const length = hexLengths[code]
    if (length === undefined) throw scannerError('found unknown escape character', this.mark(), start)
    this.at += 2
    const digits = this.#text.slice(this.at, this.at + length)
    if (!new RegExp(`^[0-9a-fA-F]{${length}}$`).test(digits)) {
      throw scannerError('did not find expected hexdecimal number', this.mark(), start)
    }
    const point = Number.parseInt(digits, 16)
    if ((point >= 0xd800 && point <= 0xdfff) || point > 0x10ffff) {
      throw scannerError('found invalid Unicode character escape code', this.mark(), start)
    }
    this.at += length
    return String.fromCodePoint(point)
  }

  /** `around` is the indentation of what the scalar is in. */
  blockScalar(start: Mark, { literal, around }: { literal: boolean; around: number }): string {
    this.at++
    const { chomp, increment } = this.#blockHeader(start)
    let indent = increment === 0 ? 0 : Math.max(around, 0) + increment
    let text = ''
    let lineEnd = ''
    let wasBlank = false
    const before = this.#blockBreaks(indent, start)
    indent = indent === 0 ? Math.max(before.widest, around + 1, 1) : indent
    let breaks = before.breaks
    while (this.column === indent && this.char() !== '') {
      const startsBlank = isBlank(this.char())
      if (!literal && lineEnd === '\n' && !wasBlank && !startsBlank) text += breaks === '' ? ' ' : ''
      else text += lineEnd
      text += breaks
      wasBlank = startsBlank
      const from = this.at
      this.skipLine()
      text += this.since(from)
      lineEnd = this.char() === '' ? '' : this.skipBreak()
      breaks = this.#blockBreaks(indent, start).breaks
    }
    if (chomp !== '-') text += lineEnd
    if (chomp === '+') text += breaks
    return text
  }

  #blockHeader(start: Mark): { chomp: string; increment: number } {
    let chomp = ''
    let increment = 0
    for (let i = 0; i < 2; i++) {
      const char = this.char()
      if (chomp === '' && (char === '+' || char === '-')) chomp = char
      else if (increment === 0 && /[0-9]/.test(char)) {
        if (char === '0') throw scannerError('found an indentation indicator equal to 0', this.mark(), start)
        increment = Number(char)
      } else break
      this.at++
    }
    while (isBlank(this.char())) this.at++
    if (this.char() === '#') this.skipLine()
    if (this.char() !== '' && !isBreak(this.char())) {
      throw scannerError('did not find expected comment or line break', this.mark(), start)
    }
    if (this.char() !== '') this.skipBreak()
    return { chomp, increment }
  }

  /** Empty lines and indentation before a line of text, all of it while the indentation is not known (0). */
  #blockBreaks(indent: number, start: Mark): { widest: number; breaks: string } {
    let breaks = ''
    let widest = 0
    for (;;) {
      while ((indent === 0 || this.column < indent) && this.char() === ' ') this.at++
      widest = Math.max(widest, this.column)
      if ((indent === 0 || this.column < indent) && this.char() === '\t') {
        throw scannerError('found a tab character where an indentation space is expected', this.mark(), start)
      }
      if (!isBreak(this.char())) break
      breaks += this.skipBreak()
    }
    return { widest, breaks }
  }
}
