/**
 * Cuts YAML 1.1 text into tokens as libyaml does, since error texts and the odd corners (tabs, simple keys, folding)
 * follow from how it does so. Block structure shows as tokens of its own: `block-map-start`, `key`, `value`,
 * `block-end`. Time is linear in the text, and nesting has a bound.
 */
export interface Mark {
  readonly index: number
  readonly line: number
  readonly column: number
}

export type TokenType =
  | 'stream-end'
  | 'directive'
  | 'document-start'
  | 'document-end'
  | 'block-seq-start'
  | 'block-map-start'
  | 'block-end'
  | 'flow-seq-start'
  | 'flow-seq-end'
  | 'flow-map-start'
  | 'flow-map-end'
  | 'block-entry'
  | 'flow-entry'
  | 'key'
  | 'value'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'scalar'

export interface Token {
  readonly type: TokenType
  readonly start: Mark
  /** Text of a scalar, name of an anchor or alias, text of a tag. */
  readonly text: string
  /** A scalar without quotes, whose text decides what it is. */
  readonly plain: boolean
}

/** What is wrong with the text. The line is told as the reference tells it, which depends on who found the mistake. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
}

const where = (line: number): string => (line === 0 ? '' : `line ${line}: `)

function scannerError(problem: string, at: Mark, context?: Mark): YamlError {
  return new YamlError(`yaml: ${where(at.line > 0 ? at.line + 1 : (context?.line ?? 0))}${problem}`)
}

export function parserError(problem: string, at: Mark, context?: Mark): YamlError {
  return new YamlError(`yaml: ${where(at.line > 0 ? at.line : (context?.line ?? 0))}${problem}`)
}

export const tooDeep = (): YamlError => new YamlError('yaml: exceeded max depth of 10000')

/** Collections inside collections. */
export const maxDepth = 1000
/** A key without a question mark is on one line and no longer than this. */
const maxKeyLength = 1024

interface SimpleKey {
  possible: boolean
  required: boolean
  tokenNumber: number
  mark: Mark
}

const isBreak = (char: string): boolean =>
  char === '\n' || char === '\r' || char === '\u0085' || char === '\u2028' || char === '\u2029'
const isBlank = (char: string): boolean => char === ' ' || char === '\t'
/** Blank, break, or the end of the text. */
const isGap = (char: string): boolean => char === '' || isBlank(char) || isBreak(char)

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

export class YamlScanner {
  readonly #text: string
  #at = 0
  #line = 0
  #lineStart = 0
  #tokens: Token[] = []
  /** How many tokens were handed out, which numbers the one at the head of the queue. */
  #taken = 0
  #head = 0
  #done = false
  #flowLevel = 0
  #indent = -1
  #indents: number[] = []
  #keyAllowed = true
  /** The possible key of each flow level; the first is that of the block structure. */
  #keys: SimpleKey[] = [this.#noKey()]
  #keyOfToken = new Map<number, SimpleKey>()

  constructor(text: string) {
    this.#text = text
    if (text.startsWith('\ufeff')) {
      this.#at = 1
      this.#lineStart = 1
    }
  }

  /** The next token, without taking it. */
  peek(): Token {
    this.#fill()
    return this.#tokens[this.#head] as Token
  }

  take(): Token {
    const token = this.peek()
    this.#keyOfToken.delete(this.#taken)
    this.#head++
    this.#taken++
    if (this.#head > 256) {
      this.#tokens.splice(0, this.#head)
      this.#head = 0
    }
    return token
  }

  /** Scans on until the head of the queue cannot become the key of a mapping any more. */
  #fill(): void {
    while (!this.#done) {
      const key = this.#keyOfToken.get(this.#taken)
      if (this.#head < this.#tokens.length && !(key !== undefined && this.#checkKey(key))) return
      this.#fetch()
    }
  }

