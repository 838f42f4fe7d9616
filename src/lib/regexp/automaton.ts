/** The lazy DFA of a program: its states are made when they are first reached, and kept within a bound, for one program and for all. */

import { hasRune, type Ranges } from './char-class.ts'
import { Marks } from './marks.ts'
import { ALT, ANY_RUNE, ASSERT, CLASS, MATCH, type RegexpProgram, RUNE } from './program.ts'
import { conditions, EDGE, END, neighbourKind, OTHER } from './text-position.ts'

export function matchesRune(program: RegexpProgram, pc: number, rune: number): boolean {
  switch (program.op[pc]) {
    case RUNE:
      return program.arg[pc] === rune
    case CLASS:
      return hasRune(program.classes[program.arg[pc]!]!, rune)
    default:
      return program.op[pc] === ANY_RUNE
  }
}

/** What a step of the automaton comes to. */
export const MATCHED = Symbol('matched')
export const FAILED = Symbol('failed')

export type DfaStep = DfaState | typeof MATCHED | typeof FAILED

/** Places that the threads are at, before the assertions there are looked at. */
export class DfaState {
  readonly places: Int32Array
  readonly before: number
  readonly next: (DfaStep | undefined)[]

  constructor(places: Int32Array, before: number, width: number) {
    this.places = places
    this.before = before
    this.next = new Array<DfaStep | undefined>(width).fill(undefined)
  }
}

/** Classes of characters that a program distinguishes; with more than this there is no table. */
const MAX_CLASSES = 1024
/** In words of memory, for one program and for all. */
const MAX_OWN_WORDS = 1_500_000
const MAX_ALL_WORDS = 6_000_000
const STATE_WORDS = 40

/** Automata with states, for giving their memory back. */
const keepers = new Set<Automaton>()
let allWords = 0

/** The states of a program, made lazily. */
export class Automaton {
  readonly program: RegexpProgram
  readonly #bounds: Int32Array | undefined
  readonly #latin: Uint16Array
  readonly #seen: Marks
  readonly #queued: Marks
  readonly #stack: Int32Array
  #states = new Map<number, DfaState[]>()
  #words = 0
  /** How often the states were thrown away. */
  generation = 0
  /** Where the threads are after the last step, and how many. */
  places: Int32Array
  count = 0
  steps = 0

  constructor(program: RegexpProgram) {
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

  start(): DfaState {
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
    const holds = hasAssertions ? conditions(context.before, neighbourKind(rune)) : 0
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
            if (rune !== END && matchesRune(this.program, pc, rune) && this.#queued.add(out[pc]!))
              places[count++] = out[pc]!
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
  intern(before: number): DfaState {
    const kind = this.program.hasAssertions ? before : OTHER
    const { places, count } = this
    let hash = kind
    for (let i = 0; i < count; i++) hash = Math.imul(hash ^ places[i]!, 0x01000193) ^ (hash >>> 15)
    const alike = this.#states.get(hash)
    const known = alike?.find((state) => state.before === kind && isSame(state.places, places, count))
    if (known !== undefined) return known
    const words = count + this.#width + STATE_WORDS
    this.#makeRoom(words)
    const state = new DfaState(places.slice(0, count), kind, this.#width)
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
function boundsOf({ op, arg, classes, length, hasAssertions }: RegexpProgram): Int32Array | undefined {
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
