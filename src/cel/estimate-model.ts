/** What calls of the libraries' functions can cost, and how large what they make can become. */
import type { ExprNode } from './ast.ts'
import { maxListValues } from './library/includes.ts'
import type { Range } from './ranges.ts'
import { addRanges, fixed, MAX, multiplyRanges, scale, UNKNOWN, union } from './ranges.ts'
import { LIST_COST, PATTERN, SELECTOR_REQUIREMENTS, STRUCT_COST, TRAVERSAL } from './runtime-cost.ts'
import type { Type } from './types.ts'
import { isExactType } from './types.ts'

export interface CallEstimate {
  readonly cost: Range
  readonly resultSize?: Range
}

export interface EstimateNode {
  readonly node: ExprNode
  readonly type: Type
  readonly path: readonly string[]
  readonly size: Range | undefined
}

export interface EstimateInput {
  readonly name: string
  readonly overload: string
  readonly target: EstimateNode | undefined
  readonly args: readonly EstimateNode[]
  readonly sizeAt: (path: readonly string[]) => Range | undefined
}

const ONE = fixed(1n)
const MAX_NAME_PATTERN = 128
const MAX_FORMAT = 64n
/** The bytes of an address. */
const ADDRESS: Range = { min: 4n, max: 16n }

type Estimate = (input: EstimateInput) => CallEstimate | undefined

const sizeOf = (node: EstimateNode | undefined, input: EstimateInput): Range =>
  node?.size ?? (node && input.sizeAt(node.path)) ?? UNKNOWN

const constant =
  (cost: bigint): Estimate =>
  () => ({ cost: fixed(cost) })
const one = constant(1n)

const selector: Estimate = (input) => {
  if (input.args.length !== 1) return undefined
  const length = sizeOf(input.args[0], input)
  const requirements = scale(scale(length, SELECTOR_REQUIREMENTS), LIST_COST + STRUCT_COST)
  return { cost: addRanges(addRanges(fixed(BigInt(LIST_COST)), scale(length, TRAVERSAL)), requirements) }
}

/** Going once over a list, or over a text. */
const listWork: Estimate = (input) => {
  const { target } = input
  const size = sizeOf(target, input)
  const element = target?.type.params[0]
  if (!target || !element) return { cost: scale(size, TRAVERSAL) }
  const isText = element.kind === 'string' || element.kind === 'bytes'
  const each = isText ? addRanges(ONE, scale(elementSize(target, input), TRAVERSAL)) : ONE
  return { cost: multiplyRanges(size, each) }
}

const elementSize = (list: EstimateNode, input: EstimateInput): Range =>
  (list.path.length > 0 ? input.sizeAt([...list.path, '@items']) : undefined) ?? UNKNOWN

const argumentText =
  (factor: number, keepsSize = false): Estimate =>
  (input) => {
    const size = sizeOf(input.args[0], input)
    const cost = scale(size, factor)
    return keepsSize ? { cost, resultSize: size } : { cost }
  }

const targetText: Estimate = (input) => {
  const size = sizeOf(input.target, input)
  return { cost: scale(size, TRAVERSAL), resultSize: size }
}

const divideUp = (a: bigint, b: bigint): bigint => BigInt(Math.ceil(Number(a) / Number(b)))

const replace: Estimate = (input) => {
  const size = sizeOf(input.target, input)
  const from = sizeOf(input.args[0], input)
  const to = sizeOf(input.args[1], input)
  let maxCount: bigint
  let maxRetained = 0n
  if (from.min === 0n) {
    maxCount = size.max < MAX ? size.max + 1n : size.max
    maxRetained = size.max
  } else if (to.max <= from.min) {
    maxCount = 0n
    maxRetained = size.max
  } else {
    maxCount = divideUp(size.max, from.min)
  }
  let minCount: bigint
  let minRetained = 0n
  if (from.max === 0n) {
    minCount = size.min < MAX ? size.min + 1n : size.min
    minRetained = size.min
  } else if (from.max <= to.min) {
    minCount = 0n
    minRetained = size.min
  } else {
    minCount = divideUp(size.min, from.max)
  }
  const replaced = multiplyRanges({ min: minCount, max: maxCount }, to)
  return {
    cost: scale(size, 2 * TRAVERSAL),
    resultSize: addRanges(replaced, { min: minRetained, max: maxRetained }),
  }
}

const split: Estimate = (input) => {
  const size = sizeOf(input.target, input)
  const limit = input.args[1]?.node
  const literal =
    limit?.kind === 'literal' && typeof limit.value === 'number' ? BigInt.asUintN(64, BigInt(limit.value)) : undefined
  return { cost: scale(size, 2 * TRAVERSAL), resultSize: { min: 0n, max: literal ?? size.max } }
}

const join: Estimate = (input) => {
  const { target } = input
  const count = sizeOf(target, input)
  let size: Range = fixed(0n)
  if (target && target.type.params.length > 0) size = multiplyRanges(count, elementSize(target, input))
  if (input.args.length > 0) {
    const separators = { min: count.min > 0n ? count.min - 1n : 0n, max: count.max > 0n ? count.max - 1n : 0n }
    size = addRanges(size, multiplyRanges(sizeOf(input.args[0], input), separators))
  }
  return { cost: scale(size, TRAVERSAL), resultSize: size }
}

const find: Estimate = (input) => {
  const size = sizeOf(input.target, input)
  const text = scale(addRanges(size, ONE), TRAVERSAL)
  const pattern = scale(sizeOf(input.args[0], input), PATTERN)
  return { cost: multiplyRanges(text, pattern), resultSize: { min: 0n, max: size.max } }
}

const ip: Estimate = (input) => (input.args.length > 0 ? argumentText(TRAVERSAL)(input) : one(input))

