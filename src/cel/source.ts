/**
 * The text of an expression and the issues found in it. Offsets count code points, as the reference counts columns;
 * an issue is shown with its line and a caret below the place.
 */
export interface Issue {
  readonly line: number
  /** Zero-based. */
  readonly column: number
  readonly message: string
}

/** A longer text is not read. */
export const MAX_CODE_POINTS = 100_000
const MAX_ISSUES = 100
const MAX_SNIPPET = 16_384

export class Source {
  /** One entry a code point; none of a text that is too long. */
  readonly chars: readonly string[]
  /** How many code points the text has. */
  readonly size: number
  readonly #lineStarts: number[] = [0]
  readonly #issues: Issue[] = []
  readonly #snippets = new Map<number, Snippet>()
  #reported = 0

  constructor(text: string) {
    this.size = codePointsOf(text)
    this.chars = this.size > MAX_CODE_POINTS ? [] : Array.from(text)
    for (let i = 0; i < this.chars.length; i++) if (this.chars[i] === '\n') this.#lineStarts.push(i + 1)
  }

  get hasIssues(): boolean {
    return this.#reported > 0
  }

  get issueCount(): number {
    return this.#issues.length
  }

  /** Forgets the issues behind the first so many. */
  keepIssues(count: number): void {
    this.#issues.length = count
    this.#reported = count
  }

  get issues(): readonly Issue[] {
    return this.#issues
  }

  /** An offset of -1 is a place outside the text. */
  report(offset: number, message: string): void {
    this.#reported++
    if (this.#reported > MAX_ISSUES) return
    if (offset < 0) {
      this.#issues.push({ line: -1, column: 0, message })
      return
    }
    let line = 0
    while (line + 1 < this.#lineStarts.length && this.#lineStarts[line + 1]! <= offset) line++
    // No text has no first column.
    const column = this.chars.length === 0 ? -1 : offset - this.#lineStarts[line]!
    this.#issues.push({ line: line + 1, column, message })
  }

  /** All issues in order of place, each with its snippet. */
  display(): string {
    const sorted = [...this.#issues].sort((a, b) => a.line - b.line || a.column - b.column)
    const shown = sorted.map((issue) => this.#displayIssue(issue))
    if (this.#reported > MAX_ISSUES) shown.push(`${this.#reported - MAX_ISSUES} more errors were truncated`)
    return shown.join('\n')
  }

  #displayIssue(issue: Issue): string {
    const head = `ERROR: <input>:${issue.line}:${issue.column + 1}: ${issue.message}`
    const snippet = this.#snippet(issue.line)
    if (snippet === undefined || snippet.isLong) return head
    const caret = (snippet.dots[issue.column] ?? '.') === '.' ? '^' : '\uff3e'
    return `${head}\n | ${snippet.text}\n | ${snippet.dots.slice(0, Math.max(issue.column, 0))}${caret}`
  }

  /** Memoized: a line may have all the issues. */
  #snippet(line: number): Snippet | undefined {
    const start = this.#lineStarts[line - 1]
    if (start === undefined || this.chars.length === 0) return undefined
    const known = this.#snippets.get(line)
    if (known !== undefined) return known
    const next = this.#lineStarts[line]
    const chars = this.chars.slice(start, next === undefined ? undefined : next - 1)
    const text = chars.map((char) => (char === '\t' ? ' ' : char)).join('')
    const made = {
      text,
      dots: chars.map((char) => (isWide(char) ? '\uff0e' : '.')).join(''),
      isLong: Buffer.byteLength(text) > MAX_SNIPPET,
    }
    this.#snippets.set(line, made)
    return made
  }
}

/** Half of a surrogate pair without the other half is one. */
function codePointsOf(text: string): number {
  let pairs = 0
  for (let i = 1; i < text.length; i++) {
    if (!isTrail(text.charCodeAt(i)) || !isLead(text.charCodeAt(i - 1))) continue
    pairs++
    i++
  }
  return text.length - pairs
}

const isLead = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isTrail = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000

/** A line as issues show it. */
interface Snippet {
  readonly text: string
  /** One for each code point: a wide one below what is wide. */
  readonly dots: string
  readonly isLong: boolean
}

/** More than one byte in UTF-8. */
const isWide = (char: string): boolean => (char.codePointAt(0) ?? 0) > 0x7f
