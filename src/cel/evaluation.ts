/**
 * One run of a program: what it has cost so far, the values of its local variables, and where it looks up the rest.
 * The limit is checked wherever work of unbounded size starts or goes round; `charge` ends the run by throwing.
 */
import type { PatternCache } from './patterns.ts'
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
  readonly patterns: PatternCache
  readonly lookup: VariableLookup
  /** Answers by the keys of their questions. */
  readonly decisions?: ReadonlyMap<string, unknown> | undefined
}

/** Something that counts work without a price. */
export interface Work {
  work(units: number): void
}

export class Evaluation implements Work {
  cost = 0
  readonly limit: number
  readonly locals: (Value | undefined)[]
  readonly patterns: PatternCache
  #worked = 0
  readonly #lookup: VariableLookup
  readonly #decisions: ReadonlyMap<string, unknown> | undefined

  constructor({ limit, localCount, patterns, lookup, decisions }: EvaluationOptions) {
    this.limit = limit
    this.locals = localCount === 0 ? noLocals : new Array<Value | undefined>(localCount)
    this.patterns = patterns
    this.#lookup = lookup
    this.#decisions = decisions
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

  /** The answer to a question, or the end of this run. */
  decide(decision: PendingDecision): unknown {
    if (!this.#decisions?.has(decision.key)) throw new DecisionNeeded(decision)
    return this.#decisions.get(decision.key)
  }
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
  matched: 5,
  found: 400,
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
