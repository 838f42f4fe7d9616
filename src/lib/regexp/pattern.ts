/**
 * Regular expressions of strangers, in RE2's syntax: parsed once, compiled when first used, shared by everybody who has
 * the same one, and run in steps that give way. `patternOf` keeps what it made within a bound.
 */
import { runToEnd, type Steps } from '../in-turns.ts'
import { Automaton } from './automaton.ts'
import type { RegexpNode } from './node.ts'
import { compileRegexp, type RegexpProgram } from './program.ts'
import { FindSearch, TestSearch } from './search.ts'
import { RegexpSyntaxError } from './source.ts'
import { parseRegexp } from './syntax.ts'

/** Steps of a search between two yields: some tenths of a millisecond. */
const CHUNK = 30_000

/** Of so many characters a search takes less than making steps of it. */
const SHORT_TEXT = 256

/** The most steps of one search: some seconds. */
const MAX_STEPS = 500_000_000

/** The search would take longer than anybody waits. */
export class PatternLimitError extends Error {
  constructor() {
    super('matching the regular expression takes too long')
  }
}

export interface Found {
  readonly start: number
  readonly end: number
}

/** Counts the steps of all searches. */
export const searchMeter = { steps: 0 }

export class Pattern {
  readonly source: string
  readonly size: number
  #node: RegexpNode | undefined
  #program: RegexpProgram | undefined
  #automaton: Automaton | undefined

  constructor(source: string, node: RegexpNode) {
    this.source = source
    this.size = node.size
    this.#node = node
  }

  /** Whether it matches somewhere in the text. */
  *test(text: string): Steps<boolean> {
    this.#automaton ??= new Automaton(this.#program ?? (yield* this.#compile()))
    const search = new TestSearch(this.#automaton, text)
    yield* takeSteps(search)
    return search.matches
  }

  /** The same at once, of a short text; undefined where that may take long. */
  testAtOnce(text: string): boolean | undefined {
    if (text.length > SHORT_TEXT || this.#automaton === undefined) return undefined
    const search = new TestSearch(this.#automaton, text)
    const isOver = search.run(CHUNK)
    searchMeter.steps += search.steps
    return isOver ? search.matches : undefined
  }

  /** Where it first matches from a place on. */
  *find(text: string, from = 0): Steps<Found | undefined> {
    const search = new FindSearch(this.#program ?? (yield* this.#compile()), text, from)
    yield* takeSteps(search)
    return search.start < 0 ? undefined : { start: search.start, end: search.end }
  }

  *#compile(): Steps<RegexpProgram> {
    const program = yield* compileRegexp(this.#node!)
    this.#program = program
    this.#node = undefined
    return program
  }
}

function* takeSteps(search: TestSearch | FindSearch): Steps<void> {
  for (let steps = 0; ; ) {
    const isOver = search.run(CHUNK)
    steps += search.steps
    searchMeter.steps += search.steps
    if (isOver) return
    if (steps > MAX_STEPS) throw new PatternLimitError()
    yield
  }
}

/** Patterns by their sources, least recently used first. */
const patterns = new Map<string, Pattern | RegexpSyntaxError>()
const MAX_PATTERNS = 2000
const MAX_ALL_SIZE = 1_000_000
let allSize = 0

const sizeOf = (made: Pattern | RegexpSyntaxError, source: string): number =>
  source.length + (made instanceof Pattern ? made.size : 0)

/** The pattern, or what is wrong with it in Go's words. */
export function* patternOf(source: string): Steps<Pattern | RegexpSyntaxError> {
  const known = knownPattern(source)
  if (known !== undefined) return known
  const made = yield* parse(source)
  keep(source, made)
  return made
}

/** The same without giving way: for expressions that are known to be short. */
export function patternAtOnce(source: string): Pattern | RegexpSyntaxError {
  return knownPattern(source) ?? runToEnd(patternOf(source))
}

/** The one that was asked for last: an expression asks for the same one again and again. */
let latest: { readonly source: string; readonly made: Pattern | RegexpSyntaxError } | undefined

function knownPattern(source: string): Pattern | RegexpSyntaxError | undefined {
  if (latest?.source === source) return latest.made
  const known = patterns.get(source)
  if (known === undefined) return undefined
  patterns.delete(source)
  patterns.set(source, known)
  latest = { source, made: known }
  return known
}

function* parse(source: string): Steps<Pattern | RegexpSyntaxError> {
  try {
    return new Pattern(source, yield* parseRegexp(source))
  } catch (error) {
    if (error instanceof RegexpSyntaxError) return error
    throw error
  }
}

function keep(source: string, made: Pattern | RegexpSyntaxError): void {
  if (patterns.has(source)) return
  patterns.set(source, made)
  allSize += sizeOf(made, source)
  for (const [oldest, old] of patterns) {
    if (patterns.size <= 1 || (patterns.size <= MAX_PATTERNS && allSize <= MAX_ALL_SIZE)) break
    patterns.delete(oldest)
    allSize -= sizeOf(old, oldest)
  }
}
