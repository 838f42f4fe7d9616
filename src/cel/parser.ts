/**
 * Parses an expression into its tree. Where it does not fit the grammar, `diagnose.ts` says all that is wrong, in the
 * reference's words. Recursion is bounded: nesting and chains deeper than the limit are an error, chains of `&&` and `||` are one node of any length.
 */

import { SideTable } from '../lib/memo.ts'
import type { ExprNode, MapEntry, StructField } from './ast.ts'
import { call, copyNode, ident, list, literal, map, select } from './ast.ts'
import { diagnose } from './diagnose.ts'
import type { Token } from './lexer.ts'
import { tokenize } from './lexer.ts'
import { MacroError } from './macros.ts'
import { calcPrecedence, OPERATORS, RELATIONS } from './operators.ts'
import type { ParseOptions } from './parse-options.ts'
import { readLiteral } from './read-literal.ts'
import { RESERVED } from './reserved.ts'
import { MAX_CODE_POINTS, type Source } from './source.ts'
import { DYN } from './types.ts'

const MAX_DEPTH = 250
const MAX_COPIES = 100_000

/** Parsing cannot go on; what is wrong has been reported. */
class ParseStopped extends Error {}

/** The tokens do not fit the grammar. */
class SyntaxFound extends Error {}

/** The tree, or undefined when the source has issues now. */
export function parse(source: Source, options: ParseOptions): ExprNode | undefined {
  if (source.size > MAX_CODE_POINTS) {
    source.report(-1, `expression code point size exceeds limit: size: ${source.size}, limit ${MAX_CODE_POINTS}`)
    return undefined
  }
  const { tokens, unrecognized } = tokenize(source)
  const before = source.issueCount
  try {
    const node = new Parser(source, tokens, options).parse()
    return source.hasIssues ? undefined : node
  } catch (error) {
    if (error instanceof SyntaxFound) {
      source.keepIssues(before)
      diagnose(source, { tokens, unrecognized, escapedIdentifiers: options.escapedIdentifiers })
    } else if (!(error instanceof ParseStopped)) throw error
    return undefined
  }
}

/** What the parser is in the middle of, each with a bound on its depth. */
interface Depths {
  expr: number
  relation: number
  calc: number
  member: number
}

class Parser {
  readonly #source: Source
  readonly #options: ParseOptions
  readonly #tokens: readonly Token[]
  readonly #depths: Depths = { expr: 0, relation: 0, calc: 0, member: 0 }
  #at = 0
  #copies = 0
  /** How deeply operators, selections and calls nest below a node. */
  readonly #nesting = new SideTable<ExprNode, number>()

  constructor(source: Source, tokens: readonly Token[], options: ParseOptions) {
    this.#source = source
    this.#options = options
    this.#tokens = tokens
  }

  parse(): ExprNode {
    const node = this.#expression()
    this.#expect('end')
    if ((this.#nesting.get(node) ?? 0) > MAX_DEPTH) this.#fail(-1, 'max recursion depth exceeded')
    return node
  }

  get #token(): Token {
    return this.#tokens[this.#at]!
  }

  #peek(ahead: number): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)]!
  }

