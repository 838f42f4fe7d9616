/** Divides seats among priority levels in proportion to what they want, within the bounds of each. */

export interface SeatClaim {
  readonly lowest: number
  readonly highest: number
  readonly target: number
}

export interface SeatAllocation {
  /** One for each claim, in their order. */
  readonly seats: readonly number[]
  /** The share of its target that a claim gets unless one of its bounds stops it. */
  readonly fairFraction: number
}

/** Targets below this count as this: no division by zero. */
const leastTarget = 0.001
const tolerance = 1e-7

/** Undefined when the bounds do not allow it. */
export function allocateSeats(total: number, claims: readonly SeatClaim[]): SeatAllocation | undefined {
  const lowestSum = sum(claims.map(({ lowest }) => lowest))
  const highestSum = sum(claims.map(({ highest }) => highest))
  if (lowestSum - total > tolerance || total - highestSum > tolerance) return undefined
  const fairFraction = fractionFor(total, claims)
  return { seats: claims.map((claim) => granted(claim, fairFraction)), fairFraction }
}

const targetOf = ({ target }: SeatClaim): number => Math.max(target, leastTarget)

const granted = (claim: SeatClaim, fraction: number): number =>
  Math.max(claim.lowest, Math.min(claim.highest, fraction * targetOf(claim)))

/**
 * What is granted in all grows with the fraction, in straight lines between the points where a claim leaves its lower
 * bound or reaches its upper one. The fraction is found between two such points.
 */
function fractionFor(total: number, claims: readonly SeatClaim[]): number {
  const points = claims
    .flatMap((claim) => [claim.lowest / targetOf(claim), claim.highest / targetOf(claim)])
    .sort((a, b) => a - b)
  let [before = 0] = points
  let grantedBefore = sum(claims.map((claim) => granted(claim, before)))
  for (const point of points) {
    const grantedHere = sum(claims.map((claim) => granted(claim, point)))
    if (grantedHere >= total) {
      const slope = (grantedHere - grantedBefore) / (point - before)
      return slope > 0 ? before + (total - grantedBefore) / slope : point
    }
    before = point
    grantedBefore = grantedHere
  }
  return before
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
