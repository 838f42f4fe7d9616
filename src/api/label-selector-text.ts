/** The text form of label selectors: `a=b,c in (x,y),!d`. Bad input throws a 400 with the reference's text. */
import { reasonOf } from '../lib/fault.ts'
import { invalid } from './field-error.ts'
import { FieldPath } from './field-path.ts'
import { checkedRequirement, type LabelOperator, type LabelRequirement, LabelSelector } from './label-selector.ts'
import { checkQualifiedName } from './names.ts'
import { type ApiError, aggregate, badRequest } from './status-error.ts'

/** Reads the text form; throws a 400. */
export function parseLabelSelector(text: string): LabelSelector {
  return text === '' ? LabelSelector.everything : LabelSelector.of(new Parser(text).parse())
}

type TokenKind = 'identifier' | 'symbol' | 'end'

interface Token {
  readonly kind: TokenKind
  readonly text: string
}

const end: Token = { kind: 'end', text: '' }
/** Whitespace, an operator or bracket, or a run of anything else. A NUL ends a run and is dropped. */
const lexeme = /[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^ \t\r\n=!(),<>\0]+)\0?|(\0|$))/y

const binaryOperators: ReadonlyMap<string, LabelOperator> = new Map([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
])

/** Recursive descent over the tokens; `in` and `notin` are words like any other except in an operator's place. */
class Parser {
  readonly #tokens: readonly Token[]
  #position = 0

  constructor(text: string) {
    this.#tokens = tokenize(text)
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = []
    for (;;) {
      const start = this.#peek()
      if (start.kind === 'end') return requirements
      if (!beginsRequirement(start)) throw unexpected(start, ", expected: !, identifier, or 'end of string'")
      requirements.push(this.#requirement())
      const separator = this.#next()
      if (separator.kind === 'end') return requirements
      if (!isSymbol(separator, ',')) throw unexpected(separator, ", expected: ',' or 'end of string'")
      if (!beginsRequirement(this.#peek())) throw unexpected(this.#peek(), ", expected: identifier after ','")
    }
  }

  #requirement(): LabelRequirement {
    try {
      const negated = isSymbol(this.#peek(), '!')
      if (negated) this.#next()
      const key = this.#key()
      if (negated) return checkedRequirement(key, '!', [])
      if (this.#peek().kind === 'end' || isSymbol(this.#peek(), ',')) return checkedRequirement(key, 'exists', [])
      const operator = this.#operator()
      const values = operator === 'in' || operator === 'notin' ? this.#values() : this.#exactValue()
      return checkedRequirement(key, operator, [...values].sort())
    } catch (error) {
      throw badRequest(`unable to parse requirement: ${reasonOf(error)}`)
    }
  }

  #key(): string {
    const token = this.#next()
    if (token.kind !== 'identifier') throw unexpected(token, ', expected: identifier')
    const messages = checkQualifiedName(token.text)
    if (messages.length > 0) throw badRequest(aggregate([invalid(FieldPath.root, token.text, messages.join('; '))]))
    return token.text
  }

  #operator(): LabelOperator {
    const token = this.#next()
    const operator = binaryOperators.get(token.text)
    if (operator === undefined) throw unexpected(token, ', expected: in, notin, =, ==, !=, gt, lt')
    return operator
  }

  #exactValue(): Set<string> {
    if (this.#peek().kind === 'end' || isSymbol(this.#peek(), ',')) return new Set([''])
    const token = this.#next()
    if (token.kind !== 'identifier') throw unexpected(token, ', expected: identifier')
    return new Set([token.text])
  }

  #values(): Set<string> {
    const open = this.#next()
    if (!isSymbol(open, '(')) throw unexpected(open, " expected: '('")
    const first = this.#peek()
    if (isSymbol(first, ')')) {
      this.#next()
      return new Set([''])
    }
    if (first.kind !== 'identifier' && !isSymbol(first, ',')) {
      throw unexpected(first, ", expected: ',', ')' or identifier")
    }
    const values = this.#identifiers()
    this.#next()
    return values
  }

  /** Up to the closing bracket; nothing before, between or after commas is the empty value. */
  #identifiers(): Set<string> {
    const values = new Set<string>()
    for (;;) {
      const token = this.#next()
      if (token.kind === 'identifier') {
        values.add(token.text)
        if (isSymbol(this.#peek(), ')')) return values
        if (!isSymbol(this.#peek(), ',')) throw unexpected(this.#peek(), ", expected: ',' or ')'")
      } else if (isSymbol(token, ',')) {
        if (values.size === 0 || isSymbol(this.#peek(), ')')) values.add('')
        if (isSymbol(this.#peek(), ')')) return values
        if (isSymbol(this.#peek(), ',')) {
          this.#next()
          values.add('')
        }
      } else {
        throw unexpected(token, ", expected: ',', or identifier")
      }
    }
  }

  #peek(): Token {
    return this.#tokens[this.#position] ?? end
  }

  #next(): Token {
    const token = this.#peek()
    this.#position++
    return token
  }
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  lexeme.lastIndex = 0
  for (;;) {
    const [, symbol, word] = lexeme.exec(text) ?? []
    if (symbol !== undefined) tokens.push({ kind: 'symbol', text: symbol })
    else if (word !== undefined) tokens.push({ kind: 'identifier', text: word })
    else return tokens
  }
}

const isSymbol = (token: Token, text: string): boolean => token.kind === 'symbol' && token.text === text
const beginsRequirement = (token: Token): boolean => token.kind === 'identifier' || isSymbol(token, '!')
const unexpected = (token: Token, what: string): ApiError => badRequest(`found '${token.text}'${what}`)
