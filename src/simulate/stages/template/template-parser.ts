/** The tree of a Go template. Mirrors text/template/parse: Tree. */
import { TemplateError } from './template-error.ts'
import { splitTemplate, type TemplatePiece, type TemplateToken } from './template-lexer.ts'

export type Literal = string | number | boolean | null

export type Operand =
  | { readonly kind: 'literal'; readonly value: Literal }
  | { readonly kind: 'dot' }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Operand[] }
  | { readonly kind: 'pipeline'; readonly pipeline: Pipeline }
  | { readonly kind: 'fields'; readonly target: Operand; readonly names: readonly string[] }

export interface Pipeline {
  readonly declares: readonly string[]
  readonly assigns: boolean
  readonly commands: readonly Operand[]
}

export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly pipeline: Pipeline }
  | {
      readonly kind: 'if' | 'with' | 'range'
      readonly pipeline: Pipeline
      readonly body: readonly TemplateNode[]
      readonly otherwise: readonly TemplateNode[]
    }
  | { readonly kind: 'break' | 'continue' }
  | { readonly kind: 'template'; readonly name: string; readonly pipeline: Pipeline | undefined }

export interface ParsedTemplate {
  readonly root: readonly TemplateNode[]
  readonly defined: ReadonlyMap<string, readonly TemplateNode[]>
}

const maxDepth = 100

export function parseTemplate(source: string): ParsedTemplate {
  return new TreeReader(splitTemplate(source)).read()
}

class TreeReader {
  readonly #pieces: readonly TemplatePiece[]
  readonly #defined = new Map<string, readonly TemplateNode[]>()
  #at = 0
  #depth = 0

  constructor(pieces: readonly TemplatePiece[]) {
    this.#pieces = pieces
  }

  read(): ParsedTemplate {
    const { nodes, end } = this.#list()
    if (end !== undefined) throw new TemplateError(`unexpected {{${end.join(' ')}}}`)
    return { root: nodes, defined: this.#defined }
  }

  /** To the end of the template, or to an `end` or `else`, whose words are returned. */
  #list(): { nodes: TemplateNode[]; end: readonly string[] | undefined; tokens?: readonly TemplateToken[] } {
    if (++this.#depth > maxDepth) throw new TemplateError(`a template is nested at most ${maxDepth} deep`)
    const nodes: TemplateNode[] = []
    while (this.#at < this.#pieces.length) {
      const piece = this.#pieces[this.#at++] as TemplatePiece
      if (piece.kind === 'text') {
        nodes.push(piece)
        continue
      }
      const [first] = piece.tokens
      if (first?.kind === 'name' && (first.text === 'end' || first.text === 'else')) {
        this.#depth--
        return { nodes, end: piece.tokens.map(({ text }) => text), tokens: piece.tokens }
      }
      const node = this.#action(piece.tokens, piece.source)
      if (node !== undefined) nodes.push(node)
    }
    this.#depth--
    return { nodes, end: undefined }
  }

  #action(tokens: readonly TemplateToken[], source: string): TemplateNode | undefined {
    const [first, ...rest] = tokens
    if (first === undefined) throw new TemplateError('missing value for command')
    if (first.kind !== 'name') return { kind: 'print', pipeline: pipelineOf(tokens) }
    switch (first.text) {
      case 'if':
      case 'with':
      case 'range':
        return this.#control(first.text, rest)
      case 'break':
      case 'continue':
        return { kind: first.text }
      case 'define':
        this.#defined.set(stringOf(rest[0], source), this.#closed('define'))
        return undefined
      case 'template':
      case 'block': {
        const name = stringOf(rest[0], source)
        if (first.text === 'block') this.#defined.set(name, this.#closed('block'))
        return { kind: 'template', name, pipeline: rest.length > 1 ? pipelineOf(rest.slice(1)) : undefined }
      }
      default:
        return { kind: 'print', pipeline: pipelineOf(tokens) }
    }
  }

