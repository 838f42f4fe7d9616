/**
 * Memoization by identity: the one module that holds on to what was computed from an object. All keys are held weakly, so that every
 * memo is bounded by the objects that live.
 *
 *   memoize      a pure function of an immutable object
 *   memoizeWith  the same with one more input
 *   compileOnce  what is made of an immutable description, such as a schema: functions and instances, which cannot be compared
 *   Verdicts     immutable objects that passed a check, under the inputs that the check depends on besides
 *   SideTable    no memo, but a property of an object that is kept beside it: the deadline state of a request, say
 *
 * Invariant: a hit equals what computing it again would give. `PILOTHOUSE_CHECK_MEMOS=1` holds every memo to that: each hit computes
 * again and throws on a difference, and keys and values are deeply frozen, so that a mutation throws where it happens.
 */
import { isDeepStrictEqual } from 'node:util'

/** Whether hits are computed again. The tests of CI run so. */
export const checksMemos = globalThis.process?.env['PILOTHOUSE_CHECK_MEMOS'] === '1'

export class MemoError extends Error {
  override readonly name = 'MemoError'
  constructor(memo: string, known: unknown, computed: unknown) {
    super(`the memo ${memo} is stale: it has ${shown(known)}, and would now be ${shown(computed)}`)
  }
}

export interface MemoCounts {
  readonly name: string
  hits: number
  misses: number
}

const counted = new Map<string, MemoCounts>()

/** How often each memo was hit and missed in this process. */
export const memoCounts = (): readonly MemoCounts[] => [...counted.values()]

/** Memoizes a pure function of an immutable object. */
export function memoize<K extends object, V>(name: string, compute: (key: K) => V): (key: K) => V {
  return remembering(name, compute, (known, key) => verifyEqual(name, known, compute(key)))
}

/**
 * The same for a function that depends on one more input, which is compared by identity: of an object the value under the latest input
 * is held.
 */
export function memoizeWith<K extends object, I, V>(
  name: string,
  compute: (key: K, input: I) => V,
): (key: K, input: I) => V {
  const counts = countsOf(name)
  const values = new WeakMap<K, { readonly input: I; readonly value: V }>()
  return (key, input) => {
    const known = values.get(key)
    if (known === undefined || known.input !== input) {
      counts.misses++
      const value = compute(key, input)
      if (checksMemos) for (const each of [key, value]) deepFreeze(each)
      values.set(key, { input, value })
      return value
    }
    counts.hits++
    if (checksMemos) verifyEqual(name, known.value, compute(key, input))
    return known.value
  }
}

/** Makes something of an immutable description, once. */
export const compileOnce = <K extends object, V>(name: string, compile: (key: K) => V): ((key: K) => V) =>
  remembering(name, compile, () => undefined)

/** Objects that passed a check. Inputs are compared by identity; of one object the latest inputs are held. */
export class Verdicts<K extends object> {
  readonly #name: string
  readonly #counts: MemoCounts
  readonly #passed = new WeakMap<K, readonly unknown[]>()

  constructor(name: string) {
    this.#name = name
    this.#counts = countsOf(name)
  }

  /** Whether it passed under these inputs. `check` decides it again when memos are checked. */
  has(key: K, inputs: readonly unknown[], check: () => boolean): boolean {
    const known = this.#passed.get(key)
    const isHit = known?.every((input, i) => input === inputs[i]) === true
    if (isHit) this.#counts.hits++
    else this.#counts.misses++
    if (isHit && checksMemos && !check()) throw new MemoError(this.#name, true, false)
    return isHit
  }

  add(key: K, inputs: readonly unknown[]): void {
    if (checksMemos) deepFreeze(key)
    this.#passed.set(key, inputs)
  }
}

/** Properties of objects that are kept beside them. */
export class SideTable<K extends object, V> {
  readonly #values = new WeakMap<K, V>()

  get(key: K): V | undefined {
    return this.#values.get(key)
  }

  has(key: K): boolean {
    return this.#values.has(key)
  }

  set(key: K, value: V): void {
    this.#values.set(key, value)
  }

  /** Whether there was a value. */
  delete(key: K): boolean {
    return this.#values.delete(key)
  }

  /** The value, made when it is first asked for. */
  getOrMake(key: K, make: () => V): V {
    const known = this.#values.get(key)
    if (known !== undefined) return known
    const made = make()
    this.#values.set(key, made)
    return made
  }
}

function remembering<K extends object, V>(
  name: string,
  compute: (key: K) => V,
  verify: (known: V, key: K) => void,
): (key: K) => V {
  const counts = countsOf(name)
  // Undefined is what is not there: a value that is undefined has a stand-in.
  const values = new WeakMap<K, V | typeof nothing>()
  return (key) => {
    const known = values.get(key)
    if (known !== undefined) {
      counts.hits++
      const value = known === nothing ? (undefined as V) : (known as V)
      if (checksMemos) verify(value, key)
      return value
    }
    counts.misses++
    const value = compute(key)
    if (checksMemos) for (const each of [key, value]) deepFreeze(each)
    values.set(key, value === undefined ? nothing : value)
    return value
  }
}

const nothing = Symbol('undefined')

function verifyEqual(name: string, known: unknown, computed: unknown): void {
  if (!isDeepStrictEqual(known, computed)) throw new MemoError(name, known, computed)
}

function countsOf(name: string): MemoCounts {
  const known = counted.get(name)
  if (known !== undefined) return known
  const counts = { name, hits: 0, misses: 0 }
  counted.set(name, counts)
  return counts
}

/** Data alone: instances of classes look after themselves. */
export function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || !isData(value)) return
  Object.freeze(value)
  for (const key of Object.keys(value)) deepFreeze((value as Record<string, unknown>)[key])
}

function isData(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === null || prototype === Object.prototype
}

function shown(value: unknown): string {
  const text = JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? String(item) : item))
  return text === undefined ? String(value) : text.slice(0, 1000)
}
