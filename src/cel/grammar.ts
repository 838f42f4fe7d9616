/**
 * The grammar as a graph of states, in the shape that the reference's parser walks through: which tokens it expects
 * at a place, and how it goes on after a mistake, follow from that shape. Only `diagnose.ts` walks it; expressions
 * without mistakes are read by the parser.
 */
import { pushAll } from '../lib/push-all.ts'

/** Tokens by how messages name them, in the order in which they do. */
export const TOKEN_NAMES: ReadonlyMap<string, string> = new Map([
  ['end', '<EOF>'],
  ...[
    '==',
    '!=',
    'in',
    '<',
    '<=',
    '>=',
    '>',
    '&&',
    '||',
    '[',
    ']',
    '{',
    '}',
    '(',
    ')',
    '.',
    ',',
    '-',
    '!',
    '?',
    ':',
  ].map((text): [string, string] => [text, `'${text}'`]),
  ...['+', '*', '/', '%', 'true', 'false', 'null'].map((text): [string, string] => [text, `'${text}'`]),
  ['float', 'NUM_FLOAT'],
  ['int', 'NUM_INT'],
  ['uint', 'NUM_UINT'],
  ['string', 'STRING'],
  ['bytes', 'BYTES'],
  ['identifier', 'IDENTIFIER'],
  ['escaped-identifier', 'ESC_IDENTIFIER'],
])

/** The end of a rule can be reached without a token. */
export const EPSILON = 'epsilon'

export type Edge =
  | { readonly kind: 'epsilon'; readonly to: State }
  | { readonly kind: 'tokens'; readonly tokens: readonly string[]; readonly to: State }
  /** `to` is where it goes on behind the rule. */
  | { readonly kind: 'rule'; readonly rule: string; readonly precedence: number; readonly to: State }

type StateKind = 'basic' | 'block' | 'star-entry' | 'star-back' | 'plus-block' | 'plus-back' | 'stop'

export interface State {
  readonly id: number
  readonly kind: StateKind
  readonly rule: string
  readonly edges: Edge[]
  /** The next token decides; else as many as it takes. */
  readonly oneToken: boolean
  /** The precedence of each alternative of a loop of operators. */
  readonly precedences?: readonly number[]
}

/** Makes the states of a part before those that follow it: gives where the part starts. */
type Fragment = (graph: Builder, next: State) => State

interface Builder {
  readonly rule: string
  readonly state: (kind: StateKind, more?: Partial<Omit<State, 'id' | 'kind' | 'rule' | 'edges'>>) => State
}

const epsilon = (to: State): Edge => ({ kind: 'epsilon', to })

const token =
  (...tokens: string[]): Fragment =>
  ({ state }, next) => {
    const made = state('basic')
    made.edges.push({ kind: 'tokens', tokens, to: next })
    return made
  }

const rule =
  (name: string, precedence = 0): Fragment =>
  ({ state }, next) => {
    const made = state('basic')
    made.edges.push({ kind: 'rule', rule: name, precedence, to: next })
    return made
  }

const sequence =
  (...parts: Fragment[]): Fragment =>
  (graph, next) =>
    parts.reduceRight((behind, part) => part(graph, behind), next)

interface Decision {
  readonly oneToken?: boolean
  readonly precedences?: readonly number[]
}

const choice =
  (parts: readonly Fragment[], { oneToken = false, precedences }: Decision = {}): Fragment =>
  (graph, next) => {
    const made = graph.state('block', { oneToken, ...(precedences && { precedences }) })
    pushAll(
      made.edges,
      parts.map((part) => epsilon(part(graph, next))),
    )
    return made
  }

const optional =
  (part: Fragment): Fragment =>
  (graph, next) => {
    const made = graph.state('block', { oneToken: true })
    made.edges.push(epsilon(part(graph, next)), epsilon(next))
    return made
  }

const star =
  (part: Fragment, { oneToken = true, precedences }: Decision = {}): Fragment =>
  (graph, next) => {
    const entry = graph.state('star-entry', { oneToken, ...(precedences && { precedences }) })
    const back = graph.state('star-back')
    back.edges.push(epsilon(entry))
    entry.edges.push(epsilon(part(graph, back)), epsilon(next))
    return entry
  }

const plus =
  (part: Fragment, { oneToken = true }: Decision = {}): Fragment =>
  (graph, next) => {
    const block = graph.state('plus-block')
    const back = graph.state('plus-back', { oneToken })
    back.edges.push(epsilon(block), epsilon(next))
    block.edges.push(epsilon(part(graph, back)))
    return block
  }

/** `(',' x)*` where a comma may also be the last one: two tokens of lookahead decide. */
const furtherWithTrailing = (part: Fragment): Fragment => star(sequence(token(','), part), { oneToken: false })

const RELATIONS = token('<', '<=', '>=', '>', '==', '!=', 'in')
const name = sequence(optional(token('.')), token('identifier'))
const call = sequence(token('('), optional(rule('exprList')), token(')'))
const value = sequence(token(':'), rule('expr'))

