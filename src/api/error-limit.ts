/**
 * A bound on what validation finds. A body of 3 MiB can break rules several hundred thousand times, an answer has room for some
 * thousand errors: rules that have found more than `maxErrors` are not run to their end, and what they found so far counts.
 *
 * What counts is the making of an error, so that rules need not look after it. Rules that try something and drop what they found (did
 * the old object break this rule, too?) do so in a scope of their own, by `hasErrors` or `uncounted`.
 *
 * The scope is a variable of the module: rules are synchronous, or generators that are left between two steps.
 */
import type { Steps } from '../lib/in-turns.ts'
import type { FieldError } from './field-error.ts'

/** More than an answer shows: the shortest error takes 30 of its 128 KiB of text. */
export const maxErrors = 5_000

interface Scope {
  readonly found: FieldError[]
  readonly limit: number
}

let current: Scope | undefined

/** Thrown to leave rules on purpose, and caught by what runs them. Whoever catches the failures of rules lets it pass. */
export class RulesExit extends Error {}

/** Ends the rules that made one error too many; never leaves the scope. */
const limitReached = new RulesExit('more errors than are looked for')

let observer: ((error: FieldError) => void) | undefined

/** For tests: `observe` is told of every error as it is made, by whoever makes it. Without one, nobody is any more. */
export function observeErrors(observe?: (error: FieldError) => void): void {
  observer = observe
}

/** For whatever makes errors: may throw, to end the rules. */
export function noteError(error: FieldError): void {
  observer?.(error)
  if (current !== undefined && current.found.push(error) > current.limit) throw limitReached
}

function within<T>(scope: Scope, run: () => T): T {
  const outer = current
  current = scope
  try {
    return run()
  } finally {
    current = outer
  }
}

/** What the rules return; the errors that they made where those were too many. */
export function limitErrors(rules: () => FieldError[]): FieldError[] {
  const scope = { found: [], limit: maxErrors }
  try {
    return within(scope, rules)
  } catch (error) {
    if (error === limitReached) return scope.found
    throw error
  }
}

/** The same of rules in steps. */
export function* limitErrorsOf(rules: Steps<FieldError[]>): Steps<FieldError[]> {
  const scope = { found: [], limit: maxErrors }
  try {
    for (;;) {
      const step = within(scope, () => rules.next())
      if (step.done === true) return step.value
      yield
    }
  } catch (error) {
    if (error === limitReached) return scope.found
    throw error
  }
}

/** Rules in steps that make errors and drop them (each branch of an `anyOf`): these do not count. */
export function* uncounted<T>(rules: Steps<T>): Steps<T> {
  const scope = { found: [], limit: Number.POSITIVE_INFINITY }
  for (;;) {
    scope.found.length = 0
    const step = within(scope, () => rules.next())
    if (step.done === true) return step.value
    yield
  }
}

/** What one part of the rules made, run apart from the rest: `replayErrors` counts it where the part belongs. */
export interface ErrorRecord {
  readonly found: readonly FieldError[]
  within<T>(run: () => T): T
  /** Whether it is what `run` throws when the part made more errors than the rules around it may. */
  isLimit(error: unknown): boolean
}

/** For a part of the rules that runs now or later, as it would run in this place. */
export function recordErrors(): ErrorRecord {
  const found: FieldError[] = []
  const scope = current === undefined ? undefined : { found, limit: current.limit - current.found.length }
  return {
    found,
    within: (run) => (scope === undefined ? run() : within(scope, run)),
    isLimit: (error) => error === limitReached,
  }
}

/** Ends the rules where the part would have ended them. */
export function replayErrors(found: readonly FieldError[]): void {
  for (const error of found) noteError(error)
}

/** Whether the rules make any error; they end at the first one. Only for rules that report every error that they make. */
export function hasErrors(rules: () => FieldError[]): boolean {
  try {
    return within({ found: [], limit: 0 }, rules).length > 0
  } catch (error) {
    if (error === limitReached) return true
    throw error
  }
}
