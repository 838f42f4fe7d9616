/**
 * Splits the text of an expression into tokens. Characters that start no token are reported and left out, as the
 * reference does; parsing goes on with the rest.
 */
import type { Source } from './source.ts'

type TokenKind =
  | 'symbol'
  | 'in'
  | 'true'
  | 'false'
  | 'null'
  | 'float'
  | 'int'
  | 'uint'
  | 'string'
  | 'bytes'
  | 'identifier'
  | 'escaped-identifier'
  | 'end'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly offset: number
}

/** What the grammar calls a token: a symbol is its own type. */
export const tokenType = ({ kind, text }: Token): string => (kind === 'symbol' ? text : kind)

const SYMBOLS = ['==', '!=', '<=', '>=', '&&', '||', ...'<>[]{}().,-!?:+*/%']
const WHITESPACE = new Set([' ', '\t', '\r', '\n', '\f'])
const KEYWORDS = new Set<string>(['in', 'true', 'false', 'null'])
const isDigit = (char: string | undefined): boolean =>
  char !== undefined && char >= '0' && char <= '9' && char.length === 1
const isHex = (char: string | undefined): boolean => char !== undefined && /^[0-9a-fA-F]$/.test(char)
const isLetter = (char: string | undefined): boolean => char !== undefined && /^[a-zA-Z_]$/.test(char)
const isWord = (char: string | undefined): boolean => isLetter(char) || isDigit(char)

/** A part of the text that is no token. */
export interface Unrecognized {
  readonly start: number
  readonly end: number
}

export interface Tokens {
  readonly tokens: readonly Token[]
  readonly unrecognized: readonly Unrecognized[]
}

export function tokenize(source: Source): Tokens {
  const tokens: Token[] = []
  const unrecognized: Unrecognized[] = []
  const { chars } = source
  let at = 0
  while (at < chars.length) {
    const char = chars[at]!
    if (WHITESPACE.has(char)) {
      at++
      continue
    }
    if (char === '/' && chars[at + 1] === '/') {
      while (at < chars.length && chars[at] !== '\n') at++
      continue
    }
    const token = readToken(chars, at)
    if (token) {
      tokens.push(token)
      at += Array.from(token.text).length
    } else {
      const start = at
      at = reportUnrecognized(source, start)
      unrecognized.push({ start, end: at })
    }
  }
  tokens.push({ kind: 'end', text: '<EOF>', offset: chars.length })
  return { tokens, unrecognized }
}

/** The message shows what the lexer had read when it gave up: up to the character that no token continues with. */
function reportUnrecognized(source: Source, start: number): number {
  const { chars } = source
  const char = chars[start]!
  let end = start + 1
  if (char === '"' || char === "'") end = unterminatedEnd(chars, start)
  else if (char === '`') end = Math.min(escapedEnd(chars, start) + 1, chars.length)
  else if ((char === '=' || char === '&' || char === '|') && end < chars.length) end++
  const shown = chars.slice(start, end).join('')
  source.report(start, `Syntax error: token recognition error at: '${shown}'`)
  return end
}

function unterminatedEnd(chars: readonly string[], start: number): number {
  let at = start + 1
  while (at < chars.length && chars[at] !== '\n' && chars[at] !== '\r') {
    if (chars[at] === '\\' && escapeLength(chars, at) === 0) return Math.min(brokenEscapeEnd(chars, at), chars.length)
    at += chars[at] === '\\' ? escapeLength(chars, at) : 1
  }
  return Math.min(at + 1, chars.length)
}

function readToken(chars: readonly string[], at: number): Token | undefined {
  const char = chars[at]!
  return (
    readString(chars, at) ??
    (isDigit(char) || (char === '.' && isDigit(chars[at + 1])) ? readNumber(chars, at) : undefined) ??
    (isLetter(char) ? readWord(chars, at) : undefined) ??
    (char === '`' ? readEscapedIdentifier(chars, at) : undefined) ??
    readSymbol(chars, at)
  )
}

function readSymbol(chars: readonly string[], at: number): Token | undefined {
  const two = `${chars[at]}${chars[at + 1] ?? ''}`
  const text = SYMBOLS.includes(two) ? two : chars[at]!
  return SYMBOLS.includes(text) ? { kind: 'symbol', text, offset: at } : undefined
}

function readWord(chars: readonly string[], at: number): Token {
  let end = at
  while (isWord(chars[end])) end++
  const text = chars.slice(at, end).join('')
  return { kind: KEYWORDS.has(text) ? (text as TokenKind) : 'identifier', text, offset: at }
}

