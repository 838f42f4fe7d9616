/** Equality, order, membership and the names of values' types. */
import type { Work } from './evaluation.ts'
import { WORK } from './evaluation.ts'
import type { Numeric } from './numbers.ts'
import { compareNumbers, isNumeric } from './numbers.ts'
import { compareTimestamps } from './time.ts'
import type { Type } from './types.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  mapType,
  NULL,
  opaqueType,
  optionalType,
  STRING,
  structType,
  TIMESTAMP,
  TYPE,
  UINT,
} from './types.ts'
import type { List, MapValue, Value } from './values.ts'
import { Bytes, CelError, Double, Duration, errorOr, isError, Optional, Timestamp, TypeValue, Uint } from './values.ts'

/** True, false, or the error that the comparison met. */
export function equal(a: Value, b: Value, work?: Work): Value {
  if (a === b && typeof a !== 'object') return true
  if (a === null || b === null) return a === b
  if (isNumeric(a)) return isNumeric(b) && compareNumbers(a, b) === 0
  if (typeof a !== 'object') return false
  if (typeof b !== 'object') return unequalKinds(a, b)
  switch (a.kind) {
    case 'error':
      return a
    case 'bytes':
      return b instanceof Bytes && Buffer.compare(a.data, b.data) === 0
    case 'timestamp':
      return b instanceof Timestamp && compareTimestamps(a, b) === 0
    case 'duration':
      return b instanceof Duration && a.nanos === b.nanos
    case 'type':
      return b instanceof TypeValue && a.type.name === b.type.name
    case 'optional':
      return b instanceof Optional && equalOptionals(a, b, work)
    case 'list':
      return b.kind === 'list' ? equalLists(a, b, work) : unequalKinds(a, b)
    case 'map':
      return equalMaps(a, b, work)
    case 'opaque':
      return a.equals(b)
  }
}

/** Lists and maps of a schema refuse to be compared with something else; plain values are just different. */
function unequalKinds(a: Value & object, b: Value): Value {
  if (a.kind === 'opaque') return a.equals(b)
  return (a.kind === 'list' || a.kind === 'map') && a.equals ? errorOr(b) : false
}

function equalOptionals(a: Optional, b: Optional, work: Work | undefined): Value {
  if (a.value === undefined || b.value === undefined) return a.value === b.value
  return equal(a.value, b.value, work)
}

function equalLists(a: List, b: List, work: Work | undefined): Value {
  if (a.equals) return a.equals(b, work)
  if (a.length !== b.length) return false
  work?.work(a.length * WORK.item)
  for (let i = 0; i < a.length; i++) if (equal(a.at(i), b.at(i), work) === false) return false
  return true
}

function equalMaps(a: MapValue, b: Value & object, work: Work | undefined): Value {
  if (a.equals) return a.equals(b, work)
  if (b.kind !== 'map' || a.size !== b.size) return false
  work?.work(a.size * WORK.entry)
  for (const key of a.keys()) {
    const other = b.find(key)
    if (other === undefined) return false
    if (equal(a.find(key)!, other, work) === false) return false
  }
  return true
}

/** -1, 0 or 1; an error for values that have no order. */
export function compare(a: Value, b: Value): number | CelError {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b)
  if (isNumeric(a)) return isNumeric(b) ? compareNumeric(a, b) : errorOr(b)
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  if (a instanceof Timestamp && b instanceof Timestamp) return compareTimestamps(a, b)
  if (a instanceof Duration && b instanceof Duration) return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0
  if (a instanceof Bytes && b instanceof Bytes) return Buffer.compare(a.data, b.data)
  return errorOr(b)
}

function compareNumeric(a: Numeric, b: Numeric): number | CelError {
  return compareNumbers(a, b) ?? new CelError('NaN values cannot be ordered')
}

/** By code point, which is the order of UTF-8 bytes; UTF-16 units differ only around surrogates. */
function compareStrings(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = firstDifference(a, b); i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x === y) continue
    const surrogateX = x >= 0xd800 && x <= 0xdfff
    const surrogateY = y >= 0xd800 && y <= 0xdfff
    if (surrogateX !== surrogateY) return surrogateX ? 1 : -1
    return x < y ? -1 : 1
  }
  return a.length < b.length ? -1 : 1
}

const STRIDE = 4096

