/** Where the simulation differs from the reference on purpose, or by chance of time. What no rule explains is a fault. */
import type { Place } from '../differential/compare.ts'

export interface Difference {
  readonly scenario: string
  readonly place: Place
}

export interface KnownDifference {
  readonly name: string
  readonly reason: string
  readonly matches: (difference: Difference) => boolean
}

export const knownDifferences: readonly KnownDifference[] = []

export const explanationOf = (difference: Difference): KnownDifference | undefined =>
  knownDifferences.find(({ matches }) => matches(difference))
