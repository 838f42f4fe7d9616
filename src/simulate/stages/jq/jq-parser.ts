/**
 * The syntax of jq, as far as filters that only read need it. Assignments, definitions, destructuring, labels and modules are
 * refused by name.
 */
import { JqError } from './jq-error.ts'
import { type JqToken, tokenizeJq } from './jq-lexer.ts'

export type JqNode =
  | { readonly op: 'identity' | 'recurse' | 'empty-array' }
  | { readonly op: 'field'; readonly target: JqNode; readonly name: JqNode }
  | {
      readonly op: 'slice'
      readonly target: JqNode
      readonly from: JqNode | undefined
      readonly to: JqNode | undefined
    }
  | { readonly op: 'iterate' | 'try' | 'array' | 'negate'; readonly target: JqNode }
  | { readonly op: 'try-catch'; readonly target: JqNode; readonly handler: JqNode }
  | { readonly op: 'literal'; readonly value: string | number | boolean | null }
  | { readonly op: 'text'; readonly format: string; readonly parts: readonly (string | JqNode)[] }
  | { readonly op: 'object'; readonly entries: readonly (readonly [JqNode, JqNode])[] }
  | { readonly op: 'binary'; readonly operator: string; readonly left: JqNode; readonly right: JqNode }
  | { readonly op: 'if'; readonly test: JqNode; readonly yes: JqNode; readonly no: JqNode }
  | { readonly op: 'call'; readonly name: string; readonly args: readonly JqNode[] }
  | { readonly op: 'variable'; readonly name: string }
  | { readonly op: 'bind'; readonly source: JqNode; readonly name: string; readonly body: JqNode }
  | {
      readonly op: 'reduce' | 'foreach'
      readonly source: JqNode
      readonly name: string
      readonly init: JqNode
      readonly update: JqNode
      readonly extract: JqNode | undefined
    }

const maxLength = 10_000
const maxDepth = 100
const identity: JqNode = { op: 'identity' }

/** Binary operators by how tightly they bind; the third says whether they bind to the right. */
const operators = new Map<string, readonly [number, boolean]>([
  ['//', [2, true]],
  ['or', [4, false]],
  ['and', [5, false]],
  ...['==', '!=', '<', '<=', '>', '>='].map((each) => [each, [6, false]] as const),
  ['+', [7, false]],
  ['-', [7, false]],
  ['*', [8, false]],
  ['/', [8, false]],
  ['%', [8, false]],
])
const assignments: ReadonlySet<string> = new Set(['=', '|=', '+=', '-=', '*=', '/=', '%=', '//='])

export function parseJq(source: string): JqNode {
  if (source.length > maxLength) throw new JqError(`a filter has at most ${maxLength} characters`)
  return new Parser(tokenizeJq(source)).whole()
}

class Parser {
  readonly #tokens: readonly JqToken[]
  #at = 0
  #depth = 0

  constructor(tokens: readonly JqToken[]) {
    this.#tokens = tokens
  }

  whole(): JqNode {
    const node = this.#pipe()
    if (this.#next.kind !== 'end') throw this.#unexpected()
    return node
  }

  get #next(): JqToken {
    return this.#tokens[this.#at] as JqToken
  }

