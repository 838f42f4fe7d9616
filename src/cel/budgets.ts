/** How much expressions may cost, and what to say when they would cost more. */
import type { DeclaredType } from './declared-type.ts'
import { MAX, smaller } from './ranges.ts'

/** All expressions of one policy binding, or all rules of one object. */
export const RUNTIME_BUDGET = 10_000_000
/** All match conditions of one webhook or policy. */
export const MATCH_CONDITIONS_BUDGET = 2_500_000
/** The estimate of one rule of a custom resource. */
export const RULE_ESTIMATE_LIMIT = 10_000_000n
/** The estimates of all rules of a custom resource together. */
export const DEFINITION_ESTIMATE_LIMIT = 100_000_000n

const MAX_REQUEST = 3 * 1024 * 1024

/** How often a value of the type can occur in a request. */
export const maxCardinality = (type: DeclaredType): bigint => BigInt(Math.floor(MAX_REQUEST / (type.minSize + 1)))

/** The product, the largest number instead of an overflow. */
export function multiplyCost(a: bigint, b: bigint): bigint {
  return smaller(a * b, MAX)
}

/** `what` is such as `estimated rule cost`. */
export function exceedsBudgetMessage(what: string, cost: bigint, limit: bigint): string {
  const factor = Number(cost) / Number(limit)
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`
  return `${what} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`
}
