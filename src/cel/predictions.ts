/**
 * Which way to go in the grammar where one token of lookahead does not decide: all alternatives are followed at once, for
 * as many tokens as it takes.
 */
import type { Grammar, State } from './grammar.ts'

/** Where a rule goes on, and the rules around it; undefined where that is unknown. */
interface Stack {
  readonly id: number
  readonly state: State
  readonly up: Stack | undefined
}

interface PredictionPoint {
  readonly state: State
  readonly stack: Stack | undefined
  readonly alternative: number
  /** Beyond the end of the rule that decides. */
  readonly isOutside: boolean
}

/** What may come after some tokens: by the next one the alternative that it decides for, or what may come after it. */
interface Ahead {
  readonly places: readonly PredictionPoint[]
  readonly next: Map<string, number | Ahead | undefined>
}

/** So much is remembered of what tokens decide. */
const MAX_REMEMBERED = 5000

/** What tokens decide does not depend on the rules around, so it is found out once. */
export class Predictions {
  readonly grammar: Grammar
  readonly #stacks = new Map<string, Stack>()
  readonly #decisions = new Map<State, Ahead>()
  #remembered = 0

  constructor(grammar: Grammar) {
    this.grammar = grammar
  }

  from(state: State): Ahead {
    if (this.#remembered > MAX_REMEMBERED) this.#forget()
    let ahead = this.#decisions.get(state)
    if (ahead === undefined) {
      const starts = state.edges.map(({ to }, alternative) => ({
        state: to,
        stack: undefined,
        alternative,
        isOutside: false,
      }))
      ahead = this.#remember(this.#closure(starts))
      this.#decisions.set(state, ahead)
    }
    return ahead
  }

  /** The alternative, or what to look at next; undefined where no alternative goes on. */
  next(ahead: Ahead, type: string): number | Ahead | undefined {
    if (ahead.next.has(type)) return ahead.next.get(type)
    const found = this.#find(ahead.places, type)
    ahead.next.set(type, found)
    return found
  }

  #find(places: readonly PredictionPoint[], type: string): number | Ahead | undefined {
    const next = this.#advance(places, type)
    const left = new Set(next.map(({ alternative }) => alternative))
    if (left.size === 1) return next[0]!.alternative
    if (left.size === 0) {
      const ended = places.filter(({ isOutside }) => isOutside).map(({ alternative }) => alternative)
      return ended.length === 0 ? undefined : Math.min(...ended)
    }
    return type === 'end' || areAlike(next) ? Math.min(...left) : this.#remember(next)
  }

  #remember(places: readonly PredictionPoint[]): Ahead {
    this.#remembered++
    return { places, next: new Map() }
  }

  #forget(): void {
    this.#stacks.clear()
    this.#decisions.clear()
    this.#remembered = 0
  }

  /** The places where the next token is one of the rule's own, reached without any token. */
  #closure(from: readonly PredictionPoint[]): PredictionPoint[] {
    const found: PredictionPoint[] = []
    const seen = new Set<string>()
    const pending = [...from].reverse()
    for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
      const { state, stack, alternative } = place
      const key = `${state.id} ${stack?.id ?? -1} ${alternative}`
      if (seen.has(key)) continue
      seen.add(key)
      if (state.kind === 'stop') {
        if (stack !== undefined) pending.push({ ...place, state: stack.state, stack: stack.up })
        else for (const to of this.grammar.follows(state.rule)) pending.push({ ...place, state: to, isOutside: true })
        continue
      }
      if (state.edges[0]?.kind === 'tokens') found.push(place)
      for (const edge of state.edges) {
        if (edge.kind === 'epsilon') pending.push({ ...place, state: edge.to })
        else if (edge.kind === 'rule') {
          pending.push({ ...place, state: this.grammar.start(edge.rule), stack: this.#push(edge.to, stack) })
        }
      }
    }
    return found
  }

  #advance(places: readonly PredictionPoint[], type: string): PredictionPoint[] {
    const moved: PredictionPoint[] = []
    for (const place of places) {
      for (const edge of place.state.edges) {
        if (edge.kind === 'tokens' && edge.tokens.includes(type)) moved.push({ ...place, state: edge.to })
      }
    }
    return this.#closure(moved)
  }

  #push(state: State, up: Stack | undefined): Stack {
    const key = `${state.id} ${up?.id ?? -1}`
    let stack = this.#stacks.get(key)
    if (stack === undefined) {
      stack = { id: this.#stacks.size, state, up }
      this.#stacks.set(key, stack)
    }
    return stack
  }
}

/** Whether no further token can distinguish the alternatives. */
function areAlike(places: readonly PredictionPoint[]): boolean {
  const byState = new Map<number, Set<number>>()
  const byPlace = new Map<string, Set<number>>()
  for (const { state, stack, alternative } of places) {
    addTo(byState, state.id, alternative)
    addTo(byPlace, `${state.id} ${stack?.id ?? -1}`, alternative)
  }
  return [...byState.values()].every(({ size }) => size > 1) && [...byPlace.values()].some(({ size }) => size > 1)
}

function addTo<K>(sets: Map<K, Set<number>>, key: K, value: number): void {
  const known = sets.get(key)
  if (known === undefined) sets.set(key, new Set([value]))
  else known.add(value)
}