  #take(): JqToken {
    const token = this.#next
    if (token.kind !== 'end') this.#at++
    return token
  }

  #is(text: string): boolean {
    const { kind } = this.#next
    return (kind === 'operator' || kind === 'keyword') && this.#next.text === text
  }

  #accept(text: string): boolean {
    if (!this.#is(text)) return false
    this.#at++
    return true
  }

  #expect(text: string): void {
    if (!this.#accept(text)) throw this.#unexpected(`${text} is expected`)
  }

  #unexpected(why = 'unexpected'): JqError {
    const { kind, text, at } = this.#next
    return new JqError(`${why}: ${kind === 'end' ? 'the end of the filter' : JSON.stringify(text)} at ${at}`)
  }

  #deeper<T>(read: () => T): T {
    if (++this.#depth > maxDepth) throw new JqError(`a filter is nested at most ${maxDepth} deep`)
    const result = read()
    this.#depth--
    return result
  }

  #pipe(): JqNode {
    return this.#deeper(() => {
      if (this.#is('def')) throw new JqError('functions of one’s own (def) are not offered')
      const left = this.#comma()
      if (this.#accept('as')) return this.#bind(left)
      if (!this.#accept('|')) return left
      return { op: 'binary', operator: '|', left, right: this.#pipe() }
    })
  }

  #bind(source: JqNode): JqNode {
    const name = this.#variableName()
    this.#expect('|')
    return { op: 'bind', source, name, body: this.#pipe() }
  }

  #variableName(): string {
    const token = this.#take()
    if (token.kind !== 'variable')
      throw new JqError(`a variable is expected at ${token.at}; destructuring is not offered`)
    return token.text
  }

  #comma(): JqNode {
    let left = this.#binary(0)
    while (this.#accept(',')) left = { op: 'binary', operator: ',', left, right: this.#binary(0) }
    return left
  }

  #binary(least: number): JqNode {
    let left = this.#unary()
    for (;;) {
      const { text, kind } = this.#next
      if (kind === 'operator' && assignments.has(text)) throw new JqError(`assignments (${text}) are not offered`)
      if (kind === 'operator' && text === '?//') throw new JqError('destructuring alternatives (?//) are not offered')
      const found = kind === 'operator' || kind === 'keyword' ? operators.get(text) : undefined
      if (found === undefined || found[0] < least) return left
      this.#at++
      const right = this.#binary(found[1] ? found[0] : found[0] + 1)
      left = { op: 'binary', operator: text, left, right }
    }
  }

  #unary(): JqNode {
    return this.#deeper(() => (this.#accept('-') ? { op: 'negate', target: this.#postfix() } : this.#postfix()))
  }

  #postfix(): JqNode {
    let node = this.#term()
    for (;;) {
      const token = this.#next
      if (token.kind === 'field') {
        this.#at++
        node = { op: 'field', target: node, name: { op: 'literal', value: token.text } }
      } else if (this.#is('.') && this.#tokens[this.#at + 1]?.kind === 'string') {
        this.#at++
        node = { op: 'field', target: node, name: this.#text('text') }
      } else if (this.#is('.') && this.#tokens[this.#at + 1]?.text === '[') this.#at++
      else if (this.#accept('[')) node = this.#brackets(node)
      else if (this.#accept('?')) node = { op: 'try', target: node }
      else return node
    }
  }

  #brackets(target: JqNode): JqNode {
    if (this.#accept(']')) return { op: 'iterate', target }
    if (this.#accept(':')) {
      const to = this.#pipe()
      this.#expect(']')
      return { op: 'slice', target, from: undefined, to }
    }
    const name = this.#pipe()
    if (this.#accept(':')) {
      const to = this.#is(']') ? undefined : this.#pipe()
      this.#expect(']')
      return { op: 'slice', target, from: name, to }
    }
    this.#expect(']')
    return { op: 'field', target, name }
  }

  #term(): JqNode {
    const token = this.#take()
    switch (token.kind) {
      case 'number':
        return { op: 'literal', value: token.value }
      case 'string':
        this.#at--
        return this.#text('text')
      case 'format':
        if (this.#next.kind === 'string') return this.#text(token.text)
        return { op: 'text', format: token.text, parts: [identity] }
      case 'field':
        return { op: 'field', target: identity, name: { op: 'literal', value: token.text } }
      case 'variable':
        return { op: 'variable', name: token.text }
      case 'name':
        return this.#call(token.text)
      case 'keyword':
        return this.#keyword(token.text, token)
      case 'operator':
        return this.#operator(token.text)
      default:
        throw this.#unexpected()
    }
  }

  #operator(text: string): JqNode {
    switch (text) {
      case '.':
        if (this.#next.kind === 'string') return { op: 'field', target: identity, name: this.#text('text') }
        return identity
      case '..':
        return { op: 'recurse' }
      case '(': {
        const inner = this.#pipe()
        this.#expect(')')
        return inner
      }
      case '[': {
        if (this.#accept(']')) return { op: 'empty-array' }
        const target = this.#pipe()
        this.#expect(']')
        return { op: 'array', target }
      }
      case '{':
        return this.#object()
      default:
        this.#at--
        throw this.#unexpected()
    }
  }

  #keyword(text: string, token: JqToken): JqNode {
    switch (text) {
      case 'if':
        return this.#condition()
      case 'try': {
        const target = this.#postfix()
        return this.#accept('catch') ? { op: 'try-catch', target, handler: this.#postfix() } : { op: 'try', target }
      }
      case 'reduce':
      case 'foreach':
        return this.#fold(text)
      default:
        throw new JqError(`${text} is not offered, at ${token.at}`)
    }
  }

  #condition(): JqNode {
    const test = this.#pipe()
    this.#expect('then')
    const yes = this.#pipe()
    if (this.#accept('elif')) return { op: 'if', test, yes, no: this.#condition() }
    const no = this.#accept('else') ? this.#pipe() : identity
    this.#expect('end')
    return { op: 'if', test, yes, no }
  }

  #fold(op: 'reduce' | 'foreach'): JqNode {
    const source = this.#postfix()
    this.#expect('as')
    const name = this.#variableName()
    this.#expect('(')
    const init = this.#pipe()
    this.#expect(';')
    const update = this.#pipe()
    const extract = op === 'foreach' && this.#accept(';') ? this.#pipe() : undefined
    this.#expect(')')
    return { op, source, name, init, update, extract }
  }

  #call(name: string): JqNode {
    if (name === 'null') return { op: 'literal', value: null }
    if (name === 'true' || name === 'false') return { op: 'literal', value: name === 'true' }
    const args: JqNode[] = []
    if (this.#accept('(')) {
      do args.push(this.#pipe())
      while (this.#accept(';'))
      this.#expect(')')
    }
    return { op: 'call', name, args }
  }

  #text(format: string): JqNode {
    const token = this.#take()
    if (token.kind !== 'string') throw this.#unexpected()
    const parts = token.parts.map((part) => ('text' in part ? part.text : parseJq(part.source)))
    if (parts.every((part) => typeof part === 'string')) return { op: 'literal', value: parts.join('') }
    return { op: 'text', format, parts }
  }

  #object(): JqNode {
    const entries: (readonly [JqNode, JqNode])[] = []
    while (!this.#accept('}')) {
      entries.push(this.#entry())
      if (!this.#is('}')) this.#expect(',')
    }
    return { op: 'object', entries }
  }

  #entry(): readonly [JqNode, JqNode] {
    const token = this.#take()
    if (token.kind === 'variable') {
      return [
        { op: 'literal', value: token.text },
        { op: 'variable', name: token.text },
      ]
    }
    const key = this.#entryKey(token)
    if (!this.#accept(':')) return [key, { op: 'field', target: identity, name: key }]
    let value = this.#binary(0)
    while (this.#accept('|')) value = { op: 'binary', operator: '|', left: value, right: this.#binary(0) }
    return [key, value]
  }

  #entryKey(token: JqToken): JqNode {
    if (token.kind === 'name' || token.kind === 'keyword') return { op: 'literal', value: token.text }
    this.#at--
    if (token.kind === 'string') return this.#text('text')
    if (!this.#accept('(')) throw this.#unexpected('a key is expected')
    const key = this.#pipe()
    this.#expect(')')
    return key
  }
}
