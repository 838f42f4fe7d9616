/**
 * Whether a text is one mail address, with or without a display name, or a group of one.
 * Mirrors net/mail: ParseAddress, whose literals of domains are IP addresses.
 */
import { isIPv4, isIPv6 } from 'node:net'

/** Longer texts are no addresses, which the reference does not say: reading them would hold the event loop. */
const maxLength = 128 * 1024

export function isMailAddress(text: string): boolean {
  if (text.length > maxLength) return false
  const reader = new AddressReader(text)
  return reader.address(true) === 1 && reader.skipComments() && reader.isAtEnd
}

const isWhitespace = (char: string): boolean => char === ' ' || char === '\t'
/** Printable ASCII but the space, and everything beyond ASCII. */
const isVisible = (char: string): boolean => (char > ' ' && char < '\u007f') || char >= '\u0080'
const specials = '()<>[]:;@\\,"'
const isAtomText = (char: string): boolean => isVisible(char) && !specials.includes(char)

/** Each method says whether it has read what it is for; a text that is refused is not read on. */
class AddressReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  /** How many addresses were read; undefined where there is a mistake. */
  address(mayBeGroup: boolean): number | undefined {
    this.#skipWhitespace()
    const start = this.#at
    if (this.#plainAddress()) {
      this.#skipWhitespace()
      return this.#peek() !== '(' || this.#commentAsName() ? 1 : undefined
    }
    this.#at = start
    if (this.#peek() !== '<' && !this.#phrase()) return undefined
    this.#skipWhitespace()
    if (mayBeGroup && this.#take(':')) return this.#group()
    return this.#take('<') && this.#plainAddress() && this.#take('>') ? 1 : undefined
  }

  /** Comments and the white space around them. */
  skipComments(): boolean {
    this.#skipWhitespace()
    while (this.#peek() === '(') {
      if (this.#comment() === undefined) return false
      this.#skipWhitespace()
    }
    return true
  }

  #group(): number | undefined {
    this.#skipWhitespace()
    if (this.#take(';')) return this.skipComments() ? 0 : undefined
    for (let count = 1; ; count++) {
      if (this.address(false) === undefined || !this.skipComments()) return undefined
      if (this.#take(';')) return this.skipComments() ? count : undefined
      if (!this.#take(',')) return undefined
    }
  }

  #plainAddress(): boolean {
    this.#skipWhitespace()
    const isLocal = this.#peek() === '"' ? (this.#quoted() ?? '') !== '' : this.#dottedAtom()
    if (!isLocal || !this.#take('@')) return false
    this.#skipWhitespace()
    return this.#peek() === '[' ? this.#domainLiteral() : this.#dottedAtom()
  }

  /** The words of a display name: as far as there are any. Comments may follow one that is not encoded. */
  #phrase(): boolean {
    let isFound = false
    let mayComment = false
    for (;;) {
      if (mayComment && !this.skipComments()) return false
      this.#skipWhitespace()
      const form = this.#peek() === '"' ? (this.#quoted() === undefined ? 'none' : 'plain') : wordForm(this.#atom())
      if (form === 'none') return isFound
      if (form !== 'empty') isFound = true
      if (form === 'plain') mayComment = true
    }
  }

  #quoted(): string | undefined {
    const start = this.#at
    let content = ''
    for (let at = start + 1; at < this.#text.length; at++) {
      const char = this.#text.charAt(at)
      if (char === '"') {
        this.#at = at + 1
        return content
      }
      const shown = char === '\\' ? this.#text.charAt(++at) : char
      if (!isVisible(shown) && !isWhitespace(shown)) return undefined
      content += shown
    }
    return undefined
  }

  #atom(): string {
    const start = this.#at
    while (!this.isAtEnd && isAtomText(this.#peek())) this.#at++
    return this.#text.slice(start, this.#at)
  }

  #dottedAtom(): boolean {
    const atom = this.#atom()
    return atom !== '' && atom.split('.').every((part) => part !== '')
  }

  #domainLiteral(): boolean {
    const end = this.#text.indexOf(']', this.#at)
    if (end < 0) return false
    const literal = this.#text.slice(this.#at + 1, end)
    this.#at = end + 1
    return isIPv4(literal) || (isIPv6(literal) && !literal.includes('%'))
  }

  #commentAsName(): boolean {
    const comment = this.#comment()
    return comment?.split(/[ \t]+/).every((word) => word === '' || wordForm(word) !== 'none') === true
  }

  /** What is between two parentheses, which may be nested. */
  #comment(): string | undefined {
    const start = this.#at + 1
    let depth = 0
    for (; !this.isAtEnd; this.#at++) {
      const char = this.#peek()
      if (char === '\\' && this.#at + 1 < this.#text.length) this.#at++
      else if (char === '(') depth++
      else if (char === ')' && --depth === 0) return this.#text.slice(start, this.#at++)
    }
    return undefined
  }

  #peek(): string {
    return this.#text.charAt(this.#at)
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false
    this.#at++
    return true
  }

  #skipWhitespace(): void {
    while (isWhitespace(this.#peek())) this.#at++
  }
}

const charsets: ReadonlySet<string> = new Set(['utf-8', 'iso-8859-1', 'us-ascii'])

/** Of RFC 2047: an encoded word may be that of an empty text, and is none in an unknown character set. What is not quite one is plain. */
function wordForm(word: string): 'plain' | 'encoded' | 'empty' | 'none' {
  if (word === '') return 'none'
  const [, charset, encoding = '', content = ''] = /^=\?([^?]+)\?([^?])\?([^?]*)\?=$/.exec(word) ?? []
  if (charset === undefined || !isEncoded(encoding.toUpperCase(), content)) return 'plain'
  if (!charsets.has(charset.toLowerCase())) return 'none'
  return content === '' ? 'empty' : 'encoded'
}

function isEncoded(encoding: string, content: string): boolean {
  if (encoding === 'B') return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(content)
  return encoding === 'Q' && /^(?:=[0-9A-Fa-f]{2}|[ -<>-~\n\r\t])*$/.test(content)
}
