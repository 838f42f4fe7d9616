/** Tokens of jq. Strings keep their interpolations as source text, which the parser reads. */
import { JqError } from './jq-error.ts'

export type JqToken =
  | {
      readonly kind: 'field' | 'name' | 'variable' | 'format' | 'operator' | 'keyword'
      readonly text: string
      readonly at: number
    }
  | { readonly kind: 'number'; readonly value: number; readonly text: string; readonly at: number }
  | { readonly kind: 'string'; readonly parts: readonly StringPart[]; readonly text: string; readonly at: number }
  | { readonly kind: 'end'; readonly text: ''; readonly at: number }

/** Text, or the source of a filter in `\( )`. */
export type StringPart = { readonly text: string } | { readonly source: string }

const keywords: ReadonlySet<string> = new Set(
  'if then elif else end as and or try catch reduce foreach def import include label'.split(' '),
)
const space = /(?:\s|#[^\n]*)*/y
const number = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y
const field = /\.[A-Za-z_]\w*/y
const name = /[A-Za-z_]\w*(?:::\w+)*/y
const variable = /\$(?:__loc__|[A-Za-z_]\w*)/y
const format = /@[A-Za-z_]\w*/y
const operator = /\.\.|\?\/\/|\/\/=|\|=|[+\-*/%]=|==|!=|<=|>=|\/\/|[.[\]{}()|,:;=<>+\-*/%?]/y

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '/': '/',
  '\\': '\\',
  '"': '"',
}

export function tokenizeJq(source: string): JqToken[] {
  const tokens: JqToken[] = []
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(source)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  for (;;) {
    take(space)
    const begin = at
    if (at >= source.length) return [...tokens, { kind: 'end', text: '', at }]
    if (source[at] === '"') {
      const { parts, end } = readString(source, at)
      tokens.push({ kind: 'string', parts, text: source.slice(at, end), at: begin })
      at = end
      continue
    }
    const fieldText = take(field)
    if (fieldText !== undefined) {
      tokens.push({ kind: 'field', text: fieldText.slice(1), at: begin })
      continue
    }
    const digits = take(number)
    if (digits !== undefined) {
      tokens.push({ kind: 'number', value: Number(digits), text: digits, at: begin })
      continue
    }
    const word = take(name)
    if (word !== undefined) {
      tokens.push({ kind: keywords.has(word) ? 'keyword' : 'name', text: word, at: begin })
      continue
    }
    const other = take(variable) ?? take(format)
    if (other !== undefined) {
      tokens.push({ kind: other.startsWith('$') ? 'variable' : 'format', text: other.slice(1), at: begin })
      continue
    }
    const symbol = take(operator)
    if (symbol === undefined) throw new JqError(`unexpected ${JSON.stringify(source[at])} at ${at}`)
    tokens.push({ kind: 'operator', text: symbol, at: begin })
  }
}

function readString(source: string, begin: number): { parts: StringPart[]; end: number } {
  const parts: StringPart[] = []
  let text = ''
  for (let at = begin + 1; at < source.length; at++) {
    const char = source[at] as string
    if (char === '"') {
      if (text !== '' || parts.length === 0) parts.push({ text })
      return { parts, end: at + 1 }
    }
    if (char !== '\\') {
      text += char
      continue
    }
    const next = source[++at] as string
    if (next === '(') {
      if (text !== '') parts.push({ text })
      text = ''
      const end = closingParenthesis(source, at)
      parts.push({ source: source.slice(at + 1, end) })
      at = end
    } else if (next === 'u' && /^[0-9a-fA-F]{4}$/.test(source.slice(at + 1, at + 5))) {
      text += String.fromCharCode(Number.parseInt(source.slice(at + 1, at + 5), 16))
      at += 4
    } else if (escapes[next] !== undefined) text += escapes[next]
    else throw new JqError(`invalid escape \\${next ?? ''} at ${at}`)
  }
  throw new JqError('a string is not closed')
}

/** `open` is that of the opening one. Strings inside are skipped. */
function closingParenthesis(source: string, open: number): number {
  let depth = 0
  for (let at = open; at < source.length; at++) {
    const char = source[at]
    if (char === '"') at = readString(source, at).end - 1
    else if (char === '(') depth++
    else if (char === ')' && --depth === 0) return at
  }
  throw new JqError('an interpolation is not closed')
}
