/** The text form of label selectors: `a=b,c in (x,y),!d`. Bad input throws a 400 with the reference's text. */
import { reasonOf } from '../lib/fault.ts'
import { runToEnd, type Steps } from '../lib/in-turns.ts'
import { invalid } from './field-error.ts'
import { FieldPath } from './field-path.ts'
import { compareTexts } from './key-lists.ts'
import {
  checkedRequirement,
  type LabelOperator,
  type LabelRequirement,
  LabelSelector,
  requirementInSteps,
} from './label-selector.ts'
import { sortInSteps } from './large-values.ts'
import { checkQualifiedName } from './names.ts'
import { type ApiError, aggregate, badRequest } from './status-error.ts'

/** Reads the text form; throws a 400. */
export const parseLabelSelector = (text: string): LabelSelector => runToEnd(labelSelectorInSteps(text))

/** As `parseLabelSelector`. */
export function* labelSelectorInSteps(text: string): Steps<LabelSelector> {
  return text === '' ? LabelSelector.everything : LabelSelector.of(yield* new Parser(text).parse())
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

/** Terms or values to a step. */
const countOfStep = 256

/** Recursive descent over the tokens; `in` and `notin` are words like any other except in an operator's place. */
class Parser {
  readonly #text: string
  /** Where the next token is looked for. */
  #offset = 0
  /** The next token, where it was looked at. */
  #ahead: Token | undefined

  constructor(text: string) {
    this.#text = text
  }

  *parse(): Steps<LabelRequirement[]> {
    const requirements: LabelRequirement[] = []
    for (;;) {
      const start = this.#peek()
      if (start.kind === 'end') return requirements
      if (!beginsRequirement(start)) throw unexpected(start, ", expected: !, identifier, or 'end of string'")
      if (requirements.push(yield* this.#requirement()) % countOfStep === 0) yield
      const separator = this.#next()
      if (separator.kind === 'end') return requirements
      if (!isSymbol(separator, ',')) throw unexpected(separator, ", expected: ',' or 'end of string'")
      if (!beginsRequirement(this.#peek())) throw unexpected(this.#peek(), ", expected: identifier after ','")
    }
  }

  *#requirement(): Steps<LabelRequirement> {
    try {
      const negated = isSymbol(this.#peek(), '!')
      if (negated) this.#next()
      const key = this.#key()
      if (negated) return checkedRequirement(key, '!', [])
      if (this.#peek().kind === 'end' || isSymbol(this.#peek(), ',')) return checkedRequirement(key, 'exists', [])
      const operator = this.#operator()
      const isSet = operator === 'in' || operator === 'notin'
      const values = isSet ? yield* sortInSteps([...(yield* this.#values())], compareTexts) : [this.#exactValue()]
      return yield* requirementInSteps(key, operator, values)
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

  #exactValue(): string {
    if (this.#peek().kind === 'end' || isSymbol(this.#peek(), ',')) return ''
    const token = this.#next()
    if (token.kind !== 'identifier') throw unexpected(token, ', expected: identifier')
    return token.text
  }

  *#values(): Steps<Set<string>> {
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
    const values = yield* this.#identifiers()
    this.#next()
    return values
  }

  /** Up to the closing bracket; nothing before, between or after commas is the empty value. */
  *#identifiers(): Steps<Set<string>> {
    const values = new Set<string>()
    for (let count = 1; ; count++) {
      if (count % countOfStep === 0) yield
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
    this.#ahead ??= this.#read()
    return this.#ahead
  }

  #next(): Token {
    const token = this.#peek()
    if (token.kind !== 'end') this.#ahead = undefined
    return token
  }

  #read(): Token {
    lexeme.lastIndex = this.#offset
    const [whole = '', symbol, word] = lexeme.exec(this.#text) ?? []
    this.#offset += whole.length
    if (symbol !== undefined) return { kind: 'symbol', text: symbol }
    return word === undefined ? end : { kind: 'identifier', text: word }
  }
}

const isSymbol = (token: Token, text: string): boolean => token.kind === 'symbol' && token.text === text
const beginsRequirement = (token: Token): boolean => token.kind === 'identifier' || isSymbol(token, '!')
const unexpected = (token: Token, what: string): ApiError => badRequest(`found '${token.text}'${what}`)
