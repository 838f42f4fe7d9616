/** Pseudo-random choices from a seed (xorshift32): the same seed makes the same choices on every machine. */

export interface Random {
  /** An integer from 0 to below `bound`. */
  below(bound: number): number
  /** True with this probability. */
  chance(probability: number): boolean
  pick<T>(choices: readonly T[]): T
  /** An independent generator, so that one consumer's draws do not shift another's. */
  fork(): Random
}

export function seededRandom(seed: number): Random {
  let state = scramble(seed)
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
  const below = (bound: number): number => Math.floor((next() / 2 ** 32) * bound)
  return {
    below,
    chance: (probability) => next() / 2 ** 32 < probability,
    pick: <T>(choices: readonly T[]) => choices[below(choices.length)] as T,
    fork: () => seededRandom(next()),
  }
}

/** Neighbouring seeds must not begin alike, and xorshift must not begin with 0. */
function scramble(seed: number): number {
  let hash = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0 || 1
}
