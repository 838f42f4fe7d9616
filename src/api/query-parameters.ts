/** The parameters of a query, in order, as the reference reads them: `+` is a space, broken escapes drop the pair. */
export class QueryParameters {
  readonly #pairs: readonly (readonly [string, string])[]

  static readonly none: QueryParameters = new QueryParameters([])

  private constructor(pairs: readonly (readonly [string, string])[]) {
    this.#pairs = pairs
  }

  static parse(query: string): QueryParameters {
    if (query === '') return QueryParameters.none
    const pairs: [string, string][] = []
    for (const part of query.split('&')) {
      if (part === '' || part.includes(';')) continue
      const equals = part.indexOf('=')
      const key = decode(equals < 0 ? part : part.slice(0, equals))
      const value = equals < 0 ? '' : decode(part.slice(equals + 1))
      if (key !== undefined && value !== undefined) pairs.push([key, value])
    }
    return new QueryParameters(pairs)
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

  get isEmpty(): boolean {
    return this.#pairs.length === 0
  }
}

function decode(text: string): string | undefined {
  const plain = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!plain.includes('%')) return plain
  try {
    return decodeURIComponent(plain)
  } catch {
    return undefined
  }
}
