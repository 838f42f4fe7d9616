/**
 * Finds all that is wrong with the syntax of an expression, as the reference's parser does: it walks the grammar, and
 * where the tokens do not fit it leaves one out, takes one for missing, or skips to where the rules around may go on.
 * It is silent about further mistakes until a token fits again. What there is of a tree is gone over afterwards, which finds names and
 * literals that are no good. Only expressions that the parser refused come here.
 */
import type { Edge, State } from './grammar.ts'
import { EPSILON, Grammar, TOKEN_NAMES } from './grammar.ts'
import { type Token, tokenType, type Unrecognized } from './lexer.ts'
import { Predictions } from './predictions.ts'
import type { Source } from './source.ts'
import { type ReadEntries, TreeFindings } from './tree-findings.ts'

const MAX_DEPTH = 250
const MAX_RECOVERIES = 30
/** Tokens that one recovery may skip. */
const MAX_SKIPPED = 512

let predictions: Predictions | undefined

export interface Lexed {
  readonly tokens: readonly Token[]
  readonly unrecognized: readonly Unrecognized[]
  /** Whether fields may be named in backquotes. */
  readonly escapedIdentifiers: boolean
}

export function diagnose(source: Source, lexed: Lexed): void {
  predictions ??= new Predictions(new Grammar())
  const walk = new Walk(predictions, source, lexed)
  try {
    walk.run()
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
  }
}

/** The end of the walk; why has been reported. */
class Stopped extends Error {}

/** The rule cannot go on. */
class Mismatch extends Error {
  readonly offset: number
  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/** A rule that is being read, and where it goes on behind it. */
interface Frame {
  readonly rule: string
  readonly precedence: number
  readonly follow: State | undefined
  /** The first token. */
  readonly begin: number
  /** How many findings there were before it. */
  readonly found: number
  /** Which way it went first. */
  alternative?: number
  /** What was read of a name. */
  name?: Token
  /** What was read of the entries of a map or a message. */
  readonly entries: ReadEntries | undefined
}

const keywordBehind = /^[^\t\n\r](true|false|null)$/u

class Walk {
  readonly #predictions: Predictions
  readonly #grammar: Grammar
  readonly #source: Source
  readonly #tokens: readonly Token[]
  readonly #unrecognized: readonly Unrecognized[]
  readonly #findings: TreeFindings
  readonly #frames: Frame[] = []
  readonly #depths = new Map<string, number>()
  #state: State
  #at = 0
  #isRecovering = false
  #recoveries = 0
  #lastErrorAt = -1
  #lastErrorStates = new Set<State>()

  constructor(known: Predictions, source: Source, { tokens, unrecognized, escapedIdentifiers }: Lexed) {
    this.#predictions = known
    this.#grammar = known.grammar
    this.#source = source
    this.#tokens = tokens
    this.#unrecognized = unrecognized
    this.#findings = new TreeFindings(tokens, escapedIdentifiers)
    this.#state = this.#grammar.start('start')
    this.#enter({ rule: 'start', precedence: 0, follow: undefined })
  }

