/** An expression and the place up to which it has been read. */

/** What is wrong with an expression, in Go's words. */
export class RegexpSyntaxError extends Error {
  constructor(code: string, part: string) {
    super(`error parsing regexp: ${code}: \`${part}\``)
  }
}

export class PatternSource {
  readonly text: string
  at = 0

  constructor(text: string) {
    this.text = text
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length
  }

  /** What has been read since a place. */
  since(begin: number): string {
    return this.text.slice(begin, this.at)
  }

  /** Takes the character at the place; half of a pair is what UTF-8 has for it. */
  rune(): number {
    const rune = this.text.codePointAt(this.at)!
    this.at += rune > 0xffff ? 2 : 1
    return rune >= 0xd800 && rune <= 0xdfff ? 0xfffd : rune
  }
}