  #fail(offset: number, message: string): never {
    this.#source.report(offset, message)
    throw new ParseStopped()
  }

  #enter(rule: keyof Depths): void {
    if (++this.#depths[rule] > MAX_DEPTH) this.#fail(-1, `expression recursion limit exceeded: ${MAX_DEPTH}`)
  }

  /** Records that the node is one deeper than its deepest part. */
  #nest(node: ExprNode, parts: readonly ExprNode[], own = 1): ExprNode {
    let deepest = 0
    for (const part of parts) deepest = Math.max(deepest, this.#nesting.get(part) ?? 0)
    if (deepest + own > 0) this.#nesting.set(node, deepest + own)
    return node
  }

  #is(symbol: string): boolean {
    return this.#token.kind === 'symbol' && this.#token.text === symbol
  }

  #take(symbol: string): Token | undefined {
    if (!this.#is(symbol)) return undefined
    return this.#tokens[this.#at++]!
  }

  #expect(wanted: string): Token {
    const token = this.#token
    if ((token.kind === 'symbol' ? token.text : token.kind) !== wanted) throw new SyntaxFound()
    this.#at++
    return token
  }

  /** Says that a part of the language is not to be used here, and goes on. */
  #refuse(offset: number, message: string): void {
    this.#source.report(offset, message)
  }

  #expression(): ExprNode {
    this.#enter('expr')
    const condition = this.#logic('||')
    const question = this.#take('?')
    if (!question) {
      this.#depths.expr--
      return condition
    }
    const whenTrue = this.#logic('||')
    this.#expect(':')
    const whenFalse = this.#expression()
    this.#depths.expr--
    const args = [condition, whenTrue, whenFalse]
    return this.#nest(this.#callOrMacro(question.offset, '_?_:_', args), args)
  }

  #logic(operator: '||' | '&&'): ExprNode {
    const term = (): ExprNode => (operator === '||' ? this.#logic('&&') : this.#relation())
    const first = term()
    const terms = [first]
    let offset = -1
    for (let token = this.#take(operator); token; token = this.#take(operator)) {
      if (offset < 0) offset = token.offset
      terms.push(term())
    }
    if (terms.length === 1) return first
    return this.#nest(call(offset, operator === '||' ? '_||_' : '_&&_', terms), terms, 0)
  }

  #relation(): ExprNode {
    return this.#binary('relation', (text) => (Object.hasOwn(RELATIONS, text) ? 1 : 0), 1)
  }

  /** Operators of at least the precedence; those to the left bind first. */
  #binary(rule: 'relation' | 'calc', precedenceOf: (text: string) => number, least: number): ExprNode {
    const before = this.#depths[rule]
    this.#enter(rule)
    let left = rule === 'relation' ? this.#binary('calc', calcPrecedence, 1) : this.#unary()
    for (;;) {
      const { kind, text, offset } = this.#token
      const precedence = kind === 'symbol' || kind === 'in' ? precedenceOf(text) : 0
      if (precedence < least) break
      this.#at++
      this.#enter(rule)
      const args = [left, this.#binary(rule, precedenceOf, precedence + 1)]
      left = this.#nest(this.#callOrMacro(offset, OPERATORS[text]!, args), args)
    }
    this.#depths[rule] = before
    return left
  }

  #unary(): ExprNode {
    const first = this.#token
    if (!this.#is('!') && !this.#is('-')) return this.#member()
    const next = this.#peek(1).kind
    if (first.text === '-' && (next === 'int' || next === 'float')) return this.#member()
    let count = 0
    while (this.#take(first.text)) count++
    const operand = this.#member()
    if (count % 2 === 0) return operand
    return this.#nest(this.#callOrMacro(first.offset, first.text === '!' ? '!_' : '-_', [operand]), [operand], 0)
  }

  #member(): ExprNode {
    const before = this.#depths.member
    this.#enter('member')
    let node = this.#primary()
    for (;;) {
      if (this.#is('.')) node = this.#selection(node)
      else if (this.#is('[')) node = this.#index(node)
      else break
      this.#enter('member')
    }
    this.#depths.member = before
    return node
  }

  #selection(operand: ExprNode): ExprNode {
    const dot = this.#expect('.')
    const optional = this.#take('?')
    const { kind, offset, text } = this.#token
    if (kind !== 'identifier' && kind !== 'escaped-identifier') throw new SyntaxFound()
    this.#at++
    if (kind === 'identifier' && !optional && this.#is('(')) return this.#memberCall(operand, text)
    const field = kind === 'identifier' ? text : this.#unescapeIdentifier(offset, text)
    if (!optional) return this.#nest(select(dot.offset, operand, field), [operand])
    if (!this.#options.optionalSyntax) this.#refuse(dot.offset, "unsupported syntax '.?'")
    return this.#nest(call(dot.offset, '_?._', [operand, literal(offset, field)]), [operand])
  }

  #unescapeIdentifier(offset: number, text: string): string {
    if (!this.#options.escapedIdentifiers) this.#refuse(offset, "unsupported syntax: '`'")
    return text.slice(1, -1)
  }

  #memberCall(target: ExprNode, name: string): ExprNode {
    const open = this.#expect('(')
    const args = this.#arguments()
    return this.#nest(this.#callOrMacro(open.offset, name, args, target), [target, ...args])
  }

  #index(operand: ExprNode): ExprNode {
    const open = this.#expect('[')
    const optional = this.#take('?')
    const index = this.#expression()
    this.#expect(']')
    if (optional && !this.#options.optionalSyntax) this.#refuse(open.offset, "unsupported syntax '[?'")
    const args = [operand, index]
    return this.#nest(this.#callOrMacro(open.offset, optional ? '_[?_]' : '_[_]', args), args)
  }

  #arguments(): ExprNode[] {
    const args: ExprNode[] = []
    if (this.#take(')')) return args
    do args.push(this.#expression())
    while (this.#take(','))
    this.#expect(')')
    return args
  }

  #callOrMacro(offset: number, name: string, args: readonly ExprNode[], target?: ExprNode): ExprNode {
    const macro = this.#options.macros.find(name, args.length, target !== undefined)
    if (!macro) return call(offset, name, args, target)
    try {
      const copy = (node: ExprNode): ExprNode => copyNode(node, () => this.#countCopy(offset))
      return macro.expand({ offset, target, args, copy }) ?? call(offset, name, args, target)
    } catch (error) {
      if (!(error instanceof MacroError)) throw error
      this.#source.report(error.offset, error.message)
      return literal(offset, null)
    }
  }

  /** Macros that use a part twice make trees that grow with every nesting. */
  #countCopy(offset: number): void {
    if (++this.#copies > MAX_COPIES) throw new MacroError(offset, `expression expands to more than ${MAX_COPIES} nodes`)
  }

  #primary(): ExprNode {
    const token = this.#token
    switch (token.kind) {
      case 'identifier':
        return this.#identifier()
      case 'symbol':
        return this.#bracketed(token)
      default:
        return this.#literal(token)
    }
  }

  #bracketed(token: Token): ExprNode {
    if (token.text === '.') return this.#identifier()
    if (token.text === '-') return this.#literal(token)
    if (this.#take('(')) {
      const node = this.#expression()
      this.#expect(')')
      return node
    }
    if (token.text === '[') return this.#list()
    if (token.text === '{') return this.#map()
    throw new SyntaxFound()
  }

  #identifier(): ExprNode {
    const start = this.#token
    const dot = this.#take('.')
    const token = this.#expect('identifier')
    const struct = this.#structName(token)
    if (struct !== undefined) return this.#struct(`${dot ? '.' : ''}${struct}`)
    if (RESERVED.has(token.text)) {
      this.#source.report(start.offset, `reserved identifier: ${token.text}`)
      return literal(start.offset, null)
    }
    const name = `${dot ? '.' : ''}${token.text}`
    if (!this.#is('(')) return ident(token.offset, name)
    const open = this.#expect('(')
    const args = this.#arguments()
    return this.#nest(this.#callOrMacro(open.offset, name, args), args, 0)
  }

  /** The name before a `{`, if the identifier just taken starts one. */
  #structName(first: Token): string | undefined {
    let name = first.text
    let ahead = 0
    const symbolAt = (i: number, text: string): boolean =>
      this.#peek(i).kind === 'symbol' && this.#peek(i).text === text
    while (symbolAt(ahead, '.') && this.#peek(ahead + 1).kind === 'identifier') {
      name += `.${this.#peek(ahead + 1).text}`
      ahead += 2
    }
    if (!symbolAt(ahead, '{')) return undefined
    this.#at += ahead
    return name
  }

  #struct(name: string): ExprNode {
    const open = this.#expect('{')
    const fields: StructField[] = []
    while (!this.#is('}') && !(fields.length === 0 && this.#is(','))) {
      const optional = this.#take('?')
      if (optional && !this.#options.optionalSyntax) this.#refuse(optional.offset, "unsupported syntax '?'")
      const token = this.#token
      if (token.kind === 'escaped-identifier') this.#at++
      else this.#expect('identifier')
      const field = token.kind === 'identifier' ? token.text : this.#unescapeIdentifier(token.offset, token.text)
      const colon = this.#expect(':')
      fields.push({ offset: colon.offset, name: field, value: this.#expression(), optional: optional !== undefined })
      if (!this.#is(',') || this.#isClosing(1, '}')) break
      this.#at++
    }
    this.#take(',')
    this.#expect('}')
    const values = fields.map((field) => field.value)
    return this.#nest({ kind: 'struct', offset: open.offset, name, fields, type: DYN }, values, 0)
  }

  #list(): ExprNode {
    const open = this.#expect('[')
    const elements: ExprNode[] = []
    const optionals = new Set<number>()
    while (!this.#is(']') && !(elements.length === 0 && this.#is(','))) {
      const optional = this.#take('?')
      const element = this.#expression()
      if (optional) {
        if (!this.#options.optionalSyntax) this.#refuse(optional.offset, "unsupported syntax '?'")
        optionals.add(elements.length)
      }
      elements.push(element)
      if (!this.#is(',') || this.#isClosing(1, ']')) break
      this.#at++
    }
    this.#take(',')
    this.#expect(']')
    return this.#nest(list(open.offset, elements, optionals), elements, 0)
  }

  #isClosing(ahead: number, symbol: string): boolean {
    const token = this.#peek(ahead)
    return token.kind === 'symbol' && token.text === symbol
  }

  #map(): ExprNode {
    const open = this.#expect('{')
    const entries: MapEntry[] = []
    while (!this.#is('}') && !(entries.length === 0 && this.#is(','))) {
      const optional = this.#take('?')
      if (optional && !this.#options.optionalSyntax) this.#refuse(optional.offset, "unsupported syntax '?'")
      const key = this.#expression()
      const colon = this.#expect(':')
      entries.push({ offset: colon.offset, key, value: this.#expression(), optional: optional !== undefined })
      if (!this.#is(',') || this.#isClosing(1, '}')) break
      this.#at++
    }
    this.#take(',')
    this.#expect('}')
    const parts = entries.flatMap((entry) => [entry.key, entry.value])
    return this.#nest(map(open.offset, entries), parts, 0)
  }

  #literal(start: Token): ExprNode {
    const negative = this.#take('-') !== undefined
    const read = readLiteral(this.#token, negative)
    this.#at++
    if (read === undefined) throw new SyntaxFound()
    if (read.problem !== undefined) this.#source.report(start.offset, read.problem)
    return literal(start.offset, read.value)
  }
}
