/** Texts as a report of differences shows them: quoted, cut off, or line by line. Mirrors go-cmp: formatString and the like. */
import { quote } from '../../api/golang/quote.ts'
import { clampLevel, type Options } from './diff-options.ts'
import { ellipsis, type Sign, type TextList, type TextNode, type TextRecord, wrap } from './diff-text.ts'

/** A text on one line, of which only so much is shown; several lines of one value alone stand below each other. */
export function stringText(prefix: string, text: string, { level, mode }: Options): TextNode {
  const maxBytes = (1 << clampLevel(level)) << 5
  const lines = text.replace(/\n$/, '').split('\n')
  if (lines.length >= 4 && (mode === '-' || mode === '+') && lines.every((line) => isRawLine(line, prefix, maxBytes))) {
    return tripleQuoted(prefix, lines, { maxLines: (1 << clampLevel(level)) << 2, sign: mode })
  }
  const bytes = Buffer.from(text)
  if (bytes.length > maxBytes + ellipsis.length) {
    return `${prefix}${formatString(bytes.subarray(0, maxBytes).toString())}${ellipsis}`
  }
  return prefix + formatString(text)
}

const isRawLine = (line: string, prefix: string, maxBytes: number): boolean => {
  const bare = line.replace(/^\r|\r$/g, '')
  const start = bare.startsWith(prefix) ? bare.slice(prefix.length) : bare
  if (start.startsWith('"""') || bare.startsWith('...')) return false
  return isPrintable(bare.replaceAll('\t', '')) && Buffer.byteLength(bare) <= maxBytes
}

function tripleQuoted(
  prefix: string,
  lines: readonly string[],
  { maxLines, sign }: { maxLines: number; sign: Sign },
): TextNode {
  const record = (text: string): TextRecord => ({ sign, value: text, elidesComma: true })
  const isCut = lines.length > maxLines
  const shown = lines.slice(0, isCut ? maxLines - 1 : lines.length).map((line) => record(line.replace(/^\r|\r$/g, '')))
  const cut = { ...record(ellipsis), comment: `${lines.length - maxLines + 1} elided lines` }
  const quotes = record(`${prefix}"""`)
  return wrap('(', [quotes, ...shown, ...(isCut ? [cut] : []), quotes], ')')
}

/** Lines that differ in their signs alone must not look the same, nor like the frame. */
export function isTripleQuotable(list: TextList): boolean {
  let [removed, inserted] = [new Set<string>(), new Set<string>()]
  for (const { sign = '', value: line, comment } of list) {
    if (comment === undefined && typeof line === 'string') {
      const isPlain = !line.startsWith('"""') && !line.startsWith('...') && isPrintable(line.replaceAll('\t', ''))
      const bare = line.replace(/\s/g, '')
      if (!isPlain || (sign === '-' && inserted.has(bare)) || (sign === '+' && removed.has(bare))) return false
      if (sign === '-') removed.add(bare)
      if (sign === '+') inserted.add(bare)
    }
    if (sign === '') [removed, inserted] = [new Set<string>(), new Set<string>()]
  }
  return true
}

/** Go quotes what cannot be printed. */
const isPrintable = (text: string): boolean =>
  quote(text).length === text.length + 2 || !/\\[^\\"]/.test(quote(text).replaceAll('\\\\', ''))

export const isPrintedText = (text: string): boolean => isPrintable(text.replace(/\s/g, ''))

/** In double quotes where nothing needs an escape, else in backticks where that is possible. */
export function formatString(text: string): string {
  const quoted = quote(text)
  if (Buffer.byteLength(quoted) === Buffer.byteLength(text) + 2) return quoted
  const isRaw = !text.includes('`') && !text.includes('\n') && isPrintable(text.replaceAll('\t', ''))
  return isRaw ? `\`${text}\`` : quoted
}
