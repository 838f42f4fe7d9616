/**
 * Rules are synchronous, as nearly all objects are small. For the few that are not, their long loops are cut into steps without the
 * rules around them being generators: a long loop that is reached leaves the rules by an exception, runs in steps, and the rules
 * begin anew; where they reach the loop again, what it came to is there. So rules that are run by `rulesInSteps` must be pure, and
 * what a loop changes outside itself is its `errors` and what it returns, nothing that is used after it.
 *
 * Without `rulesInSteps` around it a loop is just a loop. What is long is known by weights alone, not by time, so that rules reach
 * the same loops each time. A large loop within a large loop makes the outer one begin anew, too; as each has thousands of
 * values and a body a few hundred thousand, that happens some dozen times at the most.
 */
import type { Steps } from '../lib/in-turns.ts'
import { runToEnd } from '../lib/in-turns.ts'
import { pushAll } from '../lib/push-all.ts'
import { RulesExit, recordErrors, replayErrors } from './error-limit.ts'
import type { FieldError } from './field-error.ts'
import type { JsonValue } from './json.ts'
import { compareTexts, hasListedKeys, keysOf, sortedKeysOf } from './key-lists.ts'
import { sortInSteps } from './large-values.ts'

/** How many values make a loop long. */
interface Bounds {
  /** Loops over less are never left: beginning anew would cost more. */
  readonly least: number
  /** What loops may go over in one go, together. */
  readonly ofGo: number
}

/** About ten milliseconds of work in one go. */
const usualBounds: Bounds = { least: 4_000, ofGo: 16_000 }
/** What a step of a loop goes over. */
const weightOfStep = 500

/** Rules that go over what they make anew each time would be left for ever: after so many surprises they run in one go. */
const maxSurprises = 3

/** A loop that was left, known by what it goes over and by its place among those of the rules. */
interface Loop {
  readonly subject: object
  /** The loops within it. */
  readonly inner: Loop[]
  outcome?: { readonly found: readonly FieldError[]; readonly value: unknown }
}

/** One go of the rules, or of a loop. */
interface Go {
  readonly rules: Rules
  readonly loops: Loop[]
  /** The place of the next one. */
  next: number
  /** Of what was gone over since others had their turn. */
  weight: number
}

interface Rules {
  readonly bounds: Bounds
  /** How often something else was in the place of a loop than before. */
  surprises: number
}

let current: Go | undefined

/** Leaves the rules. */
class LeftLoop extends RulesExit {
  readonly run: () => Steps<void>

  constructor(run: () => Steps<void>) {
    super('a long loop is to run in steps')
    this.run = run
  }
}

function within<T>(go: Go, run: () => T): T {
  const outer = current
  current = go
  try {
    return run()
  } finally {
    current = outer
  }
}

/** What pure rules come to. */
export function* rulesInSteps<T>(rules: () => T, bounds = usualBounds): Steps<T> {
  const state: Rules = { bounds, surprises: 0 }
  const loops: Loop[] = []
  while (state.surprises < maxSurprises) {
    let left: LeftLoop
    try {
      return within({ rules: state, loops, next: 0, weight: 0 }, rules)
    } catch (error) {
      if (!(error instanceof LeftLoop)) throw error
      left = error
    }
    yield
    yield* left.run()
    yield
  }
  return rules()
}

/** What the steps come to, from within rules; `weight` is how many values they go over, and `subject` is what holds them. */
export function stepsOfRules<T>(subject: object, weight: number, make: () => Steps<T>): T {
  return current !== undefined && isLeft(current, weight) ? leave(current, subject, make) : runToEnd(make())
}

function isLeft(go: Go, weight: number): boolean {
  const { least, ofGo } = go.rules.bounds
  if (weight >= least && go.weight + weight > ofGo) return true
  go.weight += weight
  return false
}

/** The outcome of the loop where it is known. */
function leave<T>(go: Go, subject: object, make: () => Steps<T>): T {
  const { loops, rules } = go
  const place = go.next++
  let loop = loops[place]
  if (loop?.subject !== subject) {
    // Rules that took another way than before, as something was memoized meanwhile, have no use for what comes after.
    if (loop !== undefined) rules.surprises++
    loops.length = place
    loop = { subject, inner: [] }
    loops.push(loop)
  }
  if (loop.outcome === undefined) throw new LeftLoop(runOf(rules, loop, make))
  replayErrors(loop.outcome.found)
  return loop.outcome.value as T
}