/** The first character behind a backquote that no name in backquotes has. */
function escapedEnd(chars: readonly string[], at: number): number {
  let end = at + 1
  while (isWord(chars[end]) || ['.', '-', '/', ' '].includes(chars[end] ?? '')) end++
  return end
}

function readEscapedIdentifier(chars: readonly string[], at: number): Token | undefined {
  const end = escapedEnd(chars, at)
  if (end === at + 1 || chars[end] !== '`') return undefined
  return { kind: 'escaped-identifier', text: chars.slice(at, end + 1).join(''), offset: at }
}

function readNumber(chars: readonly string[], at: number): Token {
  let end = at
  let kind: TokenKind = 'int'
  if (chars[at] === '0' && chars[at + 1] === 'x' && isHex(chars[at + 2])) {
    end = at + 2
    while (isHex(chars[end])) end++
  } else {
    while (isDigit(chars[end])) end++
    if (chars[end] === '.' && isDigit(chars[end + 1])) {
      kind = 'float'
      end++
      while (isDigit(chars[end])) end++
    }
    const exponent = exponentEnd(chars, end)
    if (exponent > end) {
      kind = 'float'
      end = exponent
    }
  }
  if (kind === 'int' && (chars[end] === 'u' || chars[end] === 'U')) {
    kind = 'uint'
    end++
  }
  return { kind, text: chars.slice(at, end).join(''), offset: at }
}

function exponentEnd(chars: readonly string[], at: number): number {
  if (chars[at] !== 'e' && chars[at] !== 'E') return at
  let end = at + 1
  if (chars[end] === '+' || chars[end] === '-') end++
  if (!isDigit(chars[end])) return at
  while (isDigit(chars[end])) end++
  return end
}

function readString(chars: readonly string[], start: number): Token | undefined {
  let at = start
  const bytes = chars[at] === 'b' || chars[at] === 'B'
  if (bytes) at++
  const raw = chars[at] === 'r' || chars[at] === 'R'
  if (raw) at++
  const quote = chars[at]
  if (quote !== '"' && quote !== "'") return undefined
  const end = stringEnd(chars, at, raw)
  if (end === undefined) return undefined
  return { kind: bytes ? 'bytes' : 'string', text: chars.slice(start, end).join(''), offset: start }
}

/** The offset behind the closing quote, undefined where there is none. */
function stringEnd(chars: readonly string[], at: number, raw: boolean): number | undefined {
  const quote = chars[at]!
  const triple = chars[at + 1] === quote && chars[at + 2] === quote
  if (triple) {
    const end = quotedEnd(chars, at + 3, { quote, width: 3, raw })
    if (end !== undefined) return end
  }
  return quotedEnd(chars, at + 1, { quote, width: 1, raw })
}

function quotedEnd(
  chars: readonly string[],
  from: number,
  { quote, width, raw }: { quote: string; width: number; raw: boolean },
): number | undefined {
  let at = from
  while (at < chars.length) {
    const char = chars[at]!
    if (char === quote && (width === 1 || (chars[at + 1] === quote && chars[at + 2] === quote))) return at + width
    if (width === 1 && (char === '\n' || char === '\r')) return undefined
    if (char === '\\' && !raw) {
      const length = escapeLength(chars, at)
      if (length === 0) return undefined
      at += length
    } else {
      at++
    }
  }
  return undefined
}

/** Behind the first character that does not fit the escape sequence. */
function brokenEscapeEnd(chars: readonly string[], start: number): number {
  const fits = /^[0-3]$/.test(chars[start + 1] ?? '')
    ? (char: string | undefined) => char !== undefined && /^[0-7]$/.test(char)
    : 'xXuU'.includes(chars[start + 1] ?? ' ')
      ? isHex
      : undefined
  let at = start + 2
  if (fits === undefined) return at
  while (fits(chars[at])) at++
  return at + 1
}

/** How many characters the escape sequence has, 0 for an invalid one. */
function escapeLength(chars: readonly string[], at: number): number {
  const char = chars[at + 1] ?? ''
  if (char !== '' && 'abfnrtv"\'\\?`'.includes(char)) return 2
  const hexDigits = { x: 2, X: 2, u: 4, U: 8 }[char]
  if (hexDigits !== undefined) {
    for (let i = 0; i < hexDigits; i++) if (!isHex(chars[at + 2 + i])) return 0
    return 2 + hexDigits
  }
  const octal = /^[0-3][0-7][0-7]$/.test(chars.slice(at + 1, at + 4).join(''))
  return octal ? 4 : 0
}
