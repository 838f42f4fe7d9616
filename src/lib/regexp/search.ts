/**
 * Running a program over a text, a bounded number of steps at a time. Whether it matches is decided by an automaton whose
 * states are made when they are first reached and kept within a bound; where it matches, by going over the text with all
 * threads at once. Both take time linear in the text, whatever the expression.
 */
import { hasRune, type Ranges } from './char-class.ts'
import { BEGIN_LINE, BEGIN_TEXT, END_LINE, END_TEXT, NO_WORD_BOUNDARY, WORD_BOUNDARY } from './node.ts'
import { ALT, ANY, ASSERT, CLASS, MATCH, type Program, RUNE } from './program.ts'

/** What stands beside a place, as assertions see it. */
const EDGE = 0
const NEW_LINE = 1
const WORD = 2
const OTHER = 3

const END = -1

function kindOf(rune: number): number {
  if (rune === END) return EDGE
  if (rune === 0x0a) return NEW_LINE
  const isWord =
    (rune >= 0x61 && rune <= 0x7a) || (rune >= 0x41 && rune <= 0x5a) || (rune >= 0x30 && rune <= 0x39) || rune === 0x5f
  return isWord ? WORD : OTHER
}

/** The assertions that hold between two kinds. */
function conditions(before: number, after: number): number {
  let mask = (before === WORD) === (after === WORD) ? NO_WORD_BOUNDARY : WORD_BOUNDARY
  if (before === EDGE) mask |= BEGIN_TEXT | BEGIN_LINE
  if (before === NEW_LINE) mask |= BEGIN_LINE
  if (after === EDGE) mask |= END_TEXT | END_LINE
  if (after === NEW_LINE) mask |= END_LINE
  return mask
}

/** The character at a place; half of a pair is what UTF-8 has for it. */
function runeAt(text: string, at: number): number {
  if (at >= text.length) return END
  const unit = text.charCodeAt(at)
  if (unit < 0xd800 || unit > 0xdfff) return unit
  const rune = text.codePointAt(at)!
  return rune > 0xffff ? rune : 0xfffd
}

function kindBefore(text: string, at: number): number {
  return at === 0 ? EDGE : kindOf(text.charCodeAt(at - 1))
}

/** A set of places in a program, by marks that are cleared by counting on. */
class Marks {
  readonly #marks: Uint32Array
  #now = 1

  constructor(length: number) {
    this.#marks = new Uint32Array(length)
  }

  clear(): void {
    if (++this.#now < 0xffffffff) return
    this.#marks.fill(0)
    this.#now = 1
  }

  /** Whether it was not yet in the set. */
  add(pc: number): boolean {
    if (this.#marks[pc] === this.#now) return false
    this.#marks[pc] = this.#now
    return true
  }
}

function takes(program: Program, pc: number, rune: number): boolean {
  switch (program.op[pc]) {
    case RUNE:
      return program.arg[pc] === rune
    case CLASS:
      return hasRune(program.classes[program.arg[pc]!]!, rune)
    default:
      return program.op[pc] === ANY
  }
}

/** What a step of the automaton comes to. */
const MATCHED = Symbol('matched')
const FAILED = Symbol('failed')

type Next = State | typeof MATCHED | typeof FAILED

/** Places that the threads are at, before the assertions there are looked at. */
class State {
  readonly places: Int32Array
  readonly before: number
  readonly next: (Next | undefined)[]

  constructor(places: Int32Array, before: number, width: number) {
    this.places = places
    this.before = before
    this.next = new Array<Next | undefined>(width).fill(undefined)
  }
}

/** Classes of characters that a program tells apart; with more than this there is no table. */
const MAX_CLASSES = 1024
/** In words of memory, for one program and for all. */
const MAX_OWN_WORDS = 1_500_000
const MAX_ALL_WORDS = 6_000_000
const STATE_WORDS = 40
/** States are worth their making when they last for so many characters. */
const MIN_LIFE = 8000

/** Automata with states, for giving their memory back. */
const keepers = new Set<Automaton>()
let allWords = 0

/** The states of a program, made lazily. */
export class Automaton {
  readonly program: Program
  readonly #bounds: Int32Array | undefined
  readonly #latin: Uint16Array
  readonly #seen: Marks
  readonly #queued: Marks
  readonly #stack: Int32Array
  #states = new Map<number, State[]>()
  #words = 0
  /** How often the states were thrown away. */
  generation = 0
  /** Where the threads are after the last step, and how many. */
  places: Int32Array
  count = 0
  steps = 0

  constructor(program: Program) {
    this.program = program
    this.#bounds = boundsOf(program)
    this.#latin = Uint16Array.from({ length: 256 }, (_, rune) => this.#search(rune))
    this.#seen = new Marks(program.length)
    this.#queued = new Marks(program.length)
    this.#stack = new Int32Array(program.length + 1)
    this.places = new Int32Array(program.length + 1)
  }

  get hasTable(): boolean {
    return this.#bounds !== undefined
  }

  get #width(): number {
    return this.#bounds!.length + 2
  }

  classOf(rune: number): number {
    if (rune === END) return this.#bounds!.length + 1
    return rune < 256 ? this.#latin[rune]! : this.#search(rune)
  }

  #search(rune: number): number {
    const bounds = this.#bounds
    let low = 0
    let high = bounds?.length ?? 0
    while (low < high) {
      const middle = (low + high) >> 1
      if (bounds![middle]! <= rune) low = middle + 1
      else high = middle
    }
    return low
  }