const contains =
  (textOverload: string, base: Range): Estimate =>
  (input) =>
    input.overload === textOverload
      ? { cost: addRanges(base, scale(sizeOf(input.args[0], input), TRAVERSAL)) }
      : { cost: base }

const addressComparison = scale(addRanges(ADDRESS, ADDRESS), TRAVERSAL)
const networkComparison = addRanges(addRanges(addressComparison, scale(ADDRESS, TRAVERSAL)), ONE)

const validate: Estimate = (input) => ({
  cost: scale(scale(sizeOf(input.args[0], input), TRAVERSAL), MAX_NAME_PATTERN * PATTERN),
})

const CONSTANT_EQUALITY = new Set([
  'kubernetes.Quantity',
  'kubernetes.authorization.Authorizer',
  'kubernetes.authorization.PathCheck',
  'kubernetes.authorization.GroupCheck',
  'kubernetes.authorization.ResourceCheck',
  'kubernetes.authorization.Decision',
  'kubernetes.Semver',
  'net.IP',
  'net.CIDR',
])

/** Equality of the libraries' values; undefined for all others. */
const equality: Estimate = ({ args }) => {
  const [left, right] = args
  if (!left || !right || !isExactType(left.type, right.type)) return undefined
  const { name } = left.type
  if (CONSTANT_EQUALITY.has(name)) return { cost: ONE }
  if (name === 'kubernetes.NamedFormat') return { cost: scale({ min: 1n, max: MAX_FORMAT }, TRAVERSAL) }
  if (name !== 'kubernetes.URL') return undefined
  const size = right.size ? union(right.size, right.size) : ONE
  return { cost: scale({ min: 1n, max: size.max }, TRAVERSAL) }
}

const sets =
  (factor: number): Estimate =>
  (input) => {
    const product = multiplyRanges(sizeOf(input.args[0], input), sizeOf(input.args[1], input))
    return { cost: addRanges(scale(product, factor), ONE) }
  }

/** A list of a size, each of whose items costs as much; the size is that of the result as well. */
const madeList = (size: Range, factor: number): CallEstimate => ({
  cost: addRanges(addRanges(scale(size, factor), ONE), fixed(BigInt(LIST_COST))),
  resultSize: size,
})

function wholeNumber(node: EstimateNode | undefined, otherwise: bigint): bigint {
  if (node?.node.kind !== 'literal') return otherwise
  const { value } = node.node
  if (typeof value !== 'number' && typeof value !== 'bigint') return otherwise
  return value < 0 ? 0n : BigInt(value)
}

const slice: Estimate = (input) => {
  const end = wholeNumber(input.args[1], sizeOf(input.target, input).max)
  return madeList(fixed(BigInt.asUintN(64, end - wholeNumber(input.args[0], 0n))), 1)
}

const flatten: Estimate = (input) => {
  const depth = input.args.length === 0 ? 1n : wholeNumber(input.args[0], MAX)
  return madeList(sizeOf(input.target, input), Number(depth))
}

/** Every item is compared with every other. */
const selfComparison =
  (list: (input: EstimateInput) => EstimateNode | undefined, countsText: boolean): Estimate =>
  (input) => {
    const node = list(input)
    const size = sizeOf(node, input)
    const kind = node?.type.params[0]?.kind
    const isText = countsText && (kind === 'string' || kind === 'bytes')
    return madeList(multiplyRanges(size, size), isText ? 2 + TRAVERSAL : 2)
  }

const all = (names: string, estimate: Estimate): [string, Estimate][] =>
  names.split(' ').map((name) => [name, estimate])

const BY_FUNCTION: ReadonlyMap<string, Estimate> = new Map([
  ...all('check', constant(350_000n)),
  ...all('serviceAccount path group resource subresource namespace name allowed reason error errored', one),
  ...all('fieldSelector labelSelector', selector),
  ...all('isSorted sum max min indexOf lastIndexOf', listWork),
  ...all('url jsonpatch.escapeKey', argumentText(TRAVERSAL, true)),
  ...all('lowerAscii upperAscii substring trim', targetText),
  ['replace', replace],
  ['split', split],
  ['join', join],
  ...all('find findAll', find),
  ...all('cidr isIP isCIDR quantity isQuantity semver isSemver', argumentText(TRAVERSAL)),
  ['ip', ip],
  ['ip.isCanonical', argumentText(2 * TRAVERSAL)],
  ...all(
    'masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast',
    one,
  ),
  ['containsIP', contains('cidr_contains_ip_string', addressComparison)],
  ['containsCIDR', contains('cidr_contains_cidr_string', networkComparison)],
  ['validate', validate],
  ['format.named', one],
  ...all(
    'sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch',
    one,
  ),
  ...all('getScheme getHostname getHost getPort getEscapedPath getQuery', one),
  ['_==_', equality],
  ...all('sets.contains sets.intersects', sets(1)),
  ['sets.equivalent', sets(2)],
  ['includes', () => ({ cost: { min: 0n, max: BigInt(maxListValues) } })],
  ['slice', slice],
  ['flatten', flatten],
  ['lists.range', ({ args }) => madeList(fixed(wholeNumber(args[0], MAX)), 1)],
  ['reverse', (input) => madeList(sizeOf(input.target, input), 1)],
  ['distinct', selfComparison(({ target }) => target, false)],
  ['sort', selfComparison(({ target }) => target, true)],
  ['@sortByAssociatedKeys', selfComparison(({ args }) => args[0], true)],
])

/** Undefined for functions of the standard library. */
export function estimateCall(input: EstimateInput): CallEstimate | undefined {
  return BY_FUNCTION.get(input.name)?.(input)
}
