/** The headers of an answer from all filters and handlers, as a test sees them. */
export class AnswerHeaders {
  readonly #values = new Map<string, string[]>()

  add(name: string, value: string): void {
    const lower = name.toLowerCase()
    const known = this.#values.get(lower)
    if (known === undefined) this.#values.set(lower, [value])
    else known.push(value)
  }

  addAll(headers: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(headers)) this.add(name, value)
  }

  remove(name: string): void {
    this.#values.delete(name.toLowerCase())
  }

  get all(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#values].map(([name, values]) => [name, values.map(text).join(', ')]))
  }

  get warnings(): readonly string[] {
    return (this.#values.get('warning') ?? []).map((value) => warningText(text(value)))
  }
}

/** Headers carry bytes. */
const text = (value: string): string => Buffer.from(value, 'latin1').toString('utf8')

/** The text of a header such as `299 - "words"`. */
function warningText(header: string): string {
  const quoted = header.slice(header.indexOf('"'))
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted
  }
}
