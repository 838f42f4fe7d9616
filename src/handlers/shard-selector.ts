/**
 * The shard of a list or watch: ranges of the hash of a field, such as
 * `shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000') || …`. The expression is parsed as CEL and never
 * evaluated. Loaded when the first request has one.
 *
 * Mirrors k8s.io/apiserver/pkg/sharding: Parse.
 * Mirrors k8s.io/apimachinery/pkg/sharding: HashField, HexLess.
 */
import { quote } from '../api/golang/quote.ts'
import { unknownError } from '../api/status-error.ts'
import type { CacheEntry } from '../cache/cache-entry.ts'
import { entryUid } from '../cache/entry-uid.ts'
import type { Shard } from '../cache/selection.ts'
import type { CallNode, ExprNode } from '../cel/ast.ts'
import { MacroTable } from '../cel/macros.ts'
import { parse } from '../cel/parser.ts'
import { Source } from '../cel/source.ts'
import { Bytes, Double, Uint, type Value } from '../cel/values.ts'

/** An unsigned number of 64 bits in two halves; 2^64, the highest bound, has a high half of 2^32. */
interface Hash {
  readonly high: number
  readonly low: number
}

interface ShardRange {
  readonly field: string
  /** As written. */
  readonly start: string
  readonly end: string
}

const fields: Readonly<Record<string, (entry: CacheEntry) => string>> = {
  'object.metadata.uid': entryUid,
  'object.metadata.namespace': ({ namespace }) => namespace,
}

/** Throws the error of a request whose selector cannot be read. */
export function parseShardSelector(text: string): Shard {
  const ranges = parseRanges(text)
  const [first] = ranges as [ShardRange, ...ShardRange[]]
  const other = ranges.find(({ field }) => field !== first.field)
  if (other !== undefined) {
    throw refused(`all shard ranges must use the same field, got ${quote(first.field)} and ${quote(other.field)}`)
  }
  const read = fields[first.field] as (entry: CacheEntry) => string
  const merged = mergeRanges(ranges)
  return {
    selector: ranges.map(({ field, start, end }) => `shardRange(${field}, '${start}', '${end}')`).join(' || '),
    holds: (entry) => isWithin(merged, hashOf(read(entry))),
  }
}

const refused = (why: string) => unknownError(`invalid shard selector: ${why}`)

/** What Go takes for white space. */
const space = '[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+'
const spaceAround = new RegExp(`^${space}|${space}$`, 'gu')

function parseRanges(text: string): ShardRange[] {
  const trimmed = text.replace(spaceAround, '')
  if (trimmed === '') throw refused('empty shard selector is not allowed; omit the parameter for unfiltered lists')
  const source = new Source(trimmed)
  const tree = parse(source, { macros: new MacroTable([]), optionalSyntax: false, escapedIdentifiers: false })
  if (tree === undefined) throw refused(`CEL parse error: ${source.issues[0]?.message ?? ''}`)
  return rangesOf(tree)
}

/** A chain of `||` is one node of any length. */
const rangesOf = (node: ExprNode): ShardRange[] =>
  node.kind === 'call' && node.name === '_||_' ? node.args.flatMap(rangesOf) : [rangeOf(node)]

function rangeOf(node: ExprNode): ShardRange {
  if (node.kind !== 'call') {
    throw refused(`unexpected expression kind ${kindNumber(node)}; expected shardRange() call or || operator`)
  }
  if (node.name !== 'shardRange') {
    throw refused(`unsupported function ${quote(node.name)}; only shardRange() and || are allowed`)
  }
  return readRange(node)
}

function readRange({ args }: CallNode): ShardRange {
  const [field, start, end] = args
  if (field === undefined || start === undefined || end === undefined || args.length !== 3) {
    throw refused(`shardRange() requires exactly 3 arguments, got ${args.length}`)
  }
  const path = fieldPath(field)
  if (!Object.hasOwn(fields, path)) {
    throw refused(`unsupported field path ${quote(path)}; supported: ${Object.keys(fields).join(', ')}`)
  }
  const range = { field: path, start: bound(start, 'hexStart'), end: bound(end, 'hexEnd') }
  if (!isLess(hashValue(range.start), hashValue(range.end))) {
    throw refused(`shard range start ${range.start} must be less than end ${range.end}`)
  }
  return range
}

