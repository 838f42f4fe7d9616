/**
 * One run of a program: what it has cost so far, the values of its local variables, and where it looks up the rest.
 * The limit is checked wherever work of unbounded size starts or goes round; `charge` ends the run by throwing.
 */
import type { Steps } from '../lib/in-turns.ts'
import { type Pattern, PatternLimitError, searchMeter } from '../lib/regexp/pattern.ts'
import type { Value } from './values.ts'
import { CostLimitExceeded } from './values.ts'

/** The value of a variable, or an error where the caller bound none. */
export type VariableLookup = (name: string) => Value

/** A question to an authorizer that has no answer yet. */
export interface PendingDecision {
  /** The same question has the same key. */
  readonly key: string
  readonly ask: () => Promise<unknown>
}

/** What is searched for in a text, for knowing the answer when it is asked again. */
export interface SearchQuestion {
  readonly kind: string
  readonly pattern: Pattern
  readonly text: string
}

/** What a search came to, or that it takes longer than any may. */
type SearchAnswer = Value | typeof TOO_LONG

/** Ends a run until the search, which goes on where the run ended, has come to its end. */
export class SearchNeeded extends Error {
  readonly question: SearchQuestion
  readonly steps: Steps<SearchAnswer>

  constructor(question: SearchQuestion, steps: Steps<SearchAnswer>) {
    super('a search takes long')
    this.question = question
    this.steps = steps
  }
}

/** Answers of searches, shared by the runs of one request. */
export class SearchAnswers {
  readonly #answers = new Map<string, Map<string, SearchAnswer>>()

  get({ kind, pattern, text }: SearchQuestion): SearchAnswer | undefined {
    return this.#answers.size === 0 ? undefined : this.#answers.get(`${kind} ${pattern.source}`)?.get(text)
  }

  set({ kind, pattern, text }: SearchQuestion, answer: SearchAnswer): void {
    const key = `${kind} ${pattern.source}`
    const known = this.#answers.get(key)
    if (known === undefined) this.#answers.set(key, new Map([[text, answer]]))
    else known.set(text, answer)
  }
}

/** Ends a run until the question has been answered. */
export class DecisionNeeded extends Error {
  readonly decision: PendingDecision
  constructor(decision: PendingDecision) {
    super('a decision is needed')
    this.decision = decision
  }
}

export interface EvaluationOptions {
  readonly limit: number
  readonly localCount: number
  readonly lookup: VariableLookup
  /** Answers by the keys of their questions. */
  readonly decisions?: ReadonlyMap<string, unknown> | undefined
  readonly searches?: SearchAnswers | undefined
}

/** Something that counts work without a price. */
export interface Work {
  work(units: number): void
}

export class Evaluation implements Work {
  cost = 0
  readonly limit: number
  readonly locals: (Value | undefined)[]
  #searched = 0
  #worked = 0
  readonly #lookup: VariableLookup
  readonly #decisions: ReadonlyMap<string, unknown> | undefined
  readonly #searches: SearchAnswers | undefined

  constructor({ limit, localCount, lookup, decisions, searches }: EvaluationOptions) {
    this.limit = limit
    this.locals = localCount === 0 ? noLocals : new Array<Value | undefined>(localCount)
    this.#lookup = lookup
    this.#decisions = decisions
    this.#searches = searches
  }

  variable(name: string): Value {
    return this.#lookup(name)
  }

  charge(cost: number): void {
    this.cost += cost
    if (this.cost > this.limit) throw new CostLimitExceeded()
  }

  /**
   * Accounts for work that has no price in the reference: going over a long text to count it, comparing large values.
   * Far beyond what an expression within its limit does; it bounds the time of those that do nothing else.
   */
  work(units: number): void {
    this.#worked += units
    if (this.#worked > MAX_WORK) throw new CostLimitExceeded()
  }

  /**
   * What a search comes to. A run has a share of steps for searching; then it ends until the search has been taken to its
   * end elsewhere, in turns, and is run again with the answer. Answers are kept where a run searches much.
   */
  search(question: SearchQuestion, begin: () => Steps<Value>): Value {
    const known = this.#searches?.get(question)
    if (known !== undefined) return searched(known)
    const isKept = this.#searched > KEPT_AFTER
    const steps = withinLimit(begin())
    for (const before = searchMeter.steps; ; ) {
      const step = steps.next()
      const taken = searchMeter.steps - before
      if (step.done === true) {
        this.#searched += taken
        if (isKept) this.#searches?.set(question, step.value)
        return searched(step.value)
      }
      if (this.#searched + taken >= SEARCH_SHARE) throw new SearchNeeded(question, steps)
    }
  }

  /** Whether a pattern matches. Short texts are searched at once while the share lasts: to begin steps takes longer than they do. */
  matches(pattern: Pattern, text: string): Value {
    if (this.#searched < SEARCH_SHARE) {
      const before = searchMeter.steps
      const isMatch = pattern.testAtOnce(text)
      this.#searched += searchMeter.steps - before
      if (isMatch !== undefined) return isMatch
    }
    return this.search({ kind: 'test', pattern, text }, () => pattern.test(text))
  }

  /** The answer to a question, or the end of this run. */
  decide(decision: PendingDecision): unknown {
    if (!this.#decisions?.has(decision.key)) throw new DecisionNeeded(decision)
    return this.#decisions.get(decision.key)
  }
}

/** Steps of searches in one run: some milliseconds; and from where on their answers are kept. */
const SEARCH_SHARE = 600_000
const KEPT_AFTER = 60_000

/** In place of the answer of a search that takes longer than any may. */
const TOO_LONG = Symbol('too long')

function* withinLimit(steps: Steps<Value>): Steps<SearchAnswer> {
  try {
    return yield* steps
  } catch (error) {
    if (error instanceof PatternLimitError) return TOO_LONG
    throw error
  }
}

function searched(answer: SearchAnswer): Value {
  if (answer === TOO_LONG) throw new CostLimitExceeded()
  return answer
}

/** A unit takes a few nanoseconds: a run ends after some fifty milliseconds of unpriced work. */
const MAX_WORK = 20_000_000

/** Units of work for each of these. */
export const WORK = {
  entry: 400,
  item: 100,
  /** An entry of a map that is gone over, key and value. */
  member: 300,
  setItem: 300,
  key: 200,
  character: 2,
  /** Of a text with characters beyond the basic plane, taken apart. */
  wideCharacter: 40,
  part: 6,
  /** A part of a text that becomes a text of its own. */
  slice: 25,
  /** A place where a text is found. */
  place: 12,
  written: 1.5,
  address: 400,
  visited: 20,
  copied: 0.2,
  zone: 6000,
  quoted: 5,
  /** Text that is read as something else: a time, bytes. */
  read: 100,
  readCharacter: 1.5,
  formatted: 3,
  formattedItem: 200,
  /** A clause of a format, and one that writes a double. */
  clause: 600,
  formattedDouble: 1500,
  digit: 100,
  /** Of a URL, a version, a span of time. */
  urlByte: 3,
  versionCharacter: 12,
  spanCharacter: 60,
} as const

let running: Evaluation | undefined

/** Runs with the evaluation as the one that values which are read on the way count their work with. */
export function withRunning<T>(evaluation: Evaluation, run: (evaluation: Evaluation) => T): T {
  const outer = running
  running = evaluation
  try {
    return run(evaluation)
  } finally {
    running = outer
  }
}

/** Counts work where the evaluation is not at hand: JSON becomes a value when it is first looked at. */
export function countWork(units: number): void {
  running?.work(units)
}

const noLocals: (Value | undefined)[] = []
