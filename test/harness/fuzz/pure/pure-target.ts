/**
 * A layer that is called directly, without a server: a function of bytes. It returns what a client would be told, and throws
 * errors of the product's own; anything else that it throws is a finding, and so is a call that takes too long.
 */

export interface PureTarget {
  readonly name: string
  /** Valid inputs to begin with. */
  readonly seeds: readonly Buffer[]
  /** Words that inputs are made of; they are put in whole. */
  readonly words?: readonly string[]
  /** It runs before there is a server to be kept waiting: how long it takes does not count. */
  readonly isBeforeStart?: boolean
  /** Returns or throws in words; long work is done in `steps`, each of which is measured. */
  readonly run: (bytes: Buffer, steps: StepRunner) => string
}

/** Takes work that gives way to its end, and notes the longest time between two steps. */
export type StepRunner = <T>(steps: Iterator<unknown, T>) => T

const engineErrors = new Set([
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'URIError',
  'EvalError',
  'AggregateError',
  'InternalError',
])

/** Whether an error is one of the engine, or of nobody: those of the product have classes of their own. */
export function isForeign(error: unknown): boolean {
  if (!(error instanceof Error)) return true
  const { name } = error.constructor
  const isOfNode = /^ERR_/.test(String((error as NodeJS.ErrnoException).code))
  return isOfNode || name === 'Error' || engineErrors.has(name) || engineErrors.has(error.name)
}

export const bytesOf = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text))
