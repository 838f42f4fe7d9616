/**
 * Running a program over a text, a bounded number of steps at a time. Whether it matches is decided by an automaton whose
 * states are made when they are first reached and kept within a bound; where it matches, by going over the text with all
 * threads at once. Both take time linear in the text, whatever the expression.
 */

import { type Automaton, type DfaState, type DfaStep, FAILED, MATCHED, matchesRune } from './automaton.ts'
import { Marks } from './marks.ts'
import { ALT, ASSERT, MATCH, type RegexpProgram } from './program.ts'
import { conditions, EDGE, END, kindBefore, neighbourKind, runeAt } from './text-position.ts'

/** States are worth their making when they last for so many characters. */
const MIN_LIFE = 8000

/** Whether a program matches anywhere in a text. */
export class TestSearch {
  readonly #automaton: Automaton
  readonly #text: string
  #at = 0
  #state: DfaState | undefined
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
  #runTable(steps: number, begin: DfaState): boolean {
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

  #make(state: DfaState, rune: number, index: number): DfaStep {
    const automaton = this.#automaton
    const { places, before } = state
    const next = automaton.move(places, { count: places.length, before, rune }) ?? automaton.intern(neighbourKind(rune))
    state.next[index] = next
    return next
  }

  /** The same state among the new ones; undefined when states are thrown away almost as fast as they are made. */
  #afterForgetting({ places, before }: DfaState): DfaState | undefined {
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
      this.#before = neighbourKind(rune)
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
  readonly #program: RegexpProgram
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

  constructor(program: RegexpProgram, text: string, from: number) {
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
    const holds = conditions(kindBefore(this.#text, this.#at), neighbourKind(runeAt(this.#text, this.#at)))
    this.#add(this.#now, this.#program.start, { begin: this.#at, holds })
  }

  #advance(): boolean {
    const rune = runeAt(this.#text, this.#at)
    const width = rune > 0xffff ? 2 : 1
    const after = rune === END ? EDGE : neighbourKind(runeAt(this.#text, this.#at + width))
    const holds = conditions(neighbourKind(rune), after)
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
      if (rune !== END && matchesRune(this.#program, pc, rune)) {
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