  get #column(): number {
    return this.#at - this.#lineStart
  }

  #mark(): Mark {
    return { index: this.#at, line: this.#line, column: this.#column }
  }

  #noKey(): SimpleKey {
    return { possible: false, required: false, tokenNumber: 0, mark: { index: 0, line: 0, column: 0 } }
  }

  #char(offset = 0): string {
    return this.#text.charAt(this.#at + offset)
  }

  #push(type: TokenType, start: Mark, text = '', plain = false): void {
    this.#tokens.push({ type, start, text, plain })
  }

  #fetch(): void {
    this.#skipToToken()
    // Only a key of the block structure can be required, and it must be known in time that it never comes.
    this.#checkKey(this.#keys[0] as SimpleKey)
    this.#unrollIndent(this.#column)
    const char = this.#char()
    const start = this.#mark()
    if (char === '') this.#streamEnd(start)
    else if (this.#column === 0 && char === '%') this.#directive(start)
    else if (this.#atDocumentMark('---')) this.#documentMark('document-start', start)
    else if (this.#atDocumentMark('...')) this.#documentMark('document-end', start)
    else if (!this.#fetchIndicator(char, start)) this.#fetchPlain(char, start)
  }

  #fetchPlain(char: string, start: Mark): void {
    const next = this.#char(1)
    const startsPlain = !isGap(char) && !'-?:,[]{}#&*!|>\'"%@`'.includes(char)
    const isPlain =
      startsPlain ||
      (char === '-' && !isBlank(next)) ||
      (this.#flowLevel === 0 && (char === '?' || char === ':') && !isGap(next))
    if (!isPlain) throw scannerError('found character that cannot start any token', start, start)
    this.#saveKey()
    this.#keyAllowed = false
    this.#plainScalar(start)
  }

  #fetchIndicator(char: string, start: Mark): boolean {
    const next = this.#char(1)
    const inFlow = this.#flowLevel > 0
    switch (char) {
      case '[':
      case '{':
        this.#flowStart(char === '[' ? 'flow-seq-start' : 'flow-map-start', start)
        return true
      case ']':
      case '}':
        this.#flowEnd(char === ']' ? 'flow-seq-end' : 'flow-map-end', start)
        return true
      case ',':
        this.#removeKey()
        this.#keyAllowed = true
        this.#at++
        this.#push('flow-entry', start)
        return true
      case '-':
        if (!isGap(next)) return false
        this.#blockEntry(start)
        return true
      case '?':
        if (!inFlow && !isGap(next)) return false
        this.#key(start)
        return true
      case ':':
        if (!inFlow && !isGap(next)) return false
        this.#value(start)
        return true
      case '*':
      case '&':
        this.#saveKey()
        this.#keyAllowed = false
        this.#anchor(char === '*' ? 'alias' : 'anchor', start)
        return true
      case '!':
        this.#saveKey()
        this.#keyAllowed = false
        this.#tag(start)
        return true
      case '|':
      case '>':
        if (inFlow) return false
        this.#removeKey()
        this.#keyAllowed = true
        this.#blockScalar(char === '|', start)
        return true
      case "'":
      case '"':
        this.#saveKey()
        this.#keyAllowed = false
        this.#quotedScalar(char, start)
        return true
      default:
        return false
    }
  }

  #skipToToken(): void {
    for (;;) {
      while (this.#char() === ' ' || (this.#char() === '\t' && (this.#flowLevel > 0 || !this.#keyAllowed))) this.#at++
      if (this.#char() === '#') while (this.#char() !== '' && !isBreak(this.#char())) this.#at++
      if (!isBreak(this.#char())) return
      this.#skipBreak()
      if (this.#flowLevel === 0) this.#keyAllowed = true
    }
  }

  /** Takes a line break and gives it as it counts in a scalar. */
  #skipBreak(): string {
    const char = this.#char()
    this.#at += char === '\r' && this.#char(1) === '\n' ? 2 : 1
    this.#line++
    this.#lineStart = this.#at
    return char === '\u2028' || char === '\u2029' ? char : '\n'
  }

  #atDocumentMark(mark: string): boolean {
    return this.#column === 0 && this.#text.startsWith(mark, this.#at) && isGap(this.#char(3))
  }

  /** Whether the key is still possible: on this line, and near. */
  #checkKey(key: SimpleKey): boolean {
    if (!key.possible) return false
    if (key.mark.line === this.#line && this.#at - key.mark.index <= maxKeyLength) return true
    if (key.required) throw scannerError("could not find expected ':'", this.#mark(), key.mark)
    key.possible = false
    return false
  }

  #saveKey(): void {
    if (!this.#keyAllowed) return
    this.#removeKey()
    const key: SimpleKey = {
      possible: true,
      required: this.#flowLevel === 0 && this.#indent === this.#column,
      tokenNumber: this.#taken + (this.#tokens.length - this.#head),
      mark: this.#mark(),
    }
    this.#keys[this.#keys.length - 1] = key
    this.#keyOfToken.set(key.tokenNumber, key)
  }

  #removeKey(): void {
    const key = this.#keys[this.#keys.length - 1] as SimpleKey
    if (key.possible && key.required) throw scannerError("could not find expected ':'", this.#mark(), key.mark)
    key.possible = false
  }

  #rollIndent(column: number, type: TokenType, mark: Mark, tokenNumber?: number): void {
    if (this.#flowLevel > 0 || this.#indent >= column) return
    this.#indents.push(this.#indent)
    this.#indent = column
    if (this.#indents.length > maxDepth) throw tooDeep()
    this.#insert({ type, start: mark, text: '', plain: false }, tokenNumber)
  }

  #insert(token: Token, tokenNumber?: number): void {
    if (tokenNumber === undefined) this.#tokens.push(token)
    else this.#tokens.splice(this.#head + (tokenNumber - this.#taken), 0, token)
  }

  #unrollIndent(column: number): void {
    if (this.#flowLevel > 0) return
    while (this.#indent > column) {
      this.#push('block-end', this.#mark())
      this.#indent = this.#indents.pop() ?? -1
    }
  }

  #streamEnd(start: Mark): void {
    if (this.#column !== 0) {
      this.#line++
      this.#lineStart = this.#at
    }
    this.#unrollIndent(-1)
    this.#removeKey()
    this.#keyAllowed = false
    this.#push('stream-end', { ...start, line: this.#line, column: 0 })
    this.#done = true
  }

  #directive(start: Mark): void {
    this.#unrollIndent(-1)
    this.#removeKey()
    this.#keyAllowed = false
    const from = this.#at
    while (this.#char() !== '' && !isBreak(this.#char())) this.#at++
    this.#push('directive', start, this.#text.slice(from, this.#at))
  }

  #documentMark(type: TokenType, start: Mark): void {
    this.#unrollIndent(-1)
    this.#removeKey()
    this.#keyAllowed = false
    this.#at += 3
    this.#push(type, start)
  }

  #flowStart(type: TokenType, start: Mark): void {
    this.#saveKey()
    this.#keys.push(this.#noKey())
    if (++this.#flowLevel > maxDepth) throw tooDeep()
    this.#keyAllowed = true
    this.#at++
    this.#push(type, start)
  }

  #flowEnd(type: TokenType, start: Mark): void {
    this.#removeKey()
    if (this.#flowLevel > 0) {
      this.#flowLevel--
      this.#keys.pop()
    }
    this.#keyAllowed = false
    this.#at++
    this.#push(type, start)
  }

  #blockEntry(start: Mark): void {
    if (this.#flowLevel === 0) {
      if (!this.#keyAllowed) {
        throw scannerError('block sequence entries are not allowed in this context', start, start)
      }
      this.#rollIndent(start.column, 'block-seq-start', start)
    }
    this.#removeKey()
    this.#keyAllowed = true
    this.#at++
    this.#push('block-entry', start)
  }

  #key(start: Mark): void {
    if (this.#flowLevel === 0) {
      if (!this.#keyAllowed) throw scannerError('mapping keys are not allowed in this context', start, start)
      this.#rollIndent(start.column, 'block-map-start', start)
    }
    this.#removeKey()
    this.#keyAllowed = this.#flowLevel === 0
    this.#at++
    this.#push('key', start)
  }

  #value(start: Mark): void {
    const key = this.#keys[this.#keys.length - 1] as SimpleKey
    if (this.#checkKey(key)) {
      this.#insert({ type: 'key', start: key.mark, text: '', plain: false }, key.tokenNumber)
      this.#rollIndent(key.mark.column, 'block-map-start', key.mark, key.tokenNumber)
      key.possible = false
      this.#keyAllowed = false
    } else {
      if (this.#flowLevel === 0) {
        if (!this.#keyAllowed) throw scannerError('mapping values are not allowed in this context', start, start)
        this.#rollIndent(start.column, 'block-map-start', start)
      }
      this.#keyAllowed = this.#flowLevel === 0
    }
    this.#at++
    this.#push('value', start)
  }

  #anchor(type: TokenType, start: Mark): void {
    this.#at++
    const from = this.#at
    while (/[0-9A-Za-z_-]/.test(this.#char())) this.#at++
    const name = this.#text.slice(from, this.#at)
    if (name === '' || !(isGap(this.#char()) || '?:,]}%@`'.includes(this.#char()))) {
      throw scannerError('did not find expected alphabetic or numeric character', this.#mark(), start)
    }
    this.#push(type, start, name)
  }

  #tag(start: Mark): void {
    const from = this.#at
    const inFlow = this.#flowLevel > 0
    while (!isGap(this.#char()) && !(inFlow && ',[]{}'.includes(this.#char()))) this.#at++
    this.#push('tag', start, this.#text.slice(from, this.#at))
  }

  #plainScalar(start: Mark): void {
    const indent = this.#indent + 1
    let text = ''
    let gap = ''
    let broken = false
    for (;;) {
      if (this.#atDocumentMark('---') || this.#atDocumentMark('...') || this.#char() === '#') break
      const from = this.#at
      while (!isGap(this.#char()) && !this.#endsPlain()) this.#at++
      if (this.#at > from) {
        text += gap + this.#text.slice(from, this.#at)
        gap = ''
        broken = false
      }
      if (!isBlank(this.#char()) && !isBreak(this.#char())) break
      const folded = this.#foldGap((char) => {
        if (char === '\t' && this.#column < indent) {
          throw scannerError('found a tab character that violates indentation', this.#mark(), start)
        }
      })
      gap = folded.text
      broken = folded.broken
      if (this.#flowLevel === 0 && this.#column < indent) break
    }
    if (broken) this.#keyAllowed = true
    this.#push('scalar', start, text, true)
  }

  #endsPlain(): boolean {
    const char = this.#char()
    if (char === ':') return isGap(this.#char(1))
    return this.#flowLevel > 0 && ',?[]{}'.includes(char)
  }

  /** Blanks and breaks between words: blanks stay, one break is a blank, more breaks are one fewer. */
  #foldGap(checkLeading: (char: string) => void = () => undefined): { text: string; broken: boolean } {
    let blanks = ''
    let first: string | undefined
    let breaks = ''
    for (let char = this.#char(); isBlank(char) || isBreak(char); char = this.#char()) {
      if (isBreak(char)) {
        if (first === undefined) first = this.#skipBreak()
        else breaks += this.#skipBreak()
      } else {
        if (first !== undefined) checkLeading(char)
        else blanks += char
        this.#at++
      }
    }
    if (first === undefined) return { text: blanks, broken: false }
    if (first !== '\n') return { text: first + breaks, broken: true }
    return { text: breaks === '' ? ' ' : breaks, broken: true }
  }

  #quotedScalar(quote: string, start: Mark): void {
    this.#at++
    let text = ''
    for (;;) {
      if (this.#atDocumentMark('---') || this.#atDocumentMark('...')) {
        throw scannerError('found unexpected document indicator', this.#mark(), start)
      }
      if (this.#char() === '') throw scannerError('found unexpected end of stream', this.#mark(), start)
      text += this.#quotedWord(quote, start)
      if (this.#char() === quote) break
      text += this.#foldGap().text
    }
    this.#at++
    this.#push('scalar', start, text)
  }

  #quotedWord(quote: string, start: Mark): string {
    let text = ''
    for (let char = this.#char(); !isGap(char); char = this.#char()) {
      if (char === quote) {
        if (quote === '"' || this.#char(1) !== "'") break
        text += "'"
        this.#at += 2
      } else if (quote === '"' && char === '\\') {
        text += isBreak(this.#char(1)) ? this.#escapedBreak() : this.#escape(start)
      } else {
        text += char
        this.#at++
      }
    }
    return text
  }

  /** Nothing stands for the break or the blanks after it; further breaks count in full. */
  #escapedBreak(): string {
    this.#at++
    this.#skipBreak()
    let breaks = ''
    while (isBlank(this.#char()) || isBreak(this.#char())) {
      if (isBreak(this.#char())) breaks += this.#skipBreak()
      else this.#at++
    }
    return breaks
  }

  #escape(start: Mark): string {
    const code = this.#char(1)
    const short = escapes[code]
    if (short !== undefined) {
      this.#at += 2
      return short
    }
    const length = hexLengths[code]
    if (length === undefined) throw scannerError('found unknown escape character', this.#mark(), start)
    this.#at += 2
    const digits = this.#text.slice(this.#at, this.#at + length)
    if (!new RegExp(`^[0-9a-fA-F]{${length}}$`).test(digits)) {
      throw scannerError('did not find expected hexdecimal number', this.#mark(), start)
    }
    const point = Number.parseInt(digits, 16)
    if ((point >= 0xd800 && point <= 0xdfff) || point > 0x10ffff) {
      throw scannerError('found invalid Unicode character escape code', this.#mark(), start)
    }
    this.#at += length
    return String.fromCodePoint(point)
  }

  #blockScalar(literal: boolean, start: Mark): void {
    this.#at++
    const { chomp, increment } = this.#blockHeader(start)
    let indent = increment === 0 ? 0 : Math.max(this.#indent, 0) + increment
    let text = ''
    let lineEnd = ''
    let wasBlank = false
    const before = this.#blockBreaks(indent, start)
    indent = before.indent
    let breaks = before.breaks
    while (this.#column === indent && this.#char() !== '') {
      const startsBlank = isBlank(this.#char())
      if (!literal && lineEnd === '\n' && !wasBlank && !startsBlank) text += breaks === '' ? ' ' : ''
      else text += lineEnd
      text += breaks
      wasBlank = startsBlank
      const from = this.#at
      while (this.#char() !== '' && !isBreak(this.#char())) this.#at++
      text += this.#text.slice(from, this.#at)
      lineEnd = this.#char() === '' ? '' : this.#skipBreak()
      breaks = this.#blockBreaks(indent, start).breaks
    }
    if (chomp !== '-') text += lineEnd
    if (chomp === '+') text += breaks
    this.#push('scalar', start, text)
  }

  #blockHeader(start: Mark): { chomp: string; increment: number } {
    let chomp = ''
    let increment = 0
    for (let i = 0; i < 2; i++) {
      const char = this.#char()
      if (chomp === '' && (char === '+' || char === '-')) chomp = char
      else if (increment === 0 && /[0-9]/.test(char)) {
        if (char === '0') throw scannerError('found an indentation indicator equal to 0', this.#mark(), start)
        increment = Number(char)
      } else break
      this.#at++
    }
    while (isBlank(this.#char())) this.#at++
    if (this.#char() === '#') while (this.#char() !== '' && !isBreak(this.#char())) this.#at++
    if (this.#char() !== '' && !isBreak(this.#char())) {
      throw scannerError('did not find expected comment or line break', this.#mark(), start)
    }
    if (this.#char() !== '') this.#skipBreak()
    return { chomp, increment }
  }

  /** Empty lines and indentation before a line of text; finds the indentation when it is not known (0). */
  #blockBreaks(indent: number, start: Mark): { indent: number; breaks: string } {
    let breaks = ''
    let widest = 0
    for (;;) {
      while ((indent === 0 || this.#column < indent) && this.#char() === ' ') this.#at++
      widest = Math.max(widest, this.#column)
      if ((indent === 0 || this.#column < indent) && this.#char() === '\t') {
        throw scannerError('found a tab character where an indentation space is expected', this.#mark(), start)
      }
      if (!isBreak(this.#char())) break
      breaks += this.#skipBreak()
    }
    return { indent: indent === 0 ? Math.max(widest, this.#indent + 1, 1) : indent, breaks }
  }
}
