/** Splits a template into its texts and its actions, and an action into tokens. Mirrors text/template/parse: lexer. */
import { TemplateError } from './template-error.ts'

export type TemplatePiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly tokens: readonly TemplateToken[]; readonly source: string }

export interface TemplateToken {
  readonly kind: 'field' | 'variable' | 'name' | 'string' | 'number' | 'symbol'
  readonly text: string
  /** A blank stands in front: it divides arguments. */
  readonly spaced: boolean
}

const maxLength = 100_000

/** `{{- ` takes the white space before it away, ` -}}` what follows. */
export function splitTemplate(source: string): TemplatePiece[] {
  if (source.length > maxLength) throw new TemplateError(`a template has at most ${maxLength} characters`)
  const pieces: TemplatePiece[] = []
  let trimsNext = false
  for (let at = 0; at < source.length; ) {
    const open = source.indexOf('{{', at)
    let text = source.slice(at, open < 0 ? source.length : open)
    if (trimsNext) text = text.trimStart()
    if (open >= 0 && /^-\s/.test(source.slice(open + 2, open + 4))) text = text.trimEnd()
    if (text !== '') pieces.push({ kind: 'text', text })
    if (open < 0) break
    const { inner, end } = actionAt(source, open)
    trimsNext = /\s-$/.test(inner) || /^-\s-$/.test(inner)
    const body = inner.replace(/^-\s/, '').replace(/\s-$/, '').trim()
    if (!/^\/\*.*\*\/$/s.test(body)) pieces.push({ kind: 'action', tokens: tokenize(body), source: body })
    at = end
  }
  return pieces
}

/** Strings in an action may hold its end. */
function actionAt(source: string, open: number): { inner: string; end: number } {
  const comment = /^\{\{(?:-\s)?\s*\/\*/.exec(source.slice(open, open + 100))
  if (comment !== null) {
    const close = source.indexOf('*/', open)
    const end = close < 0 ? -1 : source.indexOf('}}', close)
    if (end < 0) throw new TemplateError('a comment is not closed')
    return { inner: source.slice(open + 2, end), end: end + 2 }
  }
  for (let at = open + 2; at < source.length; at++) {
    const char = source[at]
    if (char === '"') {
      for (at++; at < source.length && source[at] !== '"'; at++) if (source[at] === '\\') at++
    } else if (char === '`') at = Math.max(source.indexOf('`', at + 1), at)
    else if (char === '}' && source[at + 1] === '}') return { inner: source.slice(open + 2, at), end: at + 2 }
  }
  throw new TemplateError('an action is not closed')
}

const patterns: readonly [TemplateToken['kind'], RegExp][] = [
  ['string', /"(?:[^"\\]|\\.)*"|`[^`]*`/y],
  ['field', /\.[A-Za-z_]\w*/y],
  ['number', /[+-]?(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/y],
  ['variable', /\$\w*/y],
  ['name', /[A-Za-z_]\w*/y],
  ['symbol', /:=|[=|(),.]/y],
]

function tokenize(source: string): TemplateToken[] {
  const tokens: TemplateToken[] = []
  for (let at = 0; at < source.length; ) {
    const begin = at
    while (/\s/.test(source[at] ?? '')) at++
    if (at >= source.length) break
    const found = patterns
      .map(([kind, pattern]) => {
        pattern.lastIndex = at
        return [kind, pattern.exec(source)?.[0]] as const
      })
      .find(([, text]) => text !== undefined)
    if (found?.[1] === undefined) throw new TemplateError(`unexpected ${JSON.stringify(source[at])} in {{${source}}}`)
    tokens.push({ kind: found[0], text: found[1], spaced: at > begin })
    at += found[1].length
  }
  return tokens
}