function runOf<T>(rules: Rules, loop: Loop, make: () => Steps<T>): () => Steps<void> {
  const record = recordErrors()
  const { found } = record
  return function* () {
    const go: Go = { rules, loops: loop.inner, next: 0, weight: 0 }
    let inner: LeftLoop | undefined
    try {
      const steps = make()
      for (;;) {
        const step = record.within(() => within(go, () => steps.next()))
        if (step.done === true) {
          loop.outcome = { found, value: step.value }
          return
        }
        go.weight = 0
        yield
      }
    } catch (error) {
      if (error instanceof LeftLoop) inner = error
      else if (record.isLimit(error)) loop.outcome = { found, value: undefined }
      else throw error
    }
    if (inner !== undefined) yield* inner.run()
  }
}

/** Checks every item, as a loop would. `errors` (or warnings) are the check's own where the loop is long. */
export function eachItem<T, E = FieldError>(
  errors: E[],
  list: readonly T[],
  check: (errors: E[], item: T, index: number) => void,
): void {
  if (current !== undefined && isLeft(current, weightOf(list as readonly JsonValue[]))) {
    const found = leave(current, list, () => itemsInSteps(list, check))
    pushAll(errors, found)
  } else for (let i = 0; i < list.length; i++) check(errors, list[i] as T, i)
}

/** The same with something that the checks change, which is returned: the one that is used after the loop. */
export function withEachItem<T, S, E = FieldError>(
  errors: E[],
  list: readonly T[],
  make: () => S,
  check: (state: S, errors: E[], item: T, index: number) => void,
): S {
  if (current !== undefined && isLeft(current, weightOf(list as readonly JsonValue[]))) {
    const [state, found] = leave(current, list, function* (): Steps<[S, E[]]> {
      const own = make()
      return [own, yield* itemsInSteps<T, E>(list, (each, item, i) => check(own, each, item, i))]
    })
    pushAll(errors, found)
    return state
  }
  const state = make()
  for (let i = 0; i < list.length; i++) check(state, errors, list[i] as T, i)
  return state
}

/** Checks every member of a map, in the order of its keys. */
export function eachMember<T, E = FieldError>(
  errors: E[],
  map: Readonly<Record<string, T>>,
  check: (errors: E[], key: string, value: T) => void,
): void {
  const keys = keysOf(map)
  if (current !== undefined && isLeft(current, keys.length)) {
    const found = leave(current, map, () => itemsInSteps<string, E>(keys, (own, key) => check(own, key, map[key] as T)))
    pushAll(errors, found)
  } else for (const key of keys) check(errors, key, map[key] as T)
}

/** The same in the order in which Go goes over the keys where it sorts them. */
export function eachSortedMember<T>(
  errors: FieldError[],
  map: Readonly<Record<string, T>>,
  check: (errors: FieldError[], key: string, value: T) => void,
): void {
  if (current !== undefined && isLeft(current, keysOf(map).length)) {
    const found = leave(current, map, function* () {
      const keys = yield* sortInSteps([...keysOf(map)], compareTexts)
      return yield* itemsInSteps<string, FieldError>(keys, (own, key) => check(own, key, map[key] as T))
    })
    pushAll(errors, found)
  } else for (const key of sortedKeysOf(map)) check(errors, key, map[key] as T)
}

function* itemsInSteps<T, E>(list: readonly T[], check: (errors: E[], item: T, index: number) => void): Steps<E[]> {
  const errors: E[] = []
  let weight = 0
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as T
    weight += typeof item === 'object' ? weightOf(item as JsonValue, weightOfStep) : 1
    if (weight >= weightOfStep) {
      yield
      weight = 0
    }
    check(errors, item, i)
  }
  return errors
}

/** How many values there are in it, counted no further than to a long loop. */
function weightOf(value: JsonValue | readonly JsonValue[] | undefined, bound = usualBounds.ofGo): number {
  if (typeof value !== 'object' || value === null) return 1
  let weight = 1
  if (Array.isArray(value)) {
    if (value.length > bound) return value.length
    for (const item of value) {
      weight += weightOf(item, bound - weight)
      if (weight > bound) break
    }
    return weight
  }
  const map = value as Readonly<Record<string, JsonValue | undefined>>
  if (hasListedKeys(map)) return keysOf(map).length
  for (const key in map) {
    weight += weightOf(map[key], bound - weight)
    if (weight > bound) break
  }
  return weight
}