function fieldPath(node: ExprNode): string {
  if (node.kind === 'ident') return node.name
  if (node.kind === 'select') return `${fieldPath(node.operand)}.${node.field}`
  const why = `expected field path (e.g. object.metadata.uid), got expression kind ${kindNumber(node)}`
  throw refused(`shardRange() first argument: ${why}`)
}

/** `0x` and 16 digits, or 2^64. */
function bound(node: ExprNode, name: string): string {
  if (node.kind !== 'literal') {
    throw refused(`${name} must be a string literal (e.g. '0xff'), got expression kind ${kindNumber(node)}`)
  }
  const { value } = node
  if (typeof value !== 'string') throw refused(`${name} must be a string literal, got ${goType(value)}`)
  if (!value.startsWith('0x')) throw refused(`${name} must have '0x' prefix, got ${quote(value)}`)
  const hex = value.slice(2)
  const length = Buffer.byteLength(hex)
  if (length === 0) throw refused(`${name}: hex value is required after '0x'`)
  if (length > 17) throw refused(`${name}: hex value too long (${length} chars, max 17): ${quote(hex)}`)
  const wrong = /[^0-9a-f]/u.exec(hex)?.[0]
  if (wrong !== undefined) throw refused(`${name}: invalid hex character ${quote(wrong)} in ${quote(value)}`)
  if (length === 17 && value !== '0x10000000000000000') {
    throw refused(`${name}: 17-digit hex value must be '0x10000000000000000' (2^64), got ${quote(value)}`)
  }
  if (length < 16) {
    const meant = quote(`0x${hex.padStart(16, '0')}`)
    throw refused(`${name} must be a 0x-prefixed 16-digit hex value, got ${quote(value)} (did you mean ${meant}?)`)
  }
  return value
}

/** The reference's number of a kind of expression. */
const kindNumber = ({ kind }: ExprNode): number =>
  ['', 'call', 'comprehension', 'ident', 'list', 'literal', 'map', 'select', 'struct'].indexOf(kind)

function goType(value: Value): string {
  if (value === null) return 'structpb.NullValue'
  if (typeof value === 'boolean') return 'bool'
  if (value instanceof Double) return 'float64'
  if (value instanceof Uint) return 'uint64'
  return value instanceof Bytes ? '[]uint8' : 'int64'
}

const hashValue = (text: string): Hash => ({
  high: Number.parseInt(text.slice(2, -8), 16),
  low: Number.parseInt(text.slice(-8), 16),
})

const isLess = (a: Hash, b: Hash): boolean => a.high < b.high || (a.high === b.high && a.low < b.low)

/** FNV-1a of 64 bits. Its prime is 2^40 + 435: multiplying shifts the low half into the high one. */
function hashOf(text: string): Hash {
  let high = 0xcbf29ce4
  let low = 0x84222325
  for (const byte of Buffer.from(text)) {
    low = (low ^ byte) >>> 0
    const product = low * 435
    high = (((high * 435 + Math.floor(product / 2 ** 32)) >>> 0) + ((low << 8) >>> 0)) >>> 0
    low = product >>> 0
  }
  return { high, low }
}

interface MergedRange {
  readonly start: Hash
  end: Hash
}

/** In order, and apart from each other: however many there are, a hash is looked for in few steps. */
function mergeRanges(ranges: readonly ShardRange[]): MergedRange[] {
  const sorted = ranges
    .map(({ start, end }) => ({ start: hashValue(start), end: hashValue(end) }))
    .sort((a, b) => (isLess(a.start, b.start) ? -1 : isLess(b.start, a.start) ? 1 : 0))
  const merged: MergedRange[] = []
  for (const range of sorted) {
    const last = merged.at(-1)
    if (last === undefined || isLess(last.end, range.start)) merged.push(range)
    else if (isLess(last.end, range.end)) last.end = range.end
  }
  return merged
}

function isWithin(ranges: readonly MergedRange[], hash: Hash): boolean {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const range = ranges[middle] as MergedRange
    if (isLess(hash, range.start)) high = middle
    else if (isLess(hash, range.end)) return true
    else low = middle + 1
  }
  return false
}
