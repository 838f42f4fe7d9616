/**
 * What the reference's visitor finds in the tree of an expression that its parser could not read as a whole: names and
 * literals that are no good. It looks at the entries of maps and messages up to the first that is not whole.
 */
import { pushAll } from '../lib/push-all.ts'
import { type Token, tokenType } from './lexer.ts'
import { readLiteral } from './read-literal.ts'
import { RESERVED } from './reserved.ts'

/** The entries of a map or a message, as far as they were read. */
export interface ReadEntries {
  readonly keys: FindingRange[]
  colons: number
  readonly values: FindingRange[]
}

/** The findings from one to before another, and what is wrong with the key that they are of. */
interface FindingRange {
  readonly from: number
  readonly to: number
  readonly problem?: string | undefined
}

/** What is wrong with a part of the tree. */
interface TreeFinding {
  readonly offset: number
  readonly message: string
}

export class TreeFindings implements Iterable<TreeFinding> {
  readonly #tokens: readonly Token[]
  readonly #escapedIdentifiers: boolean
  readonly #findings: TreeFinding[] = []

  constructor(tokens: readonly Token[], escapedIdentifiers: boolean) {
    this.#tokens = tokens
    this.#escapedIdentifiers = escapedIdentifiers
  }

  get length(): number {
    return this.#findings.length
  }

  [Symbol.iterator](): Iterator<TreeFinding> {
    return this.#findings.values()
  }

  /** What is wrong with the name of a field; undefined when nothing is. */
  nameProblem(name: Token | undefined): string | undefined {
    if (name === undefined) return 'unsupported ident kind'
    return name.kind === 'identifier' || this.#escapedIdentifiers ? undefined : "unsupported syntax: '`'"
  }

  checkName(begin: number, name: Token | undefined): void {
    const problem = this.nameProblem(name)
    if (problem !== undefined) this.#add(begin, problem)
  }

  /** Of the entries from the first that is not whole nothing is found, nor of the value of one that has no name. */
  checkEntries({ begin, found }: { begin: number; found: number }, { keys, colons, values }: ReadEntries): void {
    const whole = Math.min(keys.length, colons, values.length)
    if (whole === keys.length && whole === values.length && keys.every(({ problem }) => problem === undefined)) return
    const findings = this.#findings.splice(found)
    const take = ({ from, to }: FindingRange): void => pushAll(this.#findings, findings.slice(from - found, to - found))
    for (let i = 0; i < whole; i++) {
      const { problem } = keys[i]!
      take(keys[i]!)
      if (problem === undefined) take(values[i]!)
      else this.#add(begin, problem)
    }
  }

  /** Names that no variable may have: an identifier, or the name of a call. */
  checkIdentifier(begin: number): void {
    const first = this.#tokens[begin]!
    const token = tokenType(first) === '.' ? this.#tokens[begin + 1]! : first
    if (token.kind === 'identifier' && RESERVED.has(token.text)) this.#add(begin, `reserved identifier: ${token.text}`)
  }

  /** A literal that was read up to a token. */
  checkLiteral(begin: number, end: number): void {
    const first = this.#tokens[begin]!
    const negative = tokenType(first) === '-'
    if (end !== begin + (negative ? 2 : 1)) return
    const read = readLiteral(negative ? this.#tokens[begin + 1]! : first, negative)
    if (read?.problem !== undefined) this.#add(begin, read.problem)
  }

  #add(token: number, message: string): void {
    this.#findings.push({ offset: this.#tokens[token]!.offset, message })
  }
}
