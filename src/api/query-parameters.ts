/**
 * The parameters of a query, in order. `+` is a space, and bytes that are not UTF-8 survive (`byte-text.ts`). A pair that
 * cannot be read at all (a broken escape, a semicolon) is not dropped silently: it may be the one that narrows the
 * request, so `unreadable` says so, and whatever acts on parameters refuses.
 */
import { brokenEscape, unescapePercent } from './byte-text.ts'
import { quote } from './golang/quote.ts'

/** A query with more has none (`net/url: urlParamsWithinMax`). */
const maxParameters = 10_000

type Pair = readonly [key: string, value: string]

export class QueryParameters {
  readonly #pairs: readonly Pair[]
  /** Why a pair could not be read, in Go's words (`net/url: ParseQuery`). */
  readonly unreadable: string | undefined

  static readonly none: QueryParameters = new QueryParameters([], undefined)

  private constructor(pairs: readonly Pair[], unreadable: string | undefined) {
    this.#pairs = pairs
    this.unreadable = unreadable
  }

  static parse(query: string): QueryParameters {
    if (query === '') return QueryParameters.none
    const pairs: Pair[] = []
    let unreadable: string | undefined
    const parts = query.split('&', maxParameters + 1)
    if (parts.length > maxParameters) return new QueryParameters([], 'number of URL query parameters exceeded limit')
    for (const part of parts) {
      if (part === '') continue
      const pair = parsePair(part)
      if (typeof pair === 'string') unreadable ??= pair
      else pairs.push(pair)
    }
    return new QueryParameters(pairs, unreadable)
  }

  has(name: string): boolean {
    return this.#pairs.some(([key]) => key === name)
  }

  /** The first value; the empty text for a name without one; undefined when the name is absent. */
  get(name: string): string | undefined {
    return this.#pairs.find(([key]) => key === name)?.[1]
  }

  all(name: string): string[] {
    return this.#pairs.filter(([key]) => key === name).map(([, value]) => value)
  }

  /** Each name once. */
  names(): string[] {
    return [...new Set(this.#pairs.map(([key]) => key))]
  }

  get isEmpty(): boolean {
    return this.#pairs.length === 0
  }
}

/** The pair, or why there is none. */
function parsePair(part: string): Pair | string {
  if (part.includes(';')) return 'invalid semicolon separator in query'
  const equals = part.indexOf('=')
  const name = equals < 0 ? part : part.slice(0, equals)
  const key = unescaped(name)
  if (key === undefined) return invalidEscape(name)
  if (equals < 0) return [key, '']
  const written = part.slice(equals + 1)
  const value = unescaped(written)
  return value === undefined ? invalidEscape(written) : [key, value]
}

const unescaped = (text: string): string | undefined =>
  unescapePercent(text.includes('+') ? text.replaceAll('+', ' ') : text)

const invalidEscape = (text: string): string => `invalid URL escape ${quote(brokenEscape(text) ?? '')}`
