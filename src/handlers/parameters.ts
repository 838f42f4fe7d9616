/** Query parameters as the reference decodes them into its option types: flags, integers, and their error texts. */
import { quote } from '../api/golang/quote.ts'
import type { QueryParameters } from '../api/query-parameters.ts'
import { badRequest } from '../api/status-error.ts'

/** Absent: undefined. Present without a value: true. `0` and `false`: false. Anything else: true. */
export function flag(query: QueryParameters, name: string): boolean | undefined {
  const value = query.get(name)?.toLowerCase()
  return value === undefined ? undefined : value !== '0' && value !== 'false'
}

/** A decimal integer; an empty value is none. */
export function integerParameter(query: QueryParameters, name: string): number | undefined {
  const value = query.get(name)
  if (value === undefined) return undefined
  if (!/^[+-]?\d+$/.test(value)) throw badRequest(`strconv.ParseInt: parsing ${quote(value)}: invalid syntax`)
  const number = BigInt(value)
  if (number > 2n ** 63n - 1n || number < -(2n ** 63n)) {
    throw badRequest(`strconv.ParseInt: parsing ${quote(value)}: value out of range`)
  }
  return Number(number)
}
