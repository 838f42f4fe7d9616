// A tally of the changes that the `changes` table must hold: the sum, modulo 2^32, of a hash of each revision up to one. Every change is
// written with the tally of all that were durable before its group, every removal with that of all that were removed; so what is read when
// the store is opened can be compared with what must be there. A page that the disk lost, or that is an old one, does not go unnoticed.
// The newest group is left out: a commit that failed may have left a part of it, which was never acknowledged.

export interface Tally {
  /** All changes up to this revision … */
  readonly upTo: number
  readonly sum: number
}

export const emptyTally: Tally = { upTo: 0, sum: 0 }

/** The finalizer of MurmurHash3, over both halves of the number. */
function hash(revision: number): number {
  let value = (revision >>> 0) ^ Math.imul(Math.floor(revision / 2 ** 32) + 1, 0x9e3779b1)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}

export const addToSum = (sum: number, revision: number): number => (sum + hash(revision)) >>> 0

/** The sum of the revisions, in order, up to one. */
export function sumUpTo(revisions: readonly number[], upTo: number): number {
  let sum = 0
  for (const revision of revisions) {
    if (revision > upTo) break
    sum = addToSum(sum, revision)
  }
  return sum
}
