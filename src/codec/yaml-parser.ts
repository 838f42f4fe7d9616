/** Makes a tree of the first document of a YAML text. What comes after it is not looked at, as in the reference. */
import type { Steps } from '../lib/in-turns.ts'
import { YamlScanner } from './yaml-scanner.ts'
import { type Mark, maxDepth, parserError, type TokenType, tooDeep, YamlError, type YamlToken } from './yaml-token.ts'

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
export function parseYaml(text: string): Steps<YamlNode | undefined> {
  return new YamlParser(text).document()
}

/** How many nodes make a step: a step goes through all that is open. */
const nodesPerStep = 128

interface Properties {
  readonly line: number
  readonly anchor: string
  readonly tag: string
}

class YamlParser {
  readonly #scanner: YamlScanner
  /** Those of nodes that have begun. */
  readonly #anchors = new Set<string>()
  #depth = 0
  #nodes = 0

  constructor(text: string) {
    this.#scanner = new YamlScanner(text)
  }

  *document(): Steps<YamlNode | undefined> {
    if (this.#is('stream-end')) return undefined
    const directives = this.#is('directive')
    while (this.#is('directive')) {
      const { text, start } = this.#scanner.take()
      const version = /^%YAML[ \t]+(\S+)/.exec(text)?.[1] ?? '1.1'
      if (!/^0*1\.0*1$/.test(version)) throw parserError('found incompatible YAML document', start)
    }
    const explicit = this.#is('document-start')
    if (explicit) this.#scanner.take()
    else if (directives) {
      throw parserError('did not find expected <document start>', this.#scanner.peek().start)
    }
    const empty = explicit && this.#is('stream-end', 'directive', 'document-start', 'document-end')
    const root = empty ? this.#empty(this.#scanner.peek().start) : yield* this.#node(true, false)
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

  *#node(block: boolean, indentless: boolean): Steps<YamlNode> {
    if (++this.#depth > maxDepth) throw tooDeep()
    if (++this.#nodes % nodesPerStep === 0) yield
    const start = this.#scanner.peek().start
    const node = this.#is('alias')
      ? this.#alias()
      : yield* this.#content(this.#properties(start), block, indentless, start)
    this.#depth--
    return node
  }

  #alias(): AliasNode {
    const { start, text } = this.#scanner.take()
    if (!this.#anchors.has(text)) throw new YamlError(`yaml: unknown anchor '${text}' referenced`)
    return { kind: 'alias', line: start.line, anchor: '', tag: '', name: text }
  }

  #properties({ line }: Mark): Properties {
    let anchor = ''
    let tag = ''
    for (;;) {
      if (anchor === '' && this.#is('anchor')) anchor = this.#scanner.take().text
      else if (tag === '' && this.#is('tag')) tag = this.#scanner.take().text
      else {
        if (anchor !== '') this.#anchors.add(anchor)
        return { line, anchor, tag }
      }
    }
  }

  *#content(properties: Properties, block: boolean, indentless: boolean, start: Mark): Steps<YamlNode> {
    const token = this.#scanner.peek()
    if (indentless && token.type === 'block-entry') return yield* this.#indentlessSequence(properties)
    if (token.type === 'scalar') {
      const { text, plain } = this.#scanner.take()
      return { kind: 'scalar', ...properties, text, plain }
    }
    if (token.type === 'flow-seq-start') return yield* this.#flowSequence(properties)
    if (token.type === 'flow-map-start') return yield* this.#flowMapping(properties)
    if (block && token.type === 'block-seq-start') return yield* this.#blockSequence(properties)
    if (block && token.type === 'block-map-start') return yield* this.#blockMapping(properties)
    if (properties.anchor !== '' || properties.tag !== '') return this.#empty(start, properties)
    throw parserError('did not find expected node content', token.start, start)
  }

  *#blockSequence(properties: Properties): Steps<SequenceNode> {
    const { start } = this.#scanner.take()
    const items: YamlNode[] = []
    while (this.#is('block-entry')) {
      const entry = this.#scanner.take()
      items.push(this.#is('block-entry', 'block-end') ? this.#empty(entry.start) : yield* this.#node(true, false))
    }
    this.#end('block-end', "did not find expected '-' indicator", start)
    return { kind: 'sequence', ...properties, items }
  }

  *#indentlessSequence(properties: Properties): Steps<SequenceNode> {
    const items: YamlNode[] = []
    while (this.#is('block-entry')) {
      const entry = this.#scanner.take()
      const empty = this.#is('block-entry', 'key', 'value', 'block-end')
      items.push(empty ? this.#empty(entry.start) : yield* this.#node(true, false))
    }
    return { kind: 'sequence', ...properties, items }
  }

  *#blockMapping(properties: Properties): Steps<MappingNode> {
    const { start } = this.#scanner.take()
    const pairs: [YamlNode, YamlNode][] = []
    while (this.#is('key')) {
      const key = yield* this.#blockPart()
      const value = this.#is('value') ? yield* this.#blockPart() : this.#empty(this.#scanner.peek().start)
      pairs.push([key, value])
    }
    this.#end('block-end', 'did not find expected key', start)
    return { kind: 'mapping', ...properties, pairs }
  }

  /** What follows a `key` or `value` token of a block mapping. */
  *#blockPart(): Steps<YamlNode> {
    const token = this.#scanner.take()
    return this.#is('key', 'value', 'block-end') ? this.#empty(token.start) : yield* this.#node(true, true)
  }

  *#flowSequence(properties: Properties): Steps<SequenceNode> {
    const { start } = this.#scanner.take()
    const items: YamlNode[] = []
    for (let first = true; !this.#is('flow-seq-end'); first = false) {
      if (!first) this.#separator("did not find expected ',' or ']'", start)
      if (this.#is('key')) items.push(yield* this.#flowPair())
      else if (!this.#is('flow-seq-end')) items.push(yield* this.#node(false, false))
    }
    this.#scanner.take()
    return { kind: 'sequence', ...properties, items }
  }

  /** `[a: b]`: a mapping of one pair. */
  *#flowPair(): Steps<MappingNode> {
    if (++this.#depth > maxDepth) throw tooDeep()
    const { line } = this.#scanner.peek().start
    const key = yield* this.#flowPart('value', 'flow-entry', 'flow-seq-end')
    const value = this.#is('value')
      ? yield* this.#flowPart('flow-entry', 'flow-seq-end')
      : this.#empty(this.#scanner.peek().start)
    this.#depth--
    return { kind: 'mapping', line, anchor: '', tag: '', pairs: [[key, value]] }
  }

  *#flowMapping(properties: Properties): Steps<MappingNode> {
    const { start } = this.#scanner.take()
    const pairs: [YamlNode, YamlNode][] = []
    for (let first = true; !this.#is('flow-map-end'); first = false) {
      if (!first) this.#separator("did not find expected ',' or '}'", start)
      if (this.#is('flow-map-end')) break
      const keyed = this.#is('key')
      const key = keyed ? yield* this.#flowPart('value', 'flow-entry', 'flow-map-end') : yield* this.#node(false, false)
      // A key without its token has no value: what follows it was not on its line.
      const hasValue = keyed && this.#is('value')
      const value = hasValue
        ? yield* this.#flowPart('flow-entry', 'flow-map-end')
        : this.#empty(this.#scanner.peek().start)
      pairs.push([key, value])
    }
    this.#scanner.take()
    return { kind: 'mapping', ...properties, pairs }
  }

  /** What follows a `key` or `value` token of a flow collection; nothing if one of these ends comes next. */
  *#flowPart(first: TokenType, second: TokenType, third?: TokenType): Steps<YamlNode> {
    const token = this.#scanner.take()
    return this.#is(first, second, third) ? this.#empty(token.start) : yield* this.#node(false, false)
  }

  #separator(problem: string, start: Mark): void {
    if (!this.#is('flow-entry')) throw parserError(problem, this.#scanner.peek().start, start)
    this.#scanner.take()
  }

  #end(type: TokenType, problem: string, start: Mark): YamlToken {
    if (!this.#is(type)) throw parserError(problem, this.#scanner.peek().start, start)
    return this.#scanner.take()
  }
}
