/**
 * What a call costs when it runs, by function, overload and the sizes of what goes in. Most calls cost one; those that
 * go over text or lists cost in proportion.
 */
import type { Work } from './evaluation.ts'
import { WORK } from './evaluation.ts'
import type { Value } from './values.ts'
import { Bytes, Optional, sizeOf } from './values.ts'

export const LIST_COST = 10
export const MAP_COST = 30
export const STRUCT_COST = 40
/** For each character of a text that is gone over once. */
export const TRAVERSAL = 0.1
/** For each character of a pattern. */
export const PATTERN = 0.25

export interface CallCost {
  /** The same for all arguments. */
  readonly fixed?: number
  /** Finding out may be work of its own. */
  readonly of: (a: Value, b: Value, work: Work) => number
}

const fixed = (cost: number): CallCost => ({ fixed: cost, of: () => cost })
const ONE = fixed(1)

/** The size of a value, one for a value without. */
const size = (value: Value): number => (value === undefined ? 1 : (sizeOf(value) ?? 1))

/** As `size`, but of an optional the size of what it holds. */
function operandSize(value: Value): number {
  if (value instanceof Optional) return value.value === undefined ? 1 : operandSize(value.value)
  return size(value)
}

const traversal = (length: number, factor = TRAVERSAL): number => Math.ceil(length * factor)
const first = (factor = TRAVERSAL): CallCost => ({ of: (a) => traversal(size(a), factor) })
const firstOperand: CallCost = { of: (a) => traversal(operandSize(a)) }
const smaller: CallCost = { of: (a, b) => traversal(smallerSize(a, b)) }

/** A text that is surely the longer one is not counted. */
function smallerSize(a: Value, b: Value): number {
  if (typeof a !== 'string' || typeof b !== 'string') return Math.min(operandSize(a), operandSize(b))
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  const count = size(short)
  return long.length >= 2 * count ? count : Math.min(count, size(long))
}
const matching: CallCost = { of: (a, b) => traversal(1 + size(a)) * traversal(size(b), PATTERN) }
const sets = (factor: number): CallCost => ({ of: (a, b) => 1 + Math.trunc(size(a) * size(b) * factor) })

/** Equality of the libraries' values costs one. */
const equality: CallCost = {
  of: (a, b) => (typeof a === 'object' && a !== null && a.kind === 'opaque' ? 1 : traversal(smallerSize(a, b))),
}

/** The size of the text that joining makes, which is known without making it; one where it makes none. */
function joinedSize(list: Value, separator: Value, work: Work): number {
  if (typeof list !== 'object' || list?.kind !== 'list') return 1
  if (separator !== undefined && typeof separator !== 'string') return 1
  work.work(list.length * WORK.part)
  let total = Math.max(0, list.length - 1) * (separator === undefined ? 0 : size(separator))
  for (let i = 0; i < list.length; i++) {
    const item = list.at(i)
    if (typeof item !== 'string') return 1
    total += size(item)
  }
  return total
}

const LIST_WORK: CallCost = { of: (a, _, work) => wholeTraversal(a, work) }

/** Going over everything in a value once. */
function wholeTraversal(value: Value, work: Work): number {
  if (typeof value === 'string') return Math.trunc(Buffer.byteLength(value) * TRAVERSAL)
  if (value instanceof Bytes) return Math.trunc(value.data.length * TRAVERSAL)
  if (typeof value !== 'object' || value === null) return 1
  let total = 0
  if (value.kind === 'list') {
    work.work(value.length * WORK.visited)
    for (let i = 0; i < value.length; i++) total += wholeTraversal(value.at(i), work)
    return total
  }
  if (value.kind !== 'map') return 1
  work.work(value.size * WORK.member)
  for (const key of value.keys()) total += wholeTraversal(key, work) + wholeTraversal(value.find(key)!, work)
  return total
}

/** Parsing the selector and making its requirements. */
export const SELECTOR_REQUIREMENTS = 0.5
const selector: CallCost = {
  of: (_, b) =>
    LIST_COST + traversal(size(b)) + traversal(traversal(size(b), SELECTOR_REQUIREMENTS), LIST_COST + STRUCT_COST),
}

const containsAddress = (overload: string): CallCost => ({
  of: (a, b) => traversal(2 * size(a)) + (overload === 'cidr_contains_ip_string' ? traversal(size(b)) : 0),
})

const containsNetwork = (overload: string): CallCost => ({
  of: (a, b) =>
    traversal(2 * size(a)) +
    traversal(size(a)) +
    1 +
    (overload === 'cidr_contains_cidr_string' ? traversal(size(b)) : 0),
})

