/**
 * A JSON parser that works on bytes and fails as Go's does: the same texts at the same bytes, the same bound on depth,
 * the same replacement of broken UTF-8. It keeps what `JSON.parse` throws away (duplicate keys, the text of numbers),
 * and is used when that matters. It does not recurse.
 */
import { isUtf8 } from 'node:buffer'
import { wellFormed } from '../api/byte-text.ts'
import { quote } from '../api/field-error.ts'
import { runToEnd, type Steps } from '../lib/in-turns.ts'
import { textOfUnits } from '../lib/unit-writer.ts'
import { type JsonNode, NumberNode, ObjectNode } from '../schema/json-tree.ts'
import { DecodeError } from './decode-error.ts'

const maxDepth = 10_000

const unexpectedEnd = 'unexpected end of JSON input'

/**
 * Throws a `DecodeError` whose message is Go's. `unusual` takes the strings that are written otherwise than this server
 * writes them, such as `"<"` for `"\u003c"`.
 */
export function parseTree(bytes: Uint8Array, unusual?: Set<string>): JsonNode {
  return new TreeParser(bytes, unusual).parse()
}

/** The same of a text that is so long that it takes several turns. */
export const parseTreeInSteps = (bytes: Uint8Array, unusual?: Set<string>): Steps<JsonNode> =>
  new TreeParser(bytes, unusual).parseInSteps()

/** Values to a step. */
const stepValues = 500

const code = (char: string): number => char.charCodeAt(0)
const QUOTE = code('"')
const BACKSLASH = code('\\')
const COMMA = code(',')
const COLON = code(':')
const OPEN_OBJECT = code('{')
const CLOSE_OBJECT = code('}')
const OPEN_LIST = code('[')
const CLOSE_LIST = code(']')
const MINUS = code('-')
const PLUS = code('+')
const POINT = code('.')
const ZERO = code('0')
const NINE = code('9')

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
const isExponent = (byte: number): boolean => (byte | 0x20) === code('e')
const isHex = (byte: number): boolean => isDigit(byte) || ((byte | 0x20) >= code('a') && (byte | 0x20) <= code('f'))

const literals: ReadonlyMap<number, readonly [string, JsonNode]> = new Map<number, readonly [string, JsonNode]>([
  [code('t'), ['true', true]],
  [code('f'), ['false', false]],
  [code('n'), ['null', null]],
])

/** A long string of broken UTF-8, whose decoding is deferred: it takes several steps. */
interface DeferredString {
  readonly bytes: Uint8Array
  readonly isEscaped: boolean
}

class TreeParser {
  readonly #bytes: Uint8Array
  #at = 0
  /** The objects and lists that are open, outermost first. */
  readonly #open: (ObjectNode | JsonNode[])[] = []
  readonly #unusual: Set<string> | undefined
  #isInSteps = false
  #deferred: DeferredString | undefined

  constructor(bytes: Uint8Array, unusual: Set<string> | undefined) {
    this.#bytes = bytes
    this.#unusual = unusual
  }

  parse(): JsonNode {
    let value = this.#beginValue()
    for (;;) {
      while (value !== undefined) {
        const holder = this.#open.at(-1)
        if (holder === undefined) return this.#finish(value)
        value = this.#afterElement(holder, value)
      }
      value = this.#beginValue()
    }
  }

  *parseInSteps(): Steps<JsonNode> {
    this.#isInSteps = true
    let value = this.#beginValue()
    for (let count = 1; ; count++) {
      if (count % stepValues === 0) yield
      if (this.#deferred !== undefined) value = yield* this.#decodeDeferred(value)
      while (value !== undefined) {
        const holder = this.#open.at(-1)
        if (holder === undefined) return this.#finish(value)
        value = this.#afterElement(holder, value)
        if (this.#deferred !== undefined) value = yield* this.#decodeDeferred(value)
      }
      value = this.#beginValue()
    }
  }

  /** Puts the deferred string where it belongs: it is the value, or else the key that was read last. */
  *#decodeDeferred(value: JsonNode | undefined): Steps<JsonNode | undefined> {
    const deferred = this.#deferred as DeferredString
    this.#deferred = undefined
    yield
    const text = this.#stringOf(yield* decodeLossyInSteps(deferred.bytes), deferred.isEscaped)
    if (value !== undefined) return text
    const { keys } = this.#open.at(-1) as ObjectNode
    keys[keys.length - 1] = text
    return undefined
  }

  #finish(value: JsonNode): JsonNode {
    this.#skipSpace()
    if (this.#at < this.#bytes.length) this.#fail('after top-level value')
    return value
  }

  /** A whole value, or undefined when an object or list has been opened and its first value comes next. */
  #beginValue(): JsonNode | undefined {
    this.#skipSpace()
    const byte = this.#byte()
    if (byte === OPEN_OBJECT) return this.#openObject()
    if (byte === OPEN_LIST) return this.#openList()
    if (byte === QUOTE) return this.#string()
    if (byte === MINUS || isDigit(byte)) return this.#number()
    const literal = literals.get(byte)
    if (literal === undefined) this.#fail('looking for beginning of value')
    return this.#literal(...literal)
  }