  #closed(what: string): readonly TemplateNode[] {
    const { nodes, end } = this.#list()
    if (end?.[0] !== 'end') throw new TemplateError(`{{${what}}} is not closed by {{end}}`)
    return nodes
  }

  #control(kind: 'if' | 'with' | 'range', tokens: readonly TemplateToken[]): TemplateNode {
    const pipeline = pipelineOf(tokens)
    const { nodes: body, end, tokens: words = [] } = this.#list()
    if (end === undefined) throw new TemplateError(`{{${kind}}} is not closed by {{end}}`)
    if (end[0] === 'end') return { kind, pipeline, body, otherwise: [] }
    const [, next] = words
    if (next?.kind === 'name' && (next.text === 'if' || next.text === 'with')) {
      return { kind, pipeline, body, otherwise: [this.#control(next.text, words.slice(2))] }
    }
    return { kind, pipeline, body, otherwise: this.#closed('else') }
  }
}

function stringOf(token: TemplateToken | undefined, source: string): string {
  if (token?.kind !== 'string') throw new TemplateError(`a name in quotes is expected in {{${source}}}`)
  return unquoted(token.text)
}

function pipelineOf(tokens: readonly TemplateToken[]): Pipeline {
  const reader = new PipelineReader(tokens)
  const pipeline = reader.pipeline()
  reader.expectEnd()
  return pipeline
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\', "'": "'" }

function unquoted(text: string): string {
  if (text.startsWith('`')) return text.slice(1, -1)
  return text.slice(1, -1).replace(/\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)/gs, (_, code: string) => {
    if (code.length > 1) return String.fromCharCode(Number.parseInt(code.slice(1), 16))
    const char = escapes[code]
    if (char === undefined) throw new TemplateError(`unknown escape \\${code}`)
    return char
  })
}

class PipelineReader {
  readonly #tokens: readonly TemplateToken[]
  #at = 0

  constructor(tokens: readonly TemplateToken[]) {
    this.#tokens = tokens
  }

  get #next(): TemplateToken | undefined {
    return this.#tokens[this.#at]
  }

  #isSymbol(text: string, token = this.#next): boolean {
    return token?.kind === 'symbol' && token.text === text
  }

  expectEnd(): void {
    if (this.#next !== undefined) throw new TemplateError(`unexpected ${JSON.stringify(this.#next.text)}`)
  }

  pipeline(): Pipeline {
    const { declares, assigns } = this.#declaration()
    const commands = [this.#command()]
    while (this.#isSymbol('|')) {
      this.#at++
      commands.push(this.#command())
    }
    return { declares, assigns, commands }
  }

  #declaration(): { declares: string[]; assigns: boolean } {
    const [first, second, third, fourth] = this.#tokens.slice(this.#at, this.#at + 4)
    if (first?.kind !== 'variable') return { declares: [], assigns: false }
    if (this.#isSymbol(':=', second) || this.#isSymbol('=', second)) {
      this.#at += 2
      return { declares: [first.text], assigns: second?.text === '=' }
    }
    if (this.#isSymbol(',', second) && third?.kind === 'variable' && this.#isSymbol(':=', fourth)) {
      this.#at += 4
      return { declares: [first.text, third.text], assigns: false }
    }
    return { declares: [], assigns: false }
  }

  #command(): Operand {
    const first = this.#next
    if (first === undefined || this.#isSymbol('|') || this.#isSymbol(')')) {
      throw new TemplateError('missing value for command')
    }
    if (first.kind === 'name' && !isConstant(first.text)) {
      this.#at++
      return { kind: 'call', name: first.text, args: this.#arguments() }
    }
    const operand = this.#operand()
    if (this.#arguments().length > 0) throw new TemplateError('arguments for a value that is no function')
    return operand
  }

  #arguments(): Operand[] {
    const args: Operand[] = []
    while (this.#next !== undefined && !this.#isSymbol('|') && !this.#isSymbol(')')) args.push(this.#operand())
    return args
  }

  #operand(): Operand {
    let operand = this.#term()
    const names: string[] = []
    while (this.#next?.kind === 'field' && !this.#next.spaced) {
      names.push(this.#next.text.slice(1))
      this.#at++
    }
    if (names.length > 0) operand = { kind: 'fields', target: operand, names }
    return operand
  }

  #term(): Operand {
    const token = this.#next
    if (token === undefined) throw new TemplateError('missing value for command')
    this.#at++
    switch (token.kind) {
      case 'string':
        return { kind: 'literal', value: unquoted(token.text) }
      case 'number':
        return { kind: 'literal', value: Number(token.text) }
      case 'variable':
        return { kind: 'variable', name: token.text }
      case 'field':
        return { kind: 'fields', target: { kind: 'dot' }, names: [token.text.slice(1)] }
      case 'name':
        return isConstant(token.text)
          ? { kind: 'literal', value: token.text === 'nil' ? null : token.text === 'true' }
          : { kind: 'call', name: token.text, args: [] }
      default:
        if (token.text === '.') return { kind: 'dot' }
        if (token.text !== '(') throw new TemplateError(`unexpected ${JSON.stringify(token.text)}`)
        return this.#parenthesized()
    }
  }

  #parenthesized(): Operand {
    const pipeline = this.pipeline()
    if (!this.#isSymbol(')')) throw new TemplateError('a parenthesis is not closed')
    this.#at++
    return { kind: 'pipeline', pipeline }
  }
}

const isConstant = (text: string): boolean => text === 'true' || text === 'false' || text === 'nil'
