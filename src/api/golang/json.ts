/**
 * What Go's JSON reader says about a text. The text has one character a byte; the reader is a scanner of bytes, and its
 * messages name the byte where it stopped and what it was doing.
 */
import type { JsonValue } from '../json.ts'

/** Deeper than this, the reader gives up. */
const maxDepth = 10_000

class Problem extends Error {}

const closing = { '{': '}', '[': ']' } as const

/** Undefined when the text is JSON. */
function jsonProblem(text: string): string | undefined {
  try {
    new Scanner(text).document()
  } catch (error) {
    if (error instanceof Problem) return error.message
    throw error
  }
  return undefined
}

/** Undefined when the text is a JSON object or `null`. */
export function jsonObjectProblem(text: string): string | undefined {
  const problem = jsonProblem(text)
  if (problem !== undefined) return problem
  const first = text.trimStart()[0]
  if (first === '{' || first === 'n') return undefined
  const type = first === '[' ? 'array' : first === '"' ? 'string' : first === 't' || first === 'f' ? 'bool' : 'number'
  return unmarshalTypeError(type, 'value of type map[string]interface {}')
}

/** The value of a text that may be anything; a text, what is wrong with it. */
export function readJson(text: string): { readonly value: JsonValue } | string {
  const problem = jsonProblem(Buffer.from(text).toString('latin1'))
  return problem ?? { value: JSON.parse(text) as JsonValue }
}

/** `place`: what the value was read into. */
export const unmarshalTypeError = (type: string, place: string): string =>
  `json: cannot unmarshal ${type} into Go ${place}`

const isSpace = (char: string | undefined): boolean => char === ' ' || char === '\t' || char === '\r' || char === '\n'
const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9'

class Scanner {
  readonly #text: string
  #pos = 0
  /** The containers that are open: a stack of its own, so that depth costs no calls. */
  readonly #open: ('{' | '[')[] = []

  constructor(text: string) {
    this.#text = text
  }

  document(): void {
    do this.#value()
    while (this.#afterValue())
    if (this.#pos < this.#text.length) throw this.#unexpected('after top-level value')
  }

  #peek(): string | undefined {
    while (isSpace(this.#text[this.#pos])) this.#pos++
    return this.#text[this.#pos]
  }

  /** A scalar, an empty container, or the way down to the first of either. */
  #value(): void {
    for (;;) {
      const char = this.#peek()
      if (char !== '{' && char !== '[') break
      this.#pos++
      if (this.#open.push(char) > maxDepth) throw new Problem('exceeded max depth')
      if (this.#peek() === closing[char]) return
      if (char === '{') this.#key()
    }
    this.#scalar()
  }

  #scalar(): void {
    const char = this.#text[this.#pos]
    if (char === '"') this.#string()
    else if (char === '-' || isDigit(char)) this.#number()
    else if (char === 't') this.#literal('true')
    else if (char === 'f') this.#literal('false')
    else if (char === 'n') this.#literal('null')
    else throw this.#unexpected('looking for beginning of value')
  }

  #key(): void {
    if (this.#peek() !== '"') throw this.#unexpected('looking for beginning of object key string')
    this.#string()
    if (this.#peek() !== ':') throw this.#unexpected('after object key')
    this.#pos++
  }

  /** Closes what ends here; true when another value follows. */
  #afterValue(): boolean {
    for (;;) {
      const char = this.#peek()
      const container = this.#open.at(-1)
      if (container === undefined) return false
      if (char === ',') {
        this.#pos++
        if (container === '{') this.#key()
        return true
      }
      if (char !== closing[container]) {
        throw this.#unexpected(container === '{' ? 'after object key:value pair' : 'after array element')
      }
      this.#pos++
      this.#open.pop()
    }
  }

  #string(): void {
    this.#pos++
    for (;;) {
      const char = this.#text[this.#pos]
      if (char === undefined || char < ' ') throw this.#unexpected('in string literal')
      this.#pos++
      if (char === '"') return
      if (char === '\\') this.#escape()
    }
  }

  #escape(): void {
    const char = this.#text[this.#pos]
    if (char === undefined || !'bfnrt\\/"u'.includes(char)) throw this.#wrongWithin('in string escape code')
    this.#pos++
    if (char !== 'u') return
    for (let i = 0; i < 4; i++) {
      if (!/^[0-9a-fA-F]$/.test(this.#text[this.#pos] ?? ''))
        throw this.#wrongWithin('in \\u hexadecimal character escape')
      this.#pos++
    }
  }

  #number(): void {
    if (this.#text[this.#pos] === '-') {
      this.#pos++
      if (!isDigit(this.#text[this.#pos])) throw this.#wrongWithin('in numeric literal')
    }
    if (this.#text[this.#pos] === '0') this.#pos++
    else this.#digits()
    if (this.#text[this.#pos] === '.') {
      this.#pos++
      if (!isDigit(this.#text[this.#pos])) throw this.#wrongWithin('after decimal point in numeric literal')
      this.#digits()
    }
    const exponent = this.#text[this.#pos]
    if (exponent !== 'e' && exponent !== 'E') return
    this.#pos++
    if (this.#text[this.#pos] === '+' || this.#text[this.#pos] === '-') this.#pos++
    if (!isDigit(this.#text[this.#pos])) throw this.#wrongWithin('in exponent of numeric literal')
    this.#digits()
  }

  #digits(): void {
    while (isDigit(this.#text[this.#pos])) this.#pos++
  }

  #literal(word: string): void {
    for (let i = 0; i < word.length; i++) {
      if (this.#text[this.#pos] !== word[i]) {
        throw this.#wrongWithin(`in literal ${word} (expecting '${word[i]}')`)
      }
      this.#pos++
    }
  }

  #unexpected(doing: string): Problem {
    const char = this.#text[this.#pos]
    if (char === undefined) return new Problem('unexpected end of JSON input')
    return new Problem(`invalid character ${quoteByte(char)} ${doing}`)
  }

  /** Within a token, the end counts as a space, which is wrong there. */
  #wrongWithin(doing: string): Problem {
    return new Problem(`invalid character ${quoteByte(this.#text[this.#pos] ?? ' ')} ${doing}`)
  }
}

const escapes: Readonly<Record<string, string>> = {
  "'": "'\\''",
  '"': "'\"'",
  '\u0007': "'\\a'",
  '\b': "'\\b'",
  '\f': "'\\f'",
  '\n': "'\\n'",
  '\r': "'\\r'",
  '\t': "'\\t'",
  '\v': "'\\v'",
  '\\': "'\\\\'",
}

function quoteByte(char: string): string {
  const known = escapes[char]
  if (known !== undefined) return known
  const code = char.charCodeAt(0)
  if (code < 0x20 || code === 0x7f) return `'\\x${code.toString(16).padStart(2, '0')}'`
  if ((code >= 0x80 && code < 0xa1) || code === 0xad) return `'\\u${code.toString(16).padStart(4, '0')}'`
  return `'${char}'`
}