/** A place before which both texts are the same: long ones are compared piece by piece, which is much faster. */
function firstDifference(a: string, b: string): number {
  let at = 0
  while (at + STRIDE <= a.length && a.slice(at, at + STRIDE) === b.slice(at, at + STRIDE)) at += STRIDE
  return at
}

export const isComparable = (value: Value): boolean =>
  isNumeric(value) ||
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  value instanceof Timestamp ||
  value instanceof Duration ||
  value instanceof Bytes

/** `item in container`. */
export function contains(item: Value, container: Value, work?: Work): Value {
  if (typeof container !== 'object' || container === null) return errorOr(container)
  if (container.kind === 'list') return listContains(container, item, work)
  if (container.kind !== 'map') return errorOr(container)
  const found = container.find(item)
  return found !== undefined && isError(found) ? found : found !== undefined
}

/** So many items are accounted for together. */
const BLOCK = 1024

export function listContains(list: List, item: Value, work?: Work): Value {
  let error: CelError | undefined
  for (let i = 0; i < list.length; i++) {
    if (i % BLOCK === 0) work?.work(Math.min(BLOCK, list.length - i) * WORK.visited)
    const same = equal(list.at(i), item, work)
    if (same === true) return true
    if (same !== false) error ??= errorOr(same)
  }
  return list.equals && error ? error : false
}

const OPTIONAL = optionalType(DYN)
const LIST = listType(DYN)
const MAP = mapType(DYN, DYN)
const ERROR_VALUE = opaqueType('error')

/** The type that `type(value)` gives. */
export function typeOf(value: Value): Type {
  switch (typeof value) {
    case 'boolean':
      return BOOL
    case 'number':
    case 'bigint':
      return INT
    case 'string':
      return STRING
    default:
      return value === null ? NULL : typeOfObject(value)
  }
}

function typeOfObject(value: Value & object): Type {
  switch (value.kind) {
    case 'error':
      return ERROR_VALUE
    case 'double':
      return DOUBLE
    case 'uint':
      return UINT
    case 'bytes':
      return BYTES
    case 'timestamp':
      return TIMESTAMP
    case 'duration':
      return DURATION
    case 'type':
      return TYPE
    case 'optional':
      return OPTIONAL
    case 'list':
      return LIST
    case 'map':
      return value.typeName === undefined ? MAP : structType(value.typeName)
    case 'opaque':
      return value.type
  }
}

/** What messages call a value that is of no use where it stands: the reference names what its values are made of. */
export function implementationName(value: Value): string {
  const type = typeOf(value)
  if (type.kind === 'type') return '*types.Type'
  const name = type.name.slice(type.name.lastIndexOf('.') + 1)
  if (type.kind === 'opaque') return '*types.Optional'
  if (type.kind === 'struct') return `cel.${name}`
  return type.kind === 'null' ? 'types.Null' : `types.${name[0]!.toUpperCase()}${name.slice(1)}`
}

/** Whether a value may be an argument of the type; of a list or a map only the first entry is looked at. */
export function matchesType(type: Type, value: Value): boolean {
  if (type.kind === 'dyn' || type.kind === 'any' || type.kind === 'param') return true
  const actual = typeOf(value)
  if (actual !== type && actual.name !== type.name) return false
  if (type.kind === 'list') {
    const items = value as List
    return items.length === 0 || matchesType(type.params[0]!, items.at(0))
  }
  if (type.kind === 'map' && (value as MapValue).kind === 'map') {
    const entries = value as MapValue
    const key = entries.size === 0 ? undefined : entries.keys()[0]
    return key === undefined || (matchesType(type.params[0]!, key) && matchesType(type.params[1]!, entries.find(key)!))
  }
  return true
}

/** The zero of its type; what `optional.ofNonZeroValue` leaves out. */
export function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === '') return true
  if (typeof value !== 'object') return false
  if (value instanceof Double) return value.value === 0
  if (value instanceof Uint) return value.value === 0n
  if (value instanceof Bytes) return value.data.length === 0
  if (value instanceof Duration) return value.nanos === 0n
  if (value instanceof Timestamp) return value.seconds === -62_135_596_800 && value.nanos === 0
  return (value.kind === 'list' && value.length === 0) || (value.kind === 'map' && value.size === 0)
}
