/** Makes a tree of the first document of a YAML text. What comes after it is not looked at, as in the reference. */
import { YamlScanner } from './yaml-scanner.ts'
import { type Mark, maxDepth, parserError, type Token, type TokenType, tooDeep } from './yaml-token.ts'

interface NodeBase {
  readonly line: number
  readonly anchor: string
  readonly tag: string
}

export interface ScalarNode extends NodeBase {
  readonly kind: 'scalar'
  readonly text: string
  readonly plain: boolean
}

export interface SequenceNode extends NodeBase {
  readonly kind: 'sequence'
  readonly items: YamlNode[]
}

export interface MappingNode extends NodeBase {
  readonly kind: 'mapping'
  readonly pairs: (readonly [YamlNode, YamlNode])[]
}

export interface AliasNode extends NodeBase {
  readonly kind: 'alias'
  readonly name: string
}

export type YamlNode = ScalarNode | SequenceNode | MappingNode | AliasNode

/** Undefined when there is no document. Throws a `YamlError`. */
export function parseYaml(text: string): YamlNode | undefined {
  return new YamlParser(text).document()
}

interface Properties {
  readonly line: number
  readonly anchor: string
  readonly tag: string
}

class YamlParser {
  readonly #scanner: YamlScanner
  #depth = 0

  constructor(text: string) {
    this.#scanner = new YamlScanner(text)
  }

  document(): YamlNode | undefined {
    while (this.#is('document-end')) this.#scanner.take()
    if (this.#is('stream-end')) return undefined
    const directives = this.#is('directive')
    while (this.#is('directive')) {
      const { text, start } = this.#scanner.take()
      const version = /^%YAML[ \t]+(\S+)/.exec(text)?.[1] ?? '1.1'
      if (!/^0*1\.0*1$/.test(version)) throw parserError('found incompatible YAML document', start)
    }
    if (this.#is('document-start')) this.#scanner.take()
    else if (directives) {
      throw parserError('did not find expected <document start>', this.#scanner.peek().start)
    }
    const empty = this.#is('stream-end', 'directive', 'document-start', 'document-end')
    const root = empty ? this.#empty(this.#scanner.peek().start) : this.#node(true, false)
    this.#scanner.peek()
    return root
  }

  /** Whether the next token is one of these; written out, since it is asked for every token. */
  #is(first: TokenType, second?: TokenType, third?: TokenType, fourth?: TokenType): boolean {
    const { type } = this.#scanner.peek()
    return type === first || type === second || type === third || type === fourth
  }

  #empty({ line }: Mark, { anchor = '', tag = '' }: Partial<Properties> = {}): ScalarNode {
    return { kind: 'scalar', line, anchor, tag, text: '', plain: true }
  }

  #node(block: boolean, indentless: boolean): YamlNode {
    if (++this.#depth > maxDepth) throw tooDeep()
    const start = this.#scanner.peek().start
    const node = this.#is('alias') ? this.#alias() : this.#content(this.#properties(start), block, indentless, start)
    this.#depth--
    return node
  }

  #alias(): AliasNode {
    const { start, text } = this.#scanner.take()
    return { kind: 'alias', line: start.line, anchor: '', tag: '', name: text }
  }

  #properties({ line }: Mark): Properties {
    let anchor = ''
    let tag = ''
    for (;;) {
      if (anchor === '' && this.#is('anchor')) anchor = this.#scanner.take().text
      else if (tag === '' && this.#is('tag')) tag = this.#scanner.take().text
      else return { line, anchor, tag }
    }
  }

  #content(properties: Properties, block: boolean, indentless: boolean, start: Mark): YamlNode {
    const token = this.#scanner.peek()
    if (indentless && token.type === 'block-entry') return this.#indentlessSequence(properties)
    if (token.type === 'scalar') {
      const { text, plain } = this.#scanner.take()
      return { kind: 'scalar', ...properties, text, plain }
    }
    if (token.type === 'flow-seq-start') return this.#flowSequence(properties)
    if (token.type === 'flow-map-start') return this.#flowMapping(properties)
    if (block && token.type === 'block-seq-start') return this.#blockSequence(properties)
    if (block && token.type === 'block-map-start') return this.#blockMapping(properties)
    if (properties.anchor !== '' || properties.tag !== '') return this.#empty(start, properties)
    throw parserError('did not find expected node content', token.start, start)
  }

  #blockSequence(properties: Properties): SequenceNode {
    const { start } = this.#scanner.take()
    const items: YamlNode[] = []
    while (this.#is('block-entry')) {
      const entry = this.#scanner.take()
      items.push(this.#is('block-entry', 'block-end') ? this.#empty(entry.start) : this.#node(true, false))
    }
    this.#end('block-end', "did not find expected '-' indicator", start)
    return { kind: 'sequence', ...properties, items }
  }

  #indentlessSequence(properties: Properties): SequenceNode {
    const items: YamlNode[] = []
    while (this.#is('block-entry')) {
      const entry = this.#scanner.take()
      const empty = this.#is('block-entry', 'key', 'value', 'block-end')
      items.push(empty ? this.#empty(entry.start) : this.#node(true, false))
    }
    return { kind: 'sequence', ...properties, items }
  }

  #blockMapping(properties: Properties): MappingNode {
    const { start } = this.#scanner.take()
    const pairs: [YamlNode, YamlNode][] = []
    while (this.#is('key', 'value')) {
      const key = this.#is('key') ? this.#blockPart() : this.#empty(this.#scanner.peek().start)
      const value = this.#is('value') ? this.#blockPart() : this.#empty(this.#scanner.peek().start)
      pairs.push([key, value])
    }
    this.#end('block-end', 'did not find expected key', start)
    return { kind: 'mapping', ...properties, pairs }
  }