/** The size of a named format's pattern. */
const validation: CallCost = {
  of: (a, b) => {
    const patternSize = (a as { patternSize?: number } | null)?.patternSize
    return patternSize === undefined ? 1 : traversal(1 + size(b)) * traversal(patternSize, PATTERN)
  },
}

const AUTHORIZATION = 350_000

/** A call that makes a list; what depends on its size is charged by the function. */
const madeList = fixed(1 + LIST_COST)

/** The items of a list are compared with one another. */
function selfComparison(list: Value): number {
  const count = size(list)
  const first = count > 0 && typeof list === 'object' && list?.kind === 'list' ? list.at(0) : undefined
  const isText = typeof first === 'string' || first instanceof Bytes
  return Math.trunc(count * count * (isText ? 2 + TRAVERSAL : 2)) + 1 + LIST_COST
}

const sorting: CallCost = { of: (a) => selfComparison(a) }
const sortingByKeys: CallCost = { of: (_, b) => selfComparison(b) }
const comparableNames = 'int uint double bool google.protobuf.Duration google.protobuf.Timestamp string bytes'.split(
  ' ',
)

/** Functions whose price is the same for all their overloads. */
const BY_FUNCTION: Readonly<Record<string, CallCost>> = {
  check: fixed(AUTHORIZATION),
  fieldSelector: selector,
  labelSelector: selector,
  isSorted: LIST_WORK,
  sum: LIST_WORK,
  max: LIST_WORK,
  min: LIST_WORK,
  indexOf: LIST_WORK,
  lastIndexOf: LIST_WORK,
  url: first(),
  lowerAscii: first(),
  upperAscii: first(),
  substring: first(),
  trim: first(),
  'jsonpatch.escapeKey': first(),
  replace: first(2 * TRAVERSAL),
  split: first(2 * TRAVERSAL),
  join: { of: (a, b, work) => traversal(joinedSize(a, b, work), 2 * TRAVERSAL) },
  find: matching,
  findAll: matching,
  cidr: first(),
  isIP: first(),
  isCIDR: first(),
  'ip.isCanonical': first(2 * TRAVERSAL),
  quantity: first(),
  isQuantity: first(),
  semver: first(),
  isSemver: first(),
  validate: validation,
  '_==_': equality,
}

const BY_OVERLOAD: Readonly<Record<string, CallCost>> = {
  starts_with_string: firstOperand,
  ends_with_string: firstOperand,
  string_to_bytes: firstOperand,
  bytes_to_string: firstOperand,
  strings_quote: firstOperand,
  string_format: firstOperand,
  in_list: { of: (_, b) => operandSize(b) },
  less_string: smaller,
  greater_string: smaller,
  less_equals_string: smaller,
  greater_equals_string: smaller,
  less_bytes: smaller,
  greater_bytes: smaller,
  less_equals_bytes: smaller,
  greater_equals_bytes: smaller,
  not_equals: smaller,
  add_string: { of: (a, b) => traversal(operandSize(a) + operandSize(b)) },
  add_bytes: { of: (a, b) => traversal(operandSize(a) + operandSize(b)) },
  matches_string: matching,
  contains_string: { of: (a, b) => traversal(operandSize(a)) * traversal(operandSize(b)) },
  list_sets_contains_list: sets(1),
  list_sets_intersects_list: sets(1),
  list_sets_equivalent_list: sets(2),
  list_slice: madeList,
  lists_range: madeList,
  list_reverse: madeList,
  list_flatten: { of: (a) => size(a) + 1 + LIST_COST },
  list_flatten_int: { of: (a, b) => Math.max(0, Number(b)) * size(a) + 1 + LIST_COST },
  list_distinct: sorting,
  ...Object.fromEntries(
    comparableNames.flatMap((name) => [
      [`list_${name}_sort`, sorting],
      [`list_${name}_sortByAssociatedKeys`, sortingByKeys],
    ]),
  ),
}

/** `overload` is empty where the call is resolved at run time. */
export function callCost(name: string, overload: string): CallCost {
  if (name === 'ip') return overload === 'cidr_ip' ? ONE : first()
  if (name === 'containsIP') return containsAddress(overload)
  if (name === 'containsCIDR') return containsNetwork(overload)
  if (name === '_!=_') return smaller
  if (Object.hasOwn(BY_FUNCTION, name)) return BY_FUNCTION[name]!
  return Object.hasOwn(BY_OVERLOAD, overload) ? BY_OVERLOAD[overload]! : ONE
}
