/**
 * Whether a text is one mail address, with or without a display name, or a group of one.
 * Mirrors net/mail: ParseAddress, whose literals of domains are IP addresses.
 */
import { isIPv4, isIPv6 } from 'node:net'
import { maxIpLength } from '../api/ip.ts'
import type { Steps } from '../lib/in-turns.ts'
import { isBase64 } from './scalars.ts'

export function* isMailAddress(text: string): Steps<boolean> {
  const reader = new AddressReader(text)
  return (yield* reader.address(true)) === 1 && (yield* reader.skipComments()) && reader.isAtEnd
}

/** Pieces of a text that are read in one step: words, comments, escapes, parentheses. */
const piecesOfStep = 512

const whitespace = /[ \t]*/y
/** Printable ASCII but the space, and everything beyond ASCII; without what is special in an address. */
const atom = /[!#-'*+\-./-9=?A-Z^-~\u0080-\uffff]*/y
/** What stands for itself between quotes. */
const quotedRun = /[\t !#-[\]-~\u0080-\uffff]*/y
const isQuotable = (char: string): boolean => /^[\t -~\u0080-\uffff]$/.test(char)
/** What is neither a parenthesis nor an escape. */
const commentRun = /[^()\\]*/y

/**
 * Each method says whether it has read what it is for; a text that is refused is not read on. What may be long is read by patterns
 * that never go back, piece by piece.
 */
class AddressReader {
  readonly #text: string
  #at = 0
  #pieces = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  /** How many addresses were read; undefined where there is a mistake. */
  *address(mayBeGroup: boolean): Steps<number | undefined> {
    this.#skip(whitespace)
    const start = this.#at
    if (yield* this.#plainAddress()) {
      this.#skip(whitespace)
      return this.#peek() !== '(' || (yield* this.#commentAsName()) ? 1 : undefined
    }
    this.#at = start
    if (this.#peek() !== '<' && !(yield* this.#phrase())) return undefined
    this.#skip(whitespace)
    if (mayBeGroup && this.#take(':')) return yield* this.#group()
    return this.#take('<') && (yield* this.#plainAddress()) && this.#take('>') ? 1 : undefined
  }

  /** Comments and the white space around them. */
  *skipComments(): Steps<boolean> {
    this.#skip(whitespace)
    while (this.#peek() === '(') {
      if ((yield* this.#comment()) === undefined) return false
      this.#skip(whitespace)
    }
    return true
  }

  *#group(): Steps<number | undefined> {
    this.#skip(whitespace)
    if (this.#take(';')) return (yield* this.skipComments()) ? 0 : undefined
    for (let count = 1; ; count++) {
      if ((yield* this.address(false)) === undefined || !(yield* this.skipComments())) return undefined
      if (this.#take(';')) return (yield* this.skipComments()) ? count : undefined
      if (!this.#take(',')) return undefined
    }
  }

  *#plainAddress(): Steps<boolean> {
    if (this.#isStepOver()) yield
    this.#skip(whitespace)
    const isLocal = this.#peek() === '"' ? (yield* this.#quoted()) === 'some' : this.#dottedAtom()
    if (!isLocal || !this.#take('@')) return false
    this.#skip(whitespace)
    return this.#peek() === '[' ? this.#domainLiteral() : this.#dottedAtom()
  }

  /** The words of a display name: as far as there are any. Comments may follow one that is not encoded. */
  *#phrase(): Steps<boolean> {
    let isFound = false
    let mayComment = false
    for (;;) {
      if (mayComment && !(yield* this.skipComments())) return false
      this.#skip(whitespace)
      const form = yield* this.#word()
      if (form === 'none') return isFound
      if (form !== 'empty') isFound = true
      if (form === 'plain') mayComment = true
    }
  }

  *#word(): Steps<WordForm> {
    if (this.#peek() === '"') return (yield* this.#quoted()) === undefined ? 'none' : 'plain'
    if (this.#isStepOver()) yield
    return wordForm(this.#read(atom))
  }

  /** Whether there is anything between the quotes. What is not quoted to its end is not read at all. */
  *#quoted(): Steps<'some' | 'nothing' | undefined> {
    const start = this.#at++
    for (;;) {
      if (this.#isStepOver()) yield
      this.#skip(quotedRun)
      if (this.#take('"')) return this.#at - start > 2 ? 'some' : 'nothing'
      if (!this.#take('\\') || !isQuotable(this.#peek())) break
      this.#at++
    }
    this.#at = start
    return undefined
  }

  #dottedAtom(): boolean {
    const read = this.#read(atom)
    return read !== '' && !read.startsWith('.') && !read.endsWith('.') && !read.includes('..')
  }

  #domainLiteral(): boolean {
    const end = this.#text.indexOf(']', this.#at)
    if (end < 0) return false
    const literal = this.#text.slice(this.#at + 1, end)
    this.#at = end + 1
    if (literal.length > maxIpLength) return false
    return isIPv4(literal) || (isIPv6(literal) && !literal.includes('%'))
  }

  *#commentAsName(): Steps<boolean> {
    const comment = yield* this.#comment()
    if (comment === undefined) return false
    for (const [word] of comment.matchAll(/[^ \t]+/g)) {
      if (this.#isStepOver()) yield
      if (wordForm(word) === 'none') return false
    }
    return true
  }

  /** What is between two parentheses, which may be nested. */
  *#comment(): Steps<string | undefined> {
    const start = this.#at + 1
    for (let depth = 0; !this.isAtEnd; ) {
      if (this.#isStepOver()) yield
      this.#skip(commentRun)
      if (this.#take('\\')) this.#at++
      else if (this.#take('(')) depth++
      else if (this.#take(')') && --depth === 0) return this.#text.slice(start, this.#at - 1)
    }
    return undefined
  }

  #isStepOver(): boolean {
    return ++this.#pieces % piecesOfStep === 0
  }

  #peek(): string {
    return this.#text.charAt(this.#at)
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false
    this.#at++
    return true
  }

  /** As far as a pattern that may be empty goes. */
  #skip(pattern: RegExp): void {
    pattern.lastIndex = this.#at
    pattern.test(this.#text)
    this.#at = pattern.lastIndex
  }

  #read(pattern: RegExp): string {
    const start = this.#at
    this.#skip(pattern)
    return this.#text.slice(start, this.#at)
  }
}

type WordForm = 'plain' | 'encoded' | 'empty' | 'none'

const charsets: ReadonlySet<string> = new Set(['utf-8', 'iso-8859-1', 'us-ascii'])

/** Of RFC 2047: an encoded word may be that of an empty text, and is none in an unknown character set. What is not quite one is plain. */
function wordForm(word: string): WordForm {
  if (word === '') return 'none'
  const [, charset, encoding = '', content = ''] = /^=\?([^?]+)\?([^?])\?([^?]*)\?=$/.exec(word) ?? []
  if (charset === undefined || !isEncoded(encoding.toUpperCase(), content)) return 'plain'
  if (!charsets.has(charset.toLowerCase())) return 'none'
  return content === '' ? 'empty' : 'encoded'
}

/** Patterns without alternatives that repeat: those take memory for each time round. */
function isEncoded(encoding: string, content: string): boolean {
  if (encoding === 'B') return content === '' || isBase64(content)
  return encoding === 'Q' && !/[^ -~\n\r\t]/.test(content) && !/=(?![0-9A-Fa-f]{2})/.test(content)
}