  /** What follows a `key` or `value` token of a block mapping. */
  #blockPart(): YamlNode {
    const token = this.#scanner.take()
    return this.#is('key', 'value', 'block-end') ? this.#empty(token.start) : this.#node(true, true)
  }

  #flowSequence(properties: Properties): SequenceNode {
    const { start } = this.#scanner.take()
    const items: YamlNode[] = []
    for (let first = true; !this.#is('flow-seq-end'); first = false) {
      if (!first) this.#separator("did not find expected ',' or ']'", start)
      if (this.#is('key')) items.push(this.#flowPair())
      else if (!this.#is('flow-seq-end')) items.push(this.#node(false, false))
    }
    this.#scanner.take()
    return { kind: 'sequence', ...properties, items }
  }

  /** `[a: b]`: a mapping of one pair. */
  #flowPair(): MappingNode {
    const { line } = this.#scanner.peek().start
    const key = this.#flowPart('value', 'flow-entry', 'flow-seq-end')
    const value = this.#is('value')
      ? this.#flowPart('flow-entry', 'flow-seq-end')
      : this.#empty(this.#scanner.peek().start)
    return { kind: 'mapping', line, anchor: '', tag: '', pairs: [[key, value]] }
  }

  #flowMapping(properties: Properties): MappingNode {
    const { start } = this.#scanner.take()
    const pairs: [YamlNode, YamlNode][] = []
    for (let first = true; !this.#is('flow-map-end'); first = false) {
      if (!first) this.#separator("did not find expected ',' or '}'", start)
      if (this.#is('flow-map-end')) break
      const keyed = this.#is('key')
      const key = keyed ? this.#flowPart('value', 'flow-entry', 'flow-map-end') : this.#node(false, false)
      const value = this.#is('value')
        ? this.#flowPart('flow-entry', 'flow-map-end')
        : this.#empty(this.#scanner.peek().start)
      pairs.push([key, value])
    }
    this.#scanner.take()
    return { kind: 'mapping', ...properties, pairs }
  }

  /** What follows a `key` or `value` token of a flow collection; nothing if one of these ends comes next. */
  #flowPart(first: TokenType, second: TokenType, third?: TokenType): YamlNode {
    const token = this.#scanner.take()
    return this.#is(first, second, third) ? this.#empty(token.start) : this.#node(false, false)
  }

  #separator(problem: string, start: Mark): void {
    if (!this.#is('flow-entry')) throw parserError(problem, this.#scanner.peek().start, start)
    this.#scanner.take()
  }

  #end(type: TokenType, problem: string, start: Mark): Token {
    if (!this.#is(type)) throw parserError(problem, this.#scanner.peek().start, start)
    return this.#scanner.take()
  }
}