  run(): void {
    while (this.#frames.length > 0) {
      if (this.#state.kind === 'stop') {
        this.#leave()
        continue
      }
      try {
        this.#step()
      } catch (error) {
        if (!(error instanceof Mismatch)) throw error
        if (!this.#isRecovering) this.#report(error.offset, error.message)
        this.#recover()
        this.#state = this.#grammar.stop(this.#frames.at(-1)!.rule)
      }
    }
    for (const { offset, message } of this.#findings) this.#source.report(offset, message)
  }

  #enter(entered: Pick<Frame, 'rule' | 'precedence' | 'follow'>): void {
    const { rule } = entered
    const depth = (this.#depths.get(rule) ?? 0) + 1
    if (depth > MAX_DEPTH) this.#stop(-1, `expression recursion limit exceeded: ${MAX_DEPTH}`)
    this.#depths.set(rule, depth)
    const entries = rule === 'mapInit' || rule === 'fieldInit' ? { keys: [], colons: 0, values: [] } : undefined
    this.#frames.push({ ...entered, begin: this.#at, found: this.#findings.length, entries })
    this.#state = this.#grammar.start(rule)
  }

  #leave(): void {
    const left = this.#frames.pop()!
    const { rule, follow, begin } = left
    this.#depths.set(rule, this.#depths.get(rule)! - 1)
    // The first two ways are an identifier and a call.
    if (rule === 'primary' && left.alternative! < 2) this.#findings.checkIdentifier(begin)
    if (rule === 'literal') this.#findings.checkLiteral(begin, this.#at)
    if (rule === 'escapeIdent') this.#checkName(left)
    if (left.entries !== undefined) this.#findings.checkEntries(left, left.entries)
    const around = this.#frames.at(-1)?.entries
    if (around !== undefined) {
      const range = { from: left.found, to: this.#findings.length }
      if (rule === 'optField') around.keys.push({ ...range, problem: this.#findings.nameProblem(left.name) })
      else if (rule === 'optExpr') around.keys.push(range)
      else around.values.push(range)
    }
    if (follow !== undefined) this.#state = follow
  }

  /** The name of a field: that of a message is found with its entry. */
  #checkName({ begin, name }: Frame): void {
    const around = this.#frames.at(-1)!
    if (around.rule !== 'optField') this.#findings.checkName(begin, name)
    else if (name !== undefined) around.name = name
  }

  #stop(offset: number, message: string): never {
    this.#source.report(offset, message)
    throw new Stopped()
  }

  get #token(): Token {
    return this.#tokens[this.#at]!
  }

  #type(ahead = 0): string {
    return tokenType(this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)]!)
  }

  #consume(): void {
    if (this.#at < this.#tokens.length - 1) this.#at++
  }

  #step(): void {
    const state = this.#state
    switch (state.kind) {
      case 'basic':
        this.#follow(state.edges[0]!)
        return
      case 'block':
      case 'star-entry':
        this.#synchronize()
        this.#decide(state)
        return
      case 'plus-block':
        this.#synchronize()
        this.#state = state.edges[0]!.to
        return
      case 'star-back':
        this.#synchronize()
        this.#decide(state.edges[0]!.to)
        return
      case 'plus-back':
        this.#synchronize()
        this.#decide(state)
        return
      case 'stop':
        return
    }
  }

  #follow(edge: Edge): void {
    if (edge.kind === 'rule') {
      this.#enter({ rule: edge.rule, precedence: edge.precedence, follow: edge.to })
    } else {
      if (edge.kind === 'tokens') {
        this.#match(edge)
        const { entries } = this.#frames.at(-1)!
        if (entries !== undefined && edge.tokens.includes(':')) entries.colons++
      }
      this.#state = edge.to
    }
  }

  #match({ tokens, to }: Extract<Edge, { kind: 'tokens' }>): void {
    if (tokens.includes(this.#type())) {
      this.#matched()
      const frame = this.#frames.at(-1)!
      if (frame.rule === 'escapeIdent') frame.name = this.#token
      this.#consume()
      return
    }
    this.#countRecovery()
    if (this.#leaveOut()) {
      this.#consume()
      return
    }
    if (!this.#expectedAt(to).has(this.#type())) throw this.#mismatch()
    if (this.#isRecovering) return
    this.#report(this.#token.offset, `Syntax error: missing ${shown(this.#expected())} at ${this.#shownToken()}`)
  }

  #matched(): void {
    this.#isRecovering = false
    this.#lastErrorStates.clear()
    this.#lastErrorAt = -1
  }

  /** Where a part starts or a loop goes round: makes sure that the next token fits. */
  #synchronize(): void {
    if (this.#isRecovering) return
    const next = this.#grammar.first(this.#state)
    if (next.has(EPSILON) || next.has(this.#type())) return
    if (this.#state.kind === 'star-back' || this.#state.kind === 'plus-back') {
      this.#reportUnwanted()
      this.#skipTo(new Set([...this.#expected(), ...this.#recoverySet()]), MAX_SKIPPED)
    } else if (!this.#leaveOut()) {
      throw this.#mismatch()
    }
  }

  /** Leaves the token out if the one behind it fits. */
  #leaveOut(): boolean {
    if (!this.#expected().has(this.#type(1)) || this.#type() === 'end') return false
    this.#reportUnwanted()
    this.#consume()
    this.#matched()
    return true
  }

  #reportUnwanted(): void {
    if (this.#isRecovering) return
    const text = `extraneous input ${this.#shownToken()} expecting ${shown(this.#expected())}`
    this.#report(this.#token.offset, `Syntax error: ${text}`)
  }

  #mismatch(): Mismatch {
    const text = `mismatched input ${this.#shownToken()} expecting ${shown(this.#expected())}`
    return new Mismatch(`Syntax error: ${text}`, this.#token.offset)
  }

  #report(offset: number, message: string): void {
    this.#isRecovering = true
    this.#source.report(offset, message)
  }

  #shownToken(): string {
    return quoted(this.#token.text)
  }

  #countRecovery(): void {
    if (this.#recoveries++ < MAX_RECOVERIES) return
    this.#stop(this.#token.offset, `Syntax error: error recovery attempt limit exceeded: ${MAX_RECOVERIES}`)
  }

  #recover(): void {
    this.#countRecovery()
    let most = MAX_SKIPPED
    if (this.#lastErrorAt === this.#at && this.#lastErrorStates.has(this.#state)) {
      this.#consume()
      most--
    }
    this.#lastErrorAt = this.#at
    this.#lastErrorStates.add(this.#state)
    this.#skipTo(this.#recoverySet(), most)
  }

  #skipTo(wanted: ReadonlySet<string>, most: number): void {
    for (let skipped = 0; this.#type() !== 'end' && !wanted.has(this.#type()); skipped++) {
      if (skipped === most) this.#stop(-1, `error recovery token lookahead limit exceeded: ${MAX_SKIPPED}`)
      this.#consume()
    }
  }

  /** What may come behind the rules that are being read. */
  #recoverySet(): Set<string> {
    const found = new Set<string>()
    for (const { follow } of this.#frames) {
      if (follow !== undefined) for (const each of this.#grammar.first(follow)) found.add(each)
    }
    found.delete(EPSILON)
    return found
  }

  #expected(): Set<string> {
    return this.#expectedAt(this.#state)
  }

  /** The tokens that fit at a state of the present rule; those around it count where it may end. */
  #expectedAt(state: State): Set<string> {
    const found = new Set(this.#grammar.first(state))
    for (let i = this.#frames.length - 1; found.delete(EPSILON) && i >= 0; i--) {
      const { follow } = this.#frames[i]!
      for (const each of follow === undefined ? ['end'] : this.#grammar.first(follow)) found.add(each)
    }
    return found
  }

  #decide(state: State): void {
    const edge = state.precedences ? this.#byPrecedence(state) : state.oneToken ? this.#byToken(state) : undefined
    const chosen = edge ?? state.edges[this.#predict(state)]!
    this.#frames.at(-1)!.alternative ??= state.edges.indexOf(chosen)
    this.#state = chosen.to
  }

  /** Operators that bind at least as strongly as the rule asks for; undefined where more tokens have to be looked at. */
  #byPrecedence(state: State): Edge | undefined {
    const { precedence } = this.#frames.at(-1)!
    const operators = state.kind === 'block' ? state.edges : alternativesOf(state.edges[0]!.to)
    const found = operators.findIndex(
      (edge, i) =>
        (state.precedences![i] ?? state.precedences![0]!) >= precedence &&
        this.#grammar.first(edge.to).has(this.#type()),
    )
    if (state.kind === 'block') return state.edges[found]
    return state.edges[found < 0 ? 1 : 0]
  }

  #byToken(state: State): Edge {
    const found = state.edges.find(({ to }, i) => {
      // What ends a loop or an optional part is the last.
      const isExit = i === state.edges.length - 1 && state.rule !== 'escapeIdent'
      return isExit || this.#grammar.first(to).has(this.#type())
    })
    if (found === undefined) throw this.#noViable(this.#at)
    return found
  }

  #noViable(offending: number): Mismatch {
    const last = this.#tokens[offending]!
    const text = tokenType(this.#token) === 'end' ? '<EOF>' : this.#text(this.#token, last)
    // As the reference has it: a keyword straight behind one character, which is mostly the dot before a field.
    const keyword = keywordBehind.exec(text)?.[1]
    if (keyword !== undefined) {
      return new Mismatch(`Syntax error: mismatched input ${quoted(keyword)} expecting IDENTIFIER`, last.offset)
    }
    return new Mismatch(`Syntax error: no viable alternative at input ${quoted(text)}`, last.offset)
  }

  /** From a token to another, as it was written, but without what is no token. */
  #text(first: Token, last: Token): string {
    const end = last.kind === 'end' ? last.offset : last.offset + Array.from(last.text).length
    let text = ''
    let at = first.offset
    for (const part of this.#unrecognized) {
      if (part.start < at || part.start >= end) continue
      text += this.#source.chars.slice(at, part.start).join('')
      at = part.end
    }
    return text + this.#source.chars.slice(at, end).join('')
  }

  /** Follows all alternatives at once until one of them is left, or they are ambiguous. */
  #predict(state: State): number {
    let ahead = this.#predictions.from(state)
    for (let at = this.#at; ; at++) {
      const next = this.#predictions.next(ahead, tokenType(this.#tokens[at]!))
      if (next === undefined) throw this.#noViable(at)
      if (typeof next === 'number') return next
      ahead = next
    }
  }
}

const alternativesOf = (state: State): readonly Edge[] =>
  state.kind === 'block' ? state.edges : [{ kind: 'epsilon', to: state }]

const order = [...TOKEN_NAMES.keys()]

function shown(expected: ReadonlySet<string>): string {
  const names = order.filter((name) => expected.has(name)).map((name) => TOKEN_NAMES.get(name)!)
  return names.length === 1 ? names[0]! : `{${names.join(', ')}}`
}

const quoted = (text: string): string =>
  `'${text.replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`
