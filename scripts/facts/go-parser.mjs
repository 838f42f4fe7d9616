// A reader of Go source: declarations, types, expressions and statements as plain trees. It checks nothing and resolves
// nothing; `go-packages.mjs` does what resolving is needed.
//
// Types:       { kind: 'name', name: 'pkg.Name' } { kind: 'pointer', to } { kind: 'slice', of } { kind: 'map', key, value }
//              { kind: 'struct', fields } and the opaque 'array', 'func', 'interface', 'chan'
// Expressions: { kind: 'string' | 'number' | 'rune', value } { kind: 'name', name } { kind: 'select', of, name }
//              { kind: 'call', of, args } { kind: 'composite', type, items: [{ key, value }] } { kind: 'unary', op, of }
//              { kind: 'binary', op, left, right } { kind: 'index', of, index } { kind: 'func', body } { kind: 'type', type }
// Statements:  { kind: 'if', init, test, body, otherwise } { kind: 'assign', op, left, right } { kind: 'do', call }
//              { kind: 'switch', of, cases: [{ tests, body }] } { kind: 'return', values } { kind: 'range' | 'for' | 'other' }
import { scanGo } from './go-scanner.mjs'

const binaryLevels = { '||': 1, '&&': 2, '==': 3, '!=': 3, '<': 3, '<=': 3, '>': 3, '>=': 3 }
for (const op of ['+', '-', '|', '^']) binaryLevels[op] = 4
for (const op of ['*', '/', '%', '<<', '>>', '&', '&^']) binaryLevels[op] = 5
const unaryOperators = new Set(['+', '-', '!', '^', '*', '&', '<-'])
const assignments = new Set(['=', ':=', '+=', '-=', '*=', '/=', '|=', '&=', '%=', '^=', '<<=', '>>=', '&^='])

/** `{ package, imports, types, consts, vars, funcs }` */
export function parseGo(source) {
  const tokens = scanGo(source)
  const reader = new Reader(tokens)
  return reader.file()
}

class Reader {
  #tokens
  #at = 0
  /** Below zero: a brace opens a block, not a literal. */
  #literals = 0

  constructor(tokens) {
    this.#tokens = tokens
  }

