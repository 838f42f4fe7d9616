/**
 * Cuts YAML 1.1 text into tokens as libyaml does, since error texts and the odd corners (tabs, simple keys, folding)
 * follow from how it does so. Block structure shows as tokens of its own: `block-map-start`, `key`, `value`,
 * `block-end`. Time is linear in the text, and nesting has a bound.
 */
import { isBlank, isBreak, isGap, YamlText } from './yaml-text.ts'
import { type Mark, maxDepth, scannerError, type TokenType, tooDeep, type YamlToken } from './yaml-token.ts'

/** A key without a question mark is on one line and no longer than this. */
const maxKeyLength = 1024

interface SimpleKey {
  possible: boolean
  required: boolean
  tokenNumber: number
  mark: Mark
}

export class YamlScanner {
  readonly #text: YamlText
  #tokens: YamlToken[] = []
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
    this.#text = new YamlText(text)
  }

  /** The next token, without taking it. */
  peek(): YamlToken {
    this.#fill()
    return this.#tokens[this.#head] as YamlToken
  }

  take(): YamlToken {
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

  /** Of the token that is pushed next. */
  get #nextNumber(): number {
    return this.#taken + (this.#tokens.length - this.#head)
  }

  #noKey(): SimpleKey {
    return { possible: false, required: false, tokenNumber: 0, mark: { index: 0, line: 0, column: 0 } }
  }

  #push(type: TokenType, start: Mark, text = '', plain = false): void {
    this.#tokens.push({ type, start, text, plain })
  }

  #fetch(): void {
    this.#skipToToken()
    // Only a key of the block structure can be required, and it must be known in time that it never comes.
    this.#checkKey(this.#keys[0] as SimpleKey)
    this.#unrollIndent(this.#text.column)
    const char = this.#text.char()
    const start = this.#text.mark()
    if (char === '') this.#streamEnd(start)
    else if (this.#text.column === 0 && char === '%') this.#directive(start)
    else if (this.#text.atDocumentMark('---')) this.#documentMark('document-start', start)
    else if (this.#text.atDocumentMark('...')) this.#documentMark('document-end', start)
    else if (!this.#fetchIndicator(char, start)) this.#fetchPlain(char, start)
  }

  #fetchPlain(char: string, start: Mark): void {
    const next = this.#text.char(1)
    const startsPlain = !isGap(char) && !'-?:,[]{}#&*!|>\'"%@`'.includes(char)
    const isPlain =
      startsPlain ||
      (char === '-' && !isBlank(next)) ||
      (this.#flowLevel === 0 && (char === '?' || char === ':') && !isGap(next))
    if (!isPlain) throw scannerError('found character that cannot start any token', start, start)
    this.#saveKey()
    this.#keyAllowed = false
    const { text, broken } = this.#text.plainScalar(start, { indent: this.#indent + 1, inFlow: this.#flowLevel > 0 })
    if (broken) this.#keyAllowed = true
    this.#push('scalar', start, text, true)
  }

  #fetchIndicator(char: string, start: Mark): boolean {
    const next = this.#text.char(1)
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
        this.#text.at++
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
        this.#push('scalar', start, this.#text.blockScalar(start, { literal: char === '|', around: this.#indent }))
        return true
      case "'":
      case '"':
        this.#saveKey()
        this.#keyAllowed = false
        this.#push('scalar', start, this.#text.quotedScalar(char, start))
        return true
      default:
        return false
    }
  }

  #skipToToken(): void {
    for (;;) {
      while (this.#text.char() === ' ' || (this.#text.char() === '\t' && (this.#flowLevel > 0 || !this.#keyAllowed)))
        this.#text.at++
      if (this.#text.char() === '#') this.#text.skipLine()
      if (!isBreak(this.#text.char())) return
      this.#text.skipBreak()
      if (this.#flowLevel === 0) this.#keyAllowed = true
    }
  }

  /** Whether the key is still possible: on this line, and near. */
  #checkKey(key: SimpleKey): boolean {
    if (!key.possible) return false
    if (key.mark.line === this.#text.line && this.#text.at - key.mark.index <= maxKeyLength) return true
    if (key.required) throw scannerError("could not find expected ':'", this.#text.mark(), key.mark)
    key.possible = false
    return false
  }

  #saveKey(): void {
    if (!this.#keyAllowed) return
    this.#removeKey()
    const key: SimpleKey = {
      possible: true,
      required: this.#flowLevel === 0 && this.#indent === this.#text.column,
      tokenNumber: this.#nextNumber,
      mark: this.#text.mark(),
    }
    this.#keys[this.#keys.length - 1] = key
    this.#keyOfToken.set(key.tokenNumber, key)
  }

  #removeKey(): void {
    const key = this.#keys[this.#keys.length - 1] as SimpleKey
    if (key.possible && key.required) throw scannerError("could not find expected ':'", this.#text.mark(), key.mark)
    key.possible = false
  }

  #rollIndent(column: number, type: TokenType, mark: Mark, tokenNumber?: number): void {
    if (this.#flowLevel > 0 || this.#indent >= column) return
    this.#indents.push(this.#indent)
    this.#indent = column
    if (this.#indents.length > maxDepth) throw tooDeep()
    this.#insert({ type, start: mark, text: '', plain: false }, tokenNumber)
  }

  #insert(token: YamlToken, tokenNumber?: number): void {
    if (tokenNumber === undefined) this.#tokens.push(token)
    else this.#tokens.splice(this.#head + (tokenNumber - this.#taken), 0, token)
  }

  #unrollIndent(column: number): void {
    if (this.#flowLevel > 0) return
    while (this.#indent > column) {
      this.#push('block-end', this.#text.mark())
      this.#indent = this.#indents.pop() ?? -1
    }
  }

  #streamEnd(start: Mark): void {
    this.#text.endLine()
    this.#unrollIndent(-1)
    this.#removeKey()
    this.#keyAllowed = false
    this.#push('stream-end', { ...start, line: this.#text.line, column: 0 })
    this.#done = true
  }

  #directive(start: Mark): void {
    this.#unrollIndent(-1)
    this.#removeKey()
    this.#keyAllowed = false
    const from = this.#text.at
    this.#text.skipLine()
    const text = this.#text.since(from)
    const problem = directiveProblem(text)
    if (problem !== undefined) throw scannerError(problem, this.#text.mark(), start)
    this.#push('directive', start, text)
  }

  #documentMark(type: TokenType, start: Mark): void {
    this.#unrollIndent(-1)
    this.#removeKey()
    this.#keyAllowed = false
    this.#text.at += 3
    this.#push(type, start)
  }

  #flowStart(type: TokenType, start: Mark): void {
    this.#saveKey()
    this.#keys.push({ ...this.#noKey(), tokenNumber: this.#nextNumber })
    if (++this.#flowLevel > maxDepth) throw tooDeep()
    this.#keyAllowed = true
    this.#text.at++
    this.#push(type, start)
  }

  #flowEnd(type: TokenType, start: Mark): void {
    this.#removeKey()
    if (this.#flowLevel > 0) {
      this.#flowLevel--
      // As the reference does, which so forgets that an empty collection may be a key.
      this.#keyOfToken.delete((this.#keys.pop() as SimpleKey).tokenNumber)
    }
    this.#keyAllowed = false
    this.#text.at++
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
    this.#text.at++
    this.#push('block-entry', start)
  }

  #key(start: Mark): void {
    if (this.#flowLevel === 0) {
      if (!this.#keyAllowed) throw scannerError('mapping keys are not allowed in this context', start, start)
      this.#rollIndent(start.column, 'block-map-start', start)
    }
    this.#removeKey()
    this.#keyAllowed = this.#flowLevel === 0
    this.#text.at++
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
    this.#text.at++
    this.#push('value', start)
  }

  #anchor(type: TokenType, start: Mark): void {
    this.#text.at++
    const from = this.#text.at
    while (/[0-9A-Za-z_-]/.test(this.#text.char())) this.#text.at++
    const name = this.#text.since(from)
    if (name === '' || !(isGap(this.#text.char()) || '?:,]}%@`'.includes(this.#text.char()))) {
      throw scannerError('did not find expected alphabetic or numeric character', this.#text.mark(), start)
    }
    this.#push(type, start, name)
  }

  #tag(start: Mark): void {
    const from = this.#text.at
    const inFlow = this.#flowLevel > 0
    while (!isGap(this.#text.char()) && !(inFlow && ',[]{}'.includes(this.#text.char()))) this.#text.at++
    this.#push('tag', start, this.#text.since(from))
  }
}

/** What is wrong with the line of a directive. */
function directiveProblem(text: string): string | undefined {
  const [, name = '', after = ''] = /^%([\w-]*)(.*)$/s.exec(text) ?? []
  if (name === '') return 'could not find expected directive name'
  if (after !== '' && !/^[ \t]/.test(after)) return 'found unexpected non-alphabetical character'
  if (name === 'TAG') return undefined
  if (name !== 'YAML') return 'found unknown directive name'
  if (!/^[ \t]+\d/.test(after)) return 'did not find expected version number'
  if (!/^[ \t]+\d+\./.test(after)) return "did not find expected digit or '.' character"
  return /^[ \t]+\d+\.\d/.test(after) ? undefined : 'did not find expected version number'
}
