/** One input of the fuzz, whatever it is thrown at: something that can be run, named and run again. */

export interface FuzzInput {
  /** Which generator made it. */
  readonly family: string
  /** Enough to repeat it by hand. */
  readonly show: () => string
  /** Resolves to what was told of the input in words; throws what no error of the product's own is. */
  readonly run: () => Promise<string>
}

/** Makes inputs for one target, and lets go of what it holds. */
export interface InputSource {
  next(): FuzzInput
  close?(): Promise<void>
}