/** What there is one of, or several in a row with an operator between them. */
const chain = (operand: string, operator: string): Fragment =>
  sequence(rule(operand), star(sequence(token(operator), rule(operand))))

const RULES: Readonly<Record<string, Fragment>> = {
  start: sequence(rule('expr'), token('end')),
  expr: sequence(rule('or'), optional(sequence(token('?'), rule('or'), token(':'), rule('expr')))),
  or: chain('and', '||'),
  and: chain('relation', '&&'),
  relation: sequence(rule('calc'), star(sequence(RELATIONS, rule('relation', 2)), { precedences: [1] })),
  calc: sequence(
    rule('unary'),
    star(
      choice([sequence(token('*', '/', '%'), rule('calc', 3)), sequence(token('+', '-'), rule('calc', 2))], {
        precedences: [2, 1],
      }),
      { precedences: [2, 1] },
    ),
  ),
  unary: choice([
    rule('member'),
    sequence(plus(token('!')), rule('member')),
    sequence(plus(token('-'), { oneToken: false }), rule('member')),
  ]),
  member: sequence(
    rule('primary'),
    star(
      choice([
        sequence(token('.'), optional(token('?')), rule('escapeIdent')),
        sequence(token('.'), token('identifier'), call),
        sequence(token('['), optional(token('?')), rule('expr'), token(']')),
      ]),
      { precedences: [3] },
    ),
  ),
  primary: choice([
    name,
    sequence(name, call),
    sequence(token('('), rule('expr'), token(')')),
    sequence(token('['), optional(rule('listInit')), optional(token(',')), token(']')),
    sequence(token('{'), optional(rule('mapInit')), optional(token(',')), token('}')),
    sequence(
      name,
      star(sequence(token('.'), token('identifier'))),
      token('{'),
      optional(rule('fieldInit')),
      optional(token(',')),
      token('}'),
    ),
    rule('literal'),
  ]),
  exprList: sequence(rule('expr'), star(sequence(token(','), rule('expr')))),
  listInit: sequence(rule('optExpr'), furtherWithTrailing(rule('optExpr'))),
  fieldInit: sequence(rule('optField'), value, furtherWithTrailing(sequence(rule('optField'), value))),
  optField: sequence(optional(token('?')), rule('escapeIdent')),
  mapInit: sequence(rule('optExpr'), value, furtherWithTrailing(sequence(rule('optExpr'), value))),
  escapeIdent: choice([token('identifier'), token('escaped-identifier')], { oneToken: true }),
  optExpr: sequence(optional(token('?')), rule('expr')),
  literal: choice([
    sequence(optional(token('-')), token('int')),
    token('uint'),
    sequence(optional(token('-')), token('float')),
    token('string'),
    token('bytes'),
    token('true'),
    token('false'),
    token('null'),
  ]),
}

export class Grammar {
  readonly #starts = new Map<string, State>()
  readonly #stops = new Map<string, State>()
  readonly #follows = new Map<string, State[]>()
  readonly #first = new Map<State, ReadonlySet<string>>()

  constructor() {
    let id = 0
    for (const [ruleName, part] of Object.entries(RULES)) {
      const state: Builder['state'] = (kind, more = {}) => {
        const made: State = { id: id++, kind, rule: ruleName, edges: [], oneToken: true, ...more }
        states.push(made)
        return made
      }
      const states: State[] = []
      const stop = state('stop')
      this.#stops.set(ruleName, stop)
      this.#starts.set(ruleName, part({ rule: ruleName, state }, stop))
      for (const { edges } of states) {
        for (const edge of edges) {
          if (edge.kind !== 'rule') continue
          this.#follows.set(edge.rule, [...(this.#follows.get(edge.rule) ?? []), edge.to])
        }
      }
    }
  }

  start(ruleName: string): State {
    return this.#starts.get(ruleName)!
  }

  stop(ruleName: string): State {
    return this.#stops.get(ruleName)!
  }

  /** The follow set of a rule, over all callers. */
  follows(ruleName: string): readonly State[] {
    return this.#follows.get(ruleName) ?? []
  }

  /** The tokens that may come next in the rule of the state, `EPSILON` where it may end before. */
  first(state: State): ReadonlySet<string> {
    let found = this.#first.get(state)
    if (found === undefined) {
      found = this.#look(state)
      this.#first.set(state, found)
    }
    return found
  }

  #look(from: State): Set<string> {
    const found = new Set<string>()
    const seen = new Set<State>()
    const pending = [from]
    for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
      if (seen.has(state)) continue
      seen.add(state)
      if (state.kind === 'stop') found.add(EPSILON)
      for (const edge of state.edges) {
        if (edge.kind === 'tokens') for (const each of edge.tokens) found.add(each)
        else if (edge.kind === 'epsilon') pending.push(edge.to)
        else {
          const inner = this.first(this.start(edge.rule))
          for (const each of inner) if (each !== EPSILON) found.add(each)
          if (inner.has(EPSILON)) pending.push(edge.to)
        }
      }
    }
    return found
  }
}
