/**
 * The contract between `npm run harness` and its modules: `test/harness/NAME.ts` exports `run`, a `HarnessRun`. A run ends
 * by itself after about the given seconds, closes everything that it opened, and is repeatable by its seed as far as the
 * scheduling of processes and sockets allows.
 */

export interface HarnessContext {
  /** How long to go on; finishing what was begun may take a little longer. */
  readonly seconds: number
  readonly seed: number
  /** Only this part of the module (`--part`); the module says which there are. */
  readonly part?: string | undefined
  /** One line for people. */
  readonly log: (line: string) => void
}

export interface HarnessFailure {
  /** The invariant that broke, in one line. */
  readonly what: string
  /** What repeats it: a request, the bytes of a file, the last lines of a log. */
  readonly detail?: string
}

export interface HarnessResult {
  /** How many checks held. */
  readonly passed: number
  readonly failed: readonly HarnessFailure[]
  /** What was measured, by name, in the order in which it is printed. */
  readonly figures: Readonly<Record<string, number | string>>
}

export type HarnessRun = (context: HarnessContext) => Promise<HarnessResult>