  start(): State {
    this.places[0] = this.program.start
    this.count = 1
    return this.intern(EDGE)
  }

  /** Where the threads are after a character, into `places`: undefined when they are there, else the end. */
  move(
    from: Int32Array,
    context: { count: number; before: number; rune: number },
  ): typeof MATCHED | typeof FAILED | undefined {
    const { op, out, arg, start, hasAssertions, isAnchored } = this.program
    const { rune } = context
    const holds = hasAssertions ? conditions(context.before, kindOf(rune)) : 0
    const stack = this.#stack
    const { places } = this
    this.#seen.clear()
    this.#queued.clear()
    let count = 0
    for (let i = 0; i < context.count; i++) {
      let depth = 0
      stack[depth++] = from[i]!
      while (depth > 0) {
        let pc = stack[--depth]!
        for (; this.#seen.add(pc); pc = out[pc]!) {
          this.steps++
          if (op[pc] === ALT) stack[depth++] = arg[pc]!
          else if (op[pc] === ASSERT) {
            if ((arg[pc]! & ~holds) !== 0) break
          } else if (op[pc] === MATCH) return MATCHED
          else {
            if (rune !== END && takes(this.program, pc, rune) && this.#queued.add(out[pc]!)) places[count++] = out[pc]!
            break
          }
        }
      }
    }
    if (rune === END) return FAILED
    if (!isAnchored && this.#queued.add(start)) places[count++] = start
    this.count = count
    return count === 0 ? FAILED : undefined
  }

  /** The state with the places of the last move. */
  intern(before: number): State {
    const kind = this.program.hasAssertions ? before : OTHER
    const { places, count } = this
    let hash = kind
    for (let i = 0; i < count; i++) hash = Math.imul(hash ^ places[i]!, 0x01000193) ^ (hash >>> 15)
    const alike = this.#states.get(hash)
    const known = alike?.find((state) => state.before === kind && isSame(state.places, places, count))
    if (known !== undefined) return known
    const words = count + this.#width + STATE_WORDS
    this.#makeRoom(words)
    const state = new State(places.slice(0, count), kind, this.#width)
    const kept = this.#states.get(hash)
    if (kept === undefined) this.#states.set(hash, [state])
    else kept.push(state)
    this.#words += words
    allWords += words
    keepers.add(this)
    return state
  }

  #makeRoom(words: number): void {
    if (this.#words + words > MAX_OWN_WORDS) this.forget()
    if (allWords + words > MAX_ALL_WORDS) for (const keeper of keepers) keeper.forget()
  }

  forget(): void {
    this.#states = new Map()
    allWords -= this.#words
    this.#words = 0
    this.generation++
    keepers.delete(this)
  }
}

function isSame(kept: Int32Array, places: Int32Array, count: number): boolean {
  if (kept.length !== count) return false
  for (let i = 0; i < count; i++) if (kept[i] !== places[i]) return false
  return true
}

/** Where one class of characters ends and the next begins: undefined when there are too many. */
function boundsOf({ op, arg, classes, length, hasAssertions }: Program): Int32Array | undefined {
  const bounds = new Set<number>()
  const add = (lo: number, hi: number): void => {
    bounds.add(lo)
    bounds.add(hi + 1)
  }
  for (let pc = 0; pc < length && bounds.size <= MAX_CLASSES; pc++) if (op[pc] === RUNE) add(arg[pc]!, arg[pc]!)
  for (const ranges of classes) {
    if (bounds.size + ranges.length > 2 * MAX_CLASSES) return undefined
    addRanges(ranges, add)
  }
  if (hasAssertions) addRanges([0x0a, 0x0a, 0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a], add)
  bounds.delete(0)
  return bounds.size > MAX_CLASSES ? undefined : Int32Array.from(bounds).sort()
}

function addRanges(ranges: Ranges, add: (lo: number, hi: number) => void): void {
  for (let i = 0; i < ranges.length; i += 2) add(ranges[i]!, ranges[i + 1]!)
}

/** Whether a program matches anywhere in a text. */
export class TestSearch {
  readonly #automaton: Automaton
  readonly #text: string
  #at = 0
  #state: State | undefined
  #generation: number
  /** Where the states were last thrown away. */
  #forgotten = 0
  /** The threads themselves, once states are not worth their making. */
  #places: Int32Array | undefined
  #count = 0
  #before = EDGE
  matches = false
  /** What the last run took. */
  steps = 0

  constructor(automaton: Automaton, text: string) {
    this.#automaton = automaton
    this.#text = text
    this.#generation = automaton.generation
    if (automaton.hasTable) this.#state = automaton.start()
    else this.#goOnWith(Int32Array.of(automaton.program.start), EDGE)
  }

  /** Takes so many steps at most; true at the end. */
  run(steps: number): boolean {
    const automaton = this.#automaton
    const from = this.#at
    automaton.steps = 0
    let isOver = false
    while (!isOver && automaton.steps < steps) {
      isOver = this.#state !== undefined ? this.#runTable(steps, this.#state) : this.#runThreads(steps)
    }
    this.steps = Math.max(automaton.steps, this.#at - from)
    return isOver
  }

  /** Goes over the text by the table: true at the end, false when there is no more table or the steps are used up. */
  #runTable(steps: number, begin: State): boolean {
    const automaton = this.#automaton
    const text = this.#text
    let state = begin
    for (let left = steps - automaton.steps; left > 0; left--) {
      const rune = runeAt(text, this.#at)
      const index = automaton.classOf(rune)
      const known = state.next[index] ?? this.#make(state, rune, index)
      if (known === MATCHED || known === FAILED) {
        this.matches = known === MATCHED
        return true
      }
      this.#at += rune > 0xffff ? 2 : 1
      this.#state = state = known
      if (automaton.steps >= steps) return false
      if (automaton.generation !== this.#generation) {
        this.#state = this.#afterForgetting(state)
        return false
      }
    }
    automaton.steps = steps
    return false
  }

  #make(state: State, rune: number, index: number): Next {
    const automaton = this.#automaton
    const { places, before } = state
    const next = automaton.move(places, { count: places.length, before, rune }) ?? automaton.intern(kindOf(rune))
    state.next[index] = next
    return next
  }

  /** The same state among the new ones; undefined when states are thrown away almost as fast as they are made. */
  #afterForgetting({ places, before }: State): State | undefined {
    const automaton = this.#automaton
    this.#generation = automaton.generation
    const since = this.#at - this.#forgotten
    this.#forgotten = this.#at
    if (since < MIN_LIFE) {
      this.#goOnWith(places, before)
      return undefined
    }
    automaton.places.set(places)
    automaton.count = places.length
    return automaton.intern(before)
  }

  #goOnWith(places: Int32Array, before: number): void {
    this.#places = new Int32Array(this.#automaton.program.length + 1)
    this.#places.set(places)
    this.#count = places.length
    this.#before = before
  }

  #runThreads(steps: number): boolean {
    const automaton = this.#automaton
    while (automaton.steps < steps) {
      const rune = runeAt(this.#text, this.#at)
      automaton.steps++
      const end = automaton.move(this.#places!, { count: this.#count, before: this.#before, rune })
      if (end !== undefined) {
        this.matches = end === MATCHED
        return true
      }
      const { places } = automaton
      automaton.places = this.#places!
      this.#places = places
      this.#count = automaton.count
      this.#before = kindOf(rune)
      this.#at += rune > 0xffff ? 2 : 1
    }
    return false
  }
}

/** Threads in the order of their priority, each with the place in the text at which it began. */
interface Threads {
  readonly places: Int32Array
  readonly begins: Int32Array
  count: number
}

const noThreads = (length: number): Threads => ({
  places: new Int32Array(length),
  begins: new Int32Array(length),
  count: 0,
})

/** Where a program first matches from a place on: of matches there, the one that a backtracking search finds first. */
export class FindSearch {
  readonly #program: Program
  readonly #text: string
  readonly #seen: Marks
  readonly #stack: Int32Array
  #now: Threads
  #next: Threads
  #at: number
  /** What the last run took. */
  steps = 0
  start = -1
  end = -1

  constructor(program: Program, text: string, from: number) {
    this.#program = program
    this.#text = text
    this.#seen = new Marks(program.length)
    this.#stack = new Int32Array(program.length + 1)
    this.#now = noThreads(program.length)
    this.#next = noThreads(program.length)
    this.#at = from
    this.#seen.clear()
    this.#begin()
  }

  /** Takes so many steps at most; true at the end. */
  run(steps: number): boolean {
    this.steps = 0
    while (this.steps < steps) if (this.#advance()) return true
    return false
  }

  /** A thread that begins here comes after all others. */
  #begin(): void {
    const holds = conditions(kindBefore(this.#text, this.#at), kindOf(runeAt(this.#text, this.#at)))
    this.#add(this.#now, this.#program.start, { begin: this.#at, holds })
  }

  #advance(): boolean {
    const rune = runeAt(this.#text, this.#at)
    const width = rune > 0xffff ? 2 : 1
    const after = rune === END ? EDGE : kindOf(runeAt(this.#text, this.#at + width))
    const holds = conditions(kindOf(rune), after)
    const { places, begins, count } = this.#now
    this.steps++
    this.#seen.clear()
    this.#next.count = 0
    for (let i = 0; i < count; i++) {
      const pc = places[i]!
      this.steps++
      if (this.#program.op[pc] === MATCH) {
        this.start = begins[i]!
        this.end = this.#at
        break
      }
      if (rune !== END && takes(this.#program, pc, rune)) {
        this.#add(this.#next, this.#program.out[pc]!, { begin: begins[i]!, holds })
      }
    }
    const isFound = this.start >= 0
    if (this.#program.isAnchored && this.#next.count === 0) return true
    if (rune === END || (isFound && this.#next.count === 0)) return true
    ;[this.#now, this.#next] = [this.#next, this.#now]
    this.#at += width
    if (!isFound) this.#begin()
    return false
  }

  #add(threads: Threads, from: number, { begin, holds }: { begin: number; holds: number }): void {
    const { op, out, arg } = this.#program
    const stack = this.#stack
    let depth = 0
    stack[depth++] = from
    while (depth > 0) {
      let pc = stack[--depth]!
      for (; this.#seen.add(pc); pc = out[pc]!) {
        this.steps++
        if (op[pc] === ALT) stack[depth++] = arg[pc]!
        else if (op[pc] === ASSERT) {
          if ((arg[pc]! & ~holds) !== 0) break
        } else {
          threads.places[threads.count] = pc
          threads.begins[threads.count++] = begin
          break
        }
      }
    }
  }
}