  get #token() {
    return this.#tokens[this.#at]
  }

  #is(text, ahead = 0) {
    const token = this.#tokens[this.#at + ahead]
    return token.text === text && token.kind !== 'string' && token.kind !== 'rune'
  }

  #take(text) {
    if (!this.#is(text)) return false
    this.#at++
    return true
  }

  #need(text) {
    if (!this.#take(text)) throw new Error(`line ${this.#token.line}: ${text} expected, found ${this.#token.text}`)
  }

  #word() {
    const token = this.#token
    if (token.kind !== 'word') throw new Error(`line ${token.line}: a name expected, found ${token.text}`)
    this.#at++
    return token.text
  }

  // ---- declarations ------------------------------------------------------------------------------------------------

  file() {
    const file = { package: '', imports: new Map(), types: new Map(), consts: [], vars: new Map(), funcs: [] }
    const doc = this.#token.comment
    this.#need('package')
    file.package = this.#word()
    if (doc !== undefined) file.doc = doc
    this.#take(';')
    while (this.#token.kind !== 'end') {
      if (this.#take(';')) continue
      this.#declaration(file)
    }
    return file
  }

  #declaration(file) {
    const { text, comment } = this.#token
    if (text === 'func') return this.#function(file, comment)
    this.#at++
    const one = {
      import: () => this.#import(file),
      type: (doc) => this.#typeDeclaration(file, doc),
      const: (doc, state) => this.#constant(file, doc, state),
      var: () => this.#variable(file),
    }[text]
    if (one === undefined) throw new Error(`line ${this.#token.line}: ${text} opens no declaration`)
    const state = { iota: 0 }
    if (!this.#take('(')) return one(comment, state)
    while (!this.#take(')')) {
      if (this.#take(';')) continue
      one(this.#token.comment, state)
      state.iota++
    }
  }

  #import(file) {
    let name
    if (this.#token.kind === 'word') name = this.#word()
    else if (this.#take('.')) name = '.'
    const path = this.#token.value
    this.#at++
    file.imports.set(name ?? path.split('/').findLast((part) => !/^v\d+$/.test(part)) ?? path, path)
    if (name === undefined) file.imports.set(path.split('/').at(-1), path)
  }

  #typeDeclaration(file, doc = []) {
    const { line } = this.#token
    const name = this.#word()
    if (this.#is('[') && !this.#is(']', 1) && this.#tokens[this.#at + 1].kind === 'word' && !this.#is(']', 2)) {
      this.#skipPair('[', ']')
    }
    const alias = this.#take('=')
    file.types.set(name, { name, doc, alias, line, type: this.type() })
  }

  #constant(file, doc = [], state) {
    const names = this.#names()
    if (!this.#is('=') && !this.#is(';') && !this.#is(')')) state.type = this.type()
    else if (this.#is('=')) state.type = undefined
    if (this.#take('=')) state.values = this.#expressions()
    names.forEach((name, i) => {
      file.consts.push({ name, type: state.type, value: state.values?.[i], iota: state.iota, doc })
    })
  }

  #variable(file) {
    const names = this.#names()
    const type = this.#is('=') ? undefined : this.type()
    const values = this.#take('=') ? this.#expressions() : []
    for (const [i, name] of names.entries()) file.vars.set(name, { type, value: values[i] })
  }

  #names() {
    const names = [this.#word()]
    while (this.#take(',')) names.push(this.#word())
    return names
  }

  #function(file, doc = []) {
    const { line } = this.#token
    this.#need('func')
    let receiver
    if (this.#is('(')) receiver = this.#parameters()[0]
    const name = this.#word()
    if (this.#is('[')) this.#skipPair('[', ']')
    const parameters = this.#parameters()
    if (!this.#is('{') && !this.#is(';')) this.#results()
    const start = this.#at
    if (this.#is('{')) this.#skipPair('{', '}')
    const tokens = this.#tokens.slice(start, this.#at)
    file.funcs.push({ name, receiver, parameters, doc, line, tokens, endLine: this.#tokens[this.#at - 1].line })
  }

  #results() {
    if (this.#is('(')) this.#skipPair('(', ')')
    else this.type()
  }

  /** `[{ names, type }]`; parameters without names have none. */
  #parameters() {
    this.#need('(')
    const list = []
    while (!this.#take(')')) {
      if (this.#take(',') || this.#take(';')) continue
      this.#take('...')
      const first = this.type()
      if (this.#is(',') || this.#is(')')) list.push({ type: first })
      else {
        this.#take('...')
        list.push({ name: first.name, type: this.type() })
      }
    }
    // `a, b T`: the names before a named one have its type.
    for (let i = list.length - 2; i >= 0; i--) {
      if (list[i].name === undefined && list[i + 1].name !== undefined && list[i].type.kind === 'name') {
        list[i] = { name: list[i].type.name, type: list[i + 1].type }
      }
    }
    return list
  }

  #skipPair(open, close) {
    let depth = 0
    do {
      if (this.#is(open)) depth++
      else if (this.#is(close)) depth--
      if (this.#token.kind === 'end') throw new Error(`${open} is not closed`)
      this.#at++
    } while (depth > 0)
  }

  // ---- types -------------------------------------------------------------------------------------------------------

  type() {
    if (this.#take('*')) return { kind: 'pointer', to: this.type() }
    if (this.#take('(')) {
      const inner = this.type()
      this.#need(')')
      return inner
    }
    if (this.#take('[')) {
      if (this.#take(']')) return { kind: 'slice', of: this.type() }
      while (!this.#take(']')) this.#at++
      return { kind: 'array', of: this.type() }
    }
    if (this.#take('map')) {
      this.#need('[')
      const key = this.type()
      this.#need(']')
      return { kind: 'map', key, value: this.type() }
    }
    if (this.#take('struct')) return this.#struct()
    if (this.#take('interface')) {
      this.#skipPair('{', '}')
      return { kind: 'interface' }
    }
    if (this.#take('func')) {
      this.#parameters()
      if (!this.#endsType()) this.#results()
      return { kind: 'func' }
    }
    if (this.#take('<-') || this.#take('chan')) {
      this.#take('chan')
      this.#take('<-')
      return { kind: 'chan', of: this.type() }
    }
    return this.#namedType()
  }

  #endsType() {
    return [';', ')', ',', '{', '}', '=', ']', ':'].some((text) => this.#is(text)) || this.#token.kind === 'string'
  }

  #namedType() {
    let name = this.#word()
    if (this.#take('.')) name += `.${this.#word()}`
    if (this.#is('[') && !this.#is(']', 1)) {
      const start = this.#at
      try {
        this.#need('[')
        const args = [this.type()]
        while (this.#take(',')) args.push(this.type())
        this.#need(']')
        return { kind: 'name', name, args }
      } catch {
        this.#at = start
      }
    }
    return { kind: 'name', name }
  }

  #struct() {
    this.#need('{')
    const fields = []
    while (!this.#take('}')) {
      if (this.#take(';')) continue
      fields.push(...this.#fields())
    }
    return { kind: 'struct', fields }
  }

  #fields() {
    const { comment: doc = [], line } = this.#token
    const embedded = this.#is('*') || (this.#token.kind === 'word' && [';', '.', '}'].some((text) => this.#is(text, 1)))
    const generic = this.#isEmbeddedGeneric()
    const embeddedTagged = this.#token.kind === 'word' && this.#tokens[this.#at + 1].kind === 'string'
    const names = embedded || generic || embeddedTagged ? [undefined] : this.#names()
    const type = this.type()
    const tag = this.#token.kind === 'string' ? this.#token.value : ''
    if (this.#token.kind === 'string') this.#at++
    return names.map((name) => ({ name: name ?? typeName(type), embedded: name === undefined, type, tag, doc, line }))
  }

  /** `Name[T]` alone on its line. */
  #isEmbeddedGeneric() {
    if (this.#token.kind !== 'word' || !this.#is('[', 1) || this.#is(']', 2)) return false
    let ahead = 2
    while (!this.#is(']', ahead)) ahead++
    return this.#is(';', ahead + 1)
  }

  // ---- expressions -------------------------------------------------------------------------------------------------

  #expressions() {
    const list = [this.expression()]
    while (this.#take(',')) list.push(this.expression())
    return list
  }

  expression(level = 1) {
    let left = this.#unary()
    for (;;) {
      const op = this.#token.kind === 'operator' ? this.#token.text : ''
      const own = binaryLevels[op]
      if (own === undefined || own < level) return left
      this.#at++
      left = { kind: 'binary', op, left, right: this.expression(own + 1) }
    }
  }

  #unary() {
    const { kind, text } = this.#token
    if (kind === 'operator' && unaryOperators.has(text)) {
      this.#at++
      return { kind: 'unary', op: text, of: this.#unary() }
    }
    return this.#suffixes(this.#operand())
  }

  #operand() {
    const token = this.#token
    if (token.kind === 'string' || token.kind === 'number' || token.kind === 'rune') {
      this.#at++
      return { kind: token.kind, value: token.kind === 'number' ? token.text.replaceAll('_', '') : token.value }
    }
    if (this.#take('(')) {
      const inner = this.#inBrackets(() => this.expression())
      this.#need(')')
      return inner
    }
    if (this.#is('func')) return this.#functionLiteral()
    if (['[', 'map', 'struct', 'interface', 'chan'].some((text) => this.#is(text))) {
      return this.#literalOf(this.type())
    }
    return { kind: 'name', name: this.#word() }
  }

  #functionLiteral() {
    this.#need('func')
    const parameters = this.#parameters()
    if (!this.#is('{')) {
      if (this.#endsType()) return { kind: 'type', type: { kind: 'func' } }
      this.#results()
    }
    const start = this.#at
    this.#skipPair('{', '}')
    return { kind: 'func', parameters, tokens: this.#tokens.slice(start, this.#at) }
  }

  #inBrackets(read) {
    const before = this.#literals
    this.#literals = 0
    try {
      return read()
    } finally {
      this.#literals = before
    }
  }

  #suffixes(of) {
    let made = of
    for (;;) {
      if (this.#take('.')) {
        if (this.#take('(')) {
          if (!this.#take('type')) this.type()
          this.#need(')')
          made = { kind: 'assert', of: made }
        } else made = { kind: 'select', of: made, name: this.#word() }
      } else if (this.#take('(')) {
        made = { kind: 'call', of: made, args: this.#inBrackets(() => this.#arguments()) }
      } else if (this.#take('[')) {
        made = { kind: 'index', of: made, index: this.#inBrackets(() => this.#indices()) }
      } else if (this.#is('{') && this.#literals === 0 && isTypeLike(made)) {
        made = this.#literalOf(asType(made))
      } else return made
    }
  }

  #arguments() {
    const args = []
    while (!this.#take(')')) {
      if (this.#take(',') || this.#take('...') || this.#take(';')) continue
      args.push(this.expression())
    }
    return args
  }

  #indices() {
    const indices = []
    while (!this.#take(']')) {
      if (this.#take(':') || this.#take(',')) continue
      indices.push(this.expression())
    }
    return indices
  }

  #literalOf(type) {
    if (!this.#is('{')) return { kind: 'type', type }
    return this.#inBrackets(() => this.#literalBody(type))
  }

  #literalBody(type) {
    this.#need('{')
    const items = []
    while (!this.#take('}')) {
      if (this.#take(',') || this.#take(';')) continue
      const { line } = this.#token
      const first = this.#element(elementType(type))
      if (this.#take(':')) items.push({ key: first, value: this.#element(elementType(type)), line })
      else items.push({ value: first, line })
    }
    return { kind: 'composite', type, items }
  }

  #element(type) {
    return this.#is('{') ? this.#literalBody(type) : this.expression()
  }

  // ---- statements --------------------------------------------------------------------------------------------------

  block() {
    this.#need('{')
    const list = []
    while (!this.#take('}')) {
      if (this.#take(';')) continue
      list.push(this.#statement())
    }
    return list
  }

  #statement() {
    const { text, kind } = this.#token
    if (kind === 'keyword') {
      if (text === 'if') return this.#if()
      if (text === 'switch') return this.#switch()
      if (text === 'for') return this.#for()
      if (text === 'return') {
        this.#at++
        return { kind: 'return', values: this.#is(';') || this.#is('}') ? [] : this.#expressions() }
      }
      if (text !== 'func' && text !== 'map' && text !== 'struct') return this.#skipStatement()
    }
    if (this.#is('{')) return { kind: 'block', body: this.block() }
    return this.#simple()
  }

  /** Declarations and jumps inside functions, which nothing asks for. */
  #skipStatement() {
    let depth = 0
    while (depth > 0 || !(this.#is(';') || this.#is('}'))) {
      if (['(', '{', '['].some((text) => this.#is(text))) depth++
      if ([')', '}', ']'].some((text) => this.#is(text))) depth--
      this.#at++
    }
    return { kind: 'other' }
  }

  #simple() {
    const left = this.#expressions()
    const op = this.#token.kind === 'operator' ? this.#token.text : ''
    if (assignments.has(op)) {
      this.#at++
      if (this.#take('range')) return { kind: 'range', left, of: this.expression() }
      return { kind: 'assign', op, left, right: this.#expressions() }
    }
    if (this.#take('++') || this.#take('--')) return { kind: 'other' }
    if (this.#take('<-')) {
      this.expression()
      return { kind: 'other' }
    }
    if (this.#take(':')) return { kind: 'other' }
    return { kind: 'do', call: left[0] }
  }

  #header(read) {
    const before = this.#literals
    this.#literals = -1
    try {
      return read()
    } finally {
      this.#literals = before
    }
  }

  #body() {
    return this.#inBrackets(() => this.block())
  }

  #if() {
    this.#need('if')
    const { init, test } = this.#header(() => {
      const first = this.#simple()
      return this.#take(';') ? { init: first, test: this.#simple().call } : { test: first.call }
    })
    const made = { kind: 'if', init, test, body: this.#body() }
    if (this.#take('else')) made.otherwise = this.#is('if') ? [this.#if()] : this.#body()
    return made
  }

  #for() {
    this.#need('for')
    const range = this.#header(() => {
      if (this.#is('{')) return undefined
      if (this.#take('range')) return { kind: 'range', left: [], of: this.expression() }
      let first
      while (!this.#is('{')) {
        if (this.#take(';')) continue
        const each = this.#simple()
        first ??= each
      }
      return first
    })
    return { kind: 'for', range, body: this.#body() }
  }

  #switch() {
    this.#need('switch')
    const of = this.#header(() => {
      let last
      while (!this.#is('{')) {
        if (this.#take(';')) last = undefined
        else last = this.#simple()
      }
      return last?.call
    })
    this.#need('{')
    const cases = []
    while (!this.#take('}')) {
      if (this.#take(';')) continue
      cases.push(this.#inBrackets(() => this.#case()))
    }
    return { kind: 'switch', of, cases }
  }

  #case() {
    const tests = []
    if (!this.#take('default')) {
      this.#need('case')
      do tests.push(this.#caseTest())
      while (this.#take(','))
    }
    this.#need(':')
    const body = []
    while (!this.#is('case') && !this.#is('default') && !this.#is('}')) {
      if (!this.#take(';')) body.push(this.#statement())
    }
    return { tests, body }
  }

  /** In a switch over types it is a type. */
  #caseTest() {
    return this.expression()
  }
}

function elementType(type) {
  if (type?.kind === 'slice' || type?.kind === 'array') return type.of
  return type?.kind === 'map' ? type.value : undefined
}

const isTypeLike = (made) =>
  made.kind === 'name' ||
  made.kind === 'type' ||
  (made.kind === 'select' && made.of.kind === 'name') ||
  made.kind === 'index'

function asType(made) {
  if (made.kind === 'type') return made.type
  if (made.kind === 'index') return asType(made.of)
  return { kind: 'name', name: made.kind === 'select' ? `${made.of.name}.${made.name}` : made.name }
}

/** The name of an embedded field. */
function typeName(type) {
  return type.kind === 'pointer' ? typeName(type.to) : type.name.split('.').at(-1)
}

/** The statements of a function; undefined where they are more than this reader knows. */
export function statementsOf({ tokens }) {
  try {
    return new Reader([...tokens, { kind: 'end', text: '', line: 0 }]).block()
  } catch {
    return undefined
  }
}

/** Every expression below a tree of statements or expressions, outermost first. */
export function* walk(tree) {
  if (Array.isArray(tree)) {
    for (const each of tree) yield* walk(each)
    return
  }
  if (typeof tree !== 'object' || tree === null || tree instanceof Map) return
  if (tree.kind !== undefined) yield tree
  if (tree.kind === 'func') yield* walk(statementsOf(tree) ?? [])
  for (const [key, value] of Object.entries(tree)) if (key !== 'tokens') yield* walk(value)
}
