/** The values of string and bytes literals. */

/** The text of a literal with its quotes taken off and its escape sequences resolved; throws the reference's words. */
export function unquoteString(literal: string): string {
  const { body, raw } = stripQuotes(literal)
  if (raw || !body.includes('\\')) return body
  let text = ''
  for (const part of unescapeParts(body, false)) text += typeof part === 'number' ? String.fromCodePoint(part) : part
  return text
}

/** As `unquoteString`, but `\x` and octal escapes stand for single bytes. */
export function unquoteBytes(literal: string): Uint8Array {
  const { body, raw } = stripQuotes(literal)
  if (raw || !body.includes('\\')) return Buffer.from(body, 'utf8')
  const chunks: Uint8Array[] = []
  for (const part of unescapeParts(body, true)) {
    chunks.push(typeof part === 'number' ? Uint8Array.of(part) : Buffer.from(part, 'utf8'))
  }
  return Buffer.concat(chunks)
}

function stripQuotes(literal: string): { body: string; raw: boolean } {
  const text = literal.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  const raw = text[0] === 'r' || text[0] === 'R'
  const quoted = raw ? text.slice(1) : text
  const triple = quoted.length >= 6 && (quoted.startsWith("'''") || quoted.startsWith('"""'))
  return { body: triple ? quoted.slice(3, -3) : quoted.slice(1, -1), raw }
}

const SIMPLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
}

/** Plain text as strings; numeric escapes as numbers: a code point, or a byte in a bytes literal. */
function* unescapeParts(body: string, bytes: boolean): Generator<string | number> {
  let at = 0
  while (at < body.length) {
    const slash = body.indexOf('\\', at)
    if (slash !== at) yield body.slice(at, slash < 0 ? undefined : slash)
    if (slash < 0) return
    const char = body[slash + 1] ?? ''
    const simple = SIMPLE[char]
    if (simple !== undefined) {
      yield simple
      at = slash + 2
      continue
    }
    const hexDigits = { x: 2, X: 2, u: 4, U: 8 }[char]
    if (hexDigits !== undefined && bytes && hexDigits > 2) throw new Error('unable to unescape string')
    const digits =
      hexDigits === undefined ? body.slice(slash + 1, slash + 4) : body.slice(slash + 2, slash + 2 + hexDigits)
    const value = Number.parseInt(digits, hexDigits === undefined ? 8 : 16)
    if (!bytes && !isValidCodePoint(value)) throw new Error('invalid unicode code point')
    yield value
    at = slash + (hexDigits === undefined ? 4 : 2 + hexDigits)
  }
}

const isValidCodePoint = (value: number): boolean => value <= 0x10ffff && (value < 0xd800 || value > 0xdfff)
