// Tokens of Go source, with comments kept beside them and semicolons put in where Go's own scanner puts them.

const operators = [
  ...['<<=', '>>=', '&^=', '...', '&&', '||', '<-', '++', '--', '==', '!=', '<=', '>=', ':=', '+=', '-=', '*=', '/='],
  ...['%=', '&=', '|=', '^=', '<<', '>>', '&^', '+', '-', '*', '/', '%', '&', '|', '^', '<', '>', '=', '!', '(', ')'],
  ...['[', ']', '{', '}', ',', ';', '.', ':', '~'],
]
const keywords = new Set(
  'break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var'.split(
    ' ',
  ),
)
const endsStatement = new Set(['break', 'continue', 'fallthrough', 'return', '++', '--', ')', ']', '}'])
const word = /[\p{L}_][\p{L}\p{Nd}_]*/uy
const number = /0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y

/**
 * `{ kind: 'word' | 'keyword' | 'number' | 'string' | 'rune' | 'operator' | 'end', text, value?, line, comment? }`:
 * `comment` is the group of comments that ends on the line before the token.
 */
export function scanGo(source) {
  const tokens = []
  let at = 0
  let line = 1
  let comment = []
  let commentEnd = 0

  const push = (kind, text, value) => {
    const token = { kind, text, line, at }
    if (value !== undefined) token.value = value
    if (comment.length > 0) {
      if (commentEnd === line - 1 || commentEnd === line) token.comment = comment
      comment = []
    }
    tokens.push(token)
  }
  const newline = () => {
    const last = tokens.at(-1)
    if (last === undefined) return
    const ends = last.kind === 'operator' || last.kind === 'keyword' ? endsStatement.has(last.text) : last.text !== ';'
    if (ends) tokens.push({ kind: 'operator', text: ';', line, at })
  }
  const addComment = (text) => {
    if (comment.length > 0 && commentEnd < line - 1) comment = []
    comment.push(text)
  }

  while (at < source.length) {
    const char = source[at]
    if (char === '\n') {
      newline()
      line++
      at++
    } else if (char === ' ' || char === '\t' || char === '\r') {
      at++
    } else if (source.startsWith('//', at)) {
      const end = source.indexOf('\n', at) < 0 ? source.length : source.indexOf('\n', at)
      const trailing = tokens.at(-1)?.line === line && tokens.at(-1)?.text !== ';'
      if (!trailing && tokens.at(-1)?.line !== line) {
        addComment(source.slice(at + 2, end))
        commentEnd = line
      }
      at = end
    } else if (source.startsWith('/*', at)) {
      const end = source.indexOf('*/', at) + 2
      const text = source.slice(at + 2, end - 2)
      const lines = text.split('\n').length - 1
      if (lines > 0) newline()
      line += lines
      for (const each of text.split('\n')) comment.push(each)
      commentEnd = line
      at = end
    } else {
      scanToken(char)
    }
  }
  newline()
  tokens.push({ kind: 'end', text: '', line, at })
  return tokens

  function scanToken(char) {
    word.lastIndex = at
    const name = word.exec(source)?.[0]
    if (name !== undefined) {
      push(keywords.has(name) ? 'keyword' : 'word', name)
      at += name.length
      return
    }
    number.lastIndex = at
    const digits = /[\d.]/.test(char) ? number.exec(source)?.[0] : undefined
    if (digits !== undefined && digits !== '.' && digits !== '') {
      push('number', digits)
      at += digits.length
      return
    }
    if (char === '"' || char === "'" || char === '`') return scanQuoted(char)
    const operator = operators.find((each) => source.startsWith(each, at))
    if (operator === undefined) throw new Error(`line ${line}: unexpected ${JSON.stringify(char)}`)
    push('operator', operator)
    at += operator.length
  }

  function scanQuoted(quote) {
    let end = at + 1
    while (source[end] !== quote) end += source[end] === '\\' && quote !== '`' ? 2 : 1
    const text = source.slice(at, end + 1)
    push(quote === "'" ? 'rune' : 'string', text, quote === '`' ? text.slice(1, -1) : unquote(text.slice(1, -1)))
    line += text.split('\n').length - 1
    at = end + 1
  }
}

const escapes = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' }

function unquote(text) {
  return text.replace(/\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{3}|.)/g, (_, code) => {
    if (/^[xuU]./.test(code)) return String.fromCodePoint(Number.parseInt(code.slice(1), 16))
    if (/^[0-7]{3}$/.test(code)) return String.fromCodePoint(Number.parseInt(code, 8))
    return escapes[code] ?? code
  })
}