  #openObject(): JsonNode | undefined {
    const node = new ObjectNode()
    this.#push(node)
    this.#skipSpace()
    if (this.#byte() === CLOSE_OBJECT) return this.#close()
    this.#key(node)
    return undefined
  }

  #openList(): JsonNode | undefined {
    this.#push([])
    this.#skipSpace()
    return this.#byte() === CLOSE_LIST ? this.#close() : undefined
  }

  #push(holder: ObjectNode | JsonNode[]): void {
    this.#open.push(holder)
    if (this.#open.length > maxDepth) this.#fail('exceeded max depth')
    this.#at++
  }

  #close(): JsonNode | undefined {
    this.#at++
    return this.#open.pop()
  }

  /** Puts a finished value into its holder; gives the holder back when that is finished too. */
  #afterElement(holder: ObjectNode | JsonNode[], value: JsonNode): JsonNode | undefined {
    this.#skipSpace()
    if (Array.isArray(holder)) {
      holder.push(value)
      const byte = this.#byte()
      if (byte === CLOSE_LIST) return this.#close()
      if (byte !== COMMA) this.#fail('after array element')
      this.#at++
      return undefined
    }
    holder.values.push(value)
    const byte = this.#byte()
    if (byte === CLOSE_OBJECT) return this.#close()
    if (byte !== COMMA) this.#fail('after object key:value pair')
    this.#at++
    this.#skipSpace()
    this.#key(holder)
    return undefined
  }

  #key(holder: ObjectNode): void {
    if (this.#byte() !== QUOTE) this.#fail('looking for beginning of object key string')
    holder.keys.push(this.#string())
    this.#skipSpace()
    if (this.#byte() !== COLON) this.#fail('after object key')
    this.#at++
  }

  #string(): string {
    const bytes = this.#bytes
    const start = ++this.#at
    let isEscaped = false
    for (let at = start; ; ) {
      const byte = bytes[at] ?? 0
      if (byte !== QUOTE && byte !== BACKSLASH && byte >= 0x20) {
        at++
        continue
      }
      this.#at = at
      if (this.#byte() === QUOTE) break
      if (byte < 0x20) this.#fail('in string literal')
      isEscaped = true
      this.#at++
      this.#escape()
      at = this.#at
    }
    const written = bytes.subarray(start, this.#at)
    this.#at++
    if (this.#isInSteps && written.length > stepBytes && !isUtf8(written)) {
      this.#deferred = { bytes: written, isEscaped }
      return ''
    }
    return this.#stringOf(decodeUtf8(written), isEscaped)
  }

  #stringOf(text: string, isEscaped: boolean): string {
    const value = isEscaped ? unescapeText(text) : text
    if (this.#unusual !== undefined && text !== writtenText(value)) this.#unusual.add(value)
    return value
  }

  #escape(): void {
    const byte = this.#peek()
    if (byte === code('u')) {
      for (let i = 0; i < 4; i++) {
        this.#at++
        if (!isHex(this.#peek())) this.#failWithin('in \\u hexadecimal character escape')
      }
    } else if (byte < 0 || !'"\\/bfnrt'.includes(String.fromCharCode(byte))) {
      this.#failWithin('in string escape code')
    }
    this.#at++
  }

  #number(): NumberNode {
    const start = this.#at
    if (this.#byte() === MINUS) this.#at++
    if (this.#peek() === ZERO) this.#at++
    else this.#digits('in numeric literal')
    if (this.#peek() === POINT) {
      this.#at++
      this.#digits('after decimal point in numeric literal')
    }
    if (isExponent(this.#peek())) {
      this.#at++
      if (this.#peek() === PLUS || this.#peek() === MINUS) this.#at++
      this.#digits('in exponent of numeric literal')
    }
    return new NumberNode(Buffer.from(this.#bytes.subarray(start, this.#at)).toString('latin1'))
  }

  #digits(context: string): void {
    if (!isDigit(this.#peek())) this.#failWithin(context)
    while (isDigit(this.#peek())) this.#at++
  }

  #literal(word: string, value: JsonNode): JsonNode {
    this.#at++
    for (const char of word.slice(1)) {
      if (this.#peek() !== code(char)) this.#failWithin(`in literal ${word} (expecting '${char}')`)
      this.#at++
    }
    return value
  }

  #skipSpace(): void {
    while (isSpace(this.#peek())) this.#at++
  }

  /** The byte at hand, or -1 at the end. */
  #peek(): number {
    return this.#bytes[this.#at] ?? -1
  }

  #byte(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw new DecodeError(unexpectedEnd)
    return byte
  }

  #fail(context: string): never {
    throw new DecodeError(`invalid character ${quoteByte(this.#byte())} ${context}`)
  }

  /** Within a token, Go takes the end for a space, which is wrong there. */
  #failWithin(context: string): never {
    const byte = this.#peek()
    throw new DecodeError(`invalid character ${quoteByte(byte < 0 ? code(' ') : byte)} ${context}`)
  }
}

function quoteByte(byte: number): string {
  if (byte === code("'")) return "'\\''"
  if (byte === QUOTE) return `'"'`
  return `'${quote(String.fromCharCode(byte)).slice(1, -1)}'`
}

/** Of a string whose escapes are known to be right. Half of a surrogate pair without the other half is U+FFFD. */
const unescapeText = (text: string): string => wellFormed(JSON.parse(`"${text}"`) as string)

/** A string as this server writes it, without the quotes. */
function writtenText(value: string): string {
  const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value)
    .slice(1, -1)
    .replace(/[<>&\u2028\u2029]/g, escaped)
}

const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

const decodeUtf8 = (bytes: Uint8Array): string => (isUtf8(bytes) ? lenient.decode(bytes) : decodeLossy(bytes))

const decodeLossy = (bytes: Uint8Array): string => runToEnd(decodeLossyInSteps(bytes))

/** Bytes to a step. */
const stepBytes = 1 << 18

function* decodeLossyInSteps(bytes: Uint8Array): Steps<string> {
  const decoder = new LossyUtf8Decoder(bytes)
  for (let to = 0; to < bytes.length; to += stepBytes) {
    decoder.decodeTo(Math.min(to + stepBytes, bytes.length))
    yield
  }
  return decoder.text()
}

const replacement = 0xfffd

/** Every byte that belongs to no character becomes one U+FFFD, where the usual decoders take several together. */
class LossyUtf8Decoder {
  readonly #bytes: Uint8Array
  readonly #units: Uint16Array
  #at = 0
  #length = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#units = new Uint16Array(bytes.length)
  }

  /** The character that begins before `to` is decoded as a whole. */
  decodeTo(to: number): void {
    const bytes = this.#bytes
    const units = this.#units
    let at = this.#at
    let length = this.#length
    while (at < to) {
      const lead = bytes[at]!
      const width = lead < 0x80 ? 1 : characterWidth(bytes, at)
      at += width || 1
      if (width < 2) {
        units[length++] = width === 0 ? replacement : lead
        continue
      }
      let point = lead & (0x7f >> width)
      for (let i = at - width + 1; i < at; i++) point = (point << 6) | (bytes[i]! & 0x3f)
      if (point > 0xffff) {
        units[length++] = 0xd7c0 + (point >> 10)
        units[length++] = 0xdc00 + (point & 0x3ff)
      } else units[length++] = point
    }
    this.#at = at
    this.#length = length
  }

  text(): string {
    return textOfUnits(this.#units.subarray(0, this.#length))
  }
}

/** The width of the well-formed character of several bytes at that byte; 0 when there is none. */
function characterWidth(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!
  const width = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0
  if (width === 0 || at + width > bytes.length) return 0
  for (let i = 1; i < width; i++) if ((bytes[at + i]! & 0xc0) !== 0x80) return 0
  const second = bytes[at + 1]!
  const overlong = (lead === 0xe0 && second < 0xa0) || (lead === 0xf0 && second < 0x90)
  const outside = (lead === 0xed && second > 0x9f) || (lead === 0xf4 && second > 0x8f)
  return overlong || outside ? 0 : width
}
