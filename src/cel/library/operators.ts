/** The operators: arithmetic, order, equality, logic, index, membership. */
import { compare, contains, isComparable } from '../equality.ts'
import { WORK } from '../evaluation.ts'
import type { FunctionDeclaration, Implementation } from '../functions.ts'
import { declareFunction } from '../functions.ts'
import type { Arithmetic } from '../numbers.ts'
import { checkedInt, doubleArithmetic, intArithmetic, uintArithmetic } from '../numbers.ts'
import { qualify } from '../qualify.ts'
import { addDurations, addToTimestamp, durationOf, timestampDifference } from '../time.ts'
import type { Type } from '../types.ts'
import { BOOL, BYTES, DOUBLE, DURATION, INT, listType, mapType, STRING, TIMESTAMP, typeParam, UINT } from '../types.ts'
import type { List, Value } from '../values.ts'
import {
  ArrayList,
  Bytes,
  CelError,
  ConcatList,
  Double,
  Duration,
  errorOr,
  isInt,
  JoinedList,
  noSuchOverload,
  Timestamp,
  Uint,
} from '../values.ts'

const A = typeParam('A')
const B = typeParam('B')
const LIST_A = listType(A)
const MAP_AB = mapType(A, B)

/** Texts and times are asked themselves what they make of a name, and answer without it. */
export const noOperator = (name: string, a: Value): CelError =>
  typeof a === 'string' || a instanceof Duration || a instanceof Timestamp
    ? noSuchOverload()
    : new CelError(`no such overload: ${name}`)

function arithmetic(operator: Arithmetic, a: Value, b: Value): Value | undefined {
  if (isInt(a)) return isInt(b) ? intArithmetic(operator, a, b) : errorOr(b)
  if (a instanceof Uint) return b instanceof Uint ? uintArithmetic(operator, a.value, b.value) : errorOr(b)
  if (a instanceof Double && operator !== '%') {
    return b instanceof Double ? doubleArithmetic(operator, a.value, b.value) : errorOr(b)
  }
  return undefined
}

const add: Implementation = (a, b, _c, _d, e) => {
  if (typeof a === 'string') {
    if (typeof b !== 'string') return errorOr(b)
    // The text is put together on first access.
    e.work((a.length + b.length) * WORK.copied)
    return a + b
  }
  const number = arithmetic('+', a, b)
  if (number !== undefined) return number
  if (a instanceof Bytes) {
    if (!(b instanceof Bytes)) return errorOr(b)
    e.work((a.data.length + b.data.length) * WORK.copied)
    return new Bytes(Buffer.concat([a.data, b.data]))
  }
  if (a instanceof Duration) {
    if (b instanceof Duration) return addDurations(a, b)
    return b instanceof Timestamp ? addToTimestamp(b, a.nanos) : errorOr(b)
  }
  if (a instanceof Timestamp) return b instanceof Duration ? addToTimestamp(a, b.nanos) : errorOr(b)
  if (typeof a === 'object' && a?.kind === 'list') {
    return typeof b === 'object' && b?.kind === 'list' ? concatenate(a, b) : errorOr(b)
  }
  return noOperator('_+_', a)
}

const SMALL = 64

/** Small lists are copied; large ones are put one behind the other. */
function concatenate(a: List, b: List): Value {
  if (a.concat) return a.concat(b)
  if (a.length === 0) return b
  if (b.length === 0) return a
  if (a.length + b.length > SMALL || !(a instanceof ArrayList && b instanceof ArrayList)) return new ConcatList(a, b)
  return new JoinedList([...a.items, ...b.items])
}

function subtract(a: Value, b: Value): Value {
  const number = arithmetic('-', a, b)
  if (number !== undefined) return number
  if (a instanceof Duration) return b instanceof Duration ? durationOf(a.nanos - b.nanos) : errorOr(b)
  if (a instanceof Timestamp) {
    if (b instanceof Duration) return addToTimestamp(a, -b.nanos)
    return b instanceof Timestamp ? timestampDifference(a, b) : errorOr(b)
  }
  return noOperator('_-_', a)
}

function negate(a: Value): Value {
  if (typeof a === 'number') return a === 0 ? 0 : -a
  if (typeof a === 'bigint') return checkedInt(-a)
  if (a instanceof Double) return new Double(-a.value)
  if (a instanceof Duration) return durationOf(-a.nanos)
  return typeof a === 'boolean' ? errorOr(a) : noOperator('-_', a)
}

const order =
  (name: string, accepts: (order: number) => boolean): Implementation =>
  (a, b) => {
    if (typeof a === 'number' && typeof b === 'number') return accepts(a - b)
    if (!isComparable(a)) return noOperator(name, a)
    const result = compare(a, b)
    return result instanceof CelError ? result : accepts(result)
  }

const NUMBERS: readonly (readonly [id: string, type: Type])[] = [
  ['int64', INT],
  ['uint64', UINT],
  ['double', DOUBLE],
]

/** All pairs of numeric types, and each other ordered type with itself. */
function comparison(name: string, id: string, accepts: (order: number) => boolean): FunctionDeclaration {
  const same = (suffix: string, type: Type) => [`${id}_${suffix}`, [type, type], BOOL] as const
  const numeric = NUMBERS.flatMap(([left, leftType]) =>
    NUMBERS.map(([right, rightType]) => {
      const suffix = left === right ? left : `${left}_${right}`
      return [`${id}_${suffix}`, [leftType, rightType], BOOL] as const
    }),
  )
  return declareFunction(name, {
    overloads: [
      same('bool', BOOL),
      ...numeric,
      same('string', STRING),
      same('bytes', BYTES),
      same('timestamp', TIMESTAMP),
      same('duration', DURATION),
    ],
    operator: order(name, accepts),
  })
}

/** Evaluated by the compiler itself; declared for the checker. */
const unused: Implementation = () => errorOr(null)

const pair = (id: string, left: Type, right: Type, result: Type) => [id, [left, right], result] as const

export const operators: readonly FunctionDeclaration[] = [
  declareFunction('_?_:_', { overloads: [['conditional', [BOOL, A, A], A]], operator: unused }),
  declareFunction('_&&_', { overloads: [pair('logical_and', BOOL, BOOL, BOOL)], operator: unused }),
  declareFunction('_||_', { overloads: [pair('logical_or', BOOL, BOOL, BOOL)], operator: unused }),
  declareFunction('!_', {
    overloads: [['logical_not', [BOOL], BOOL]],
    operator: (a) => (typeof a === 'boolean' ? !a : errorOr(a)),
  }),
  declareFunction('@not_strictly_false', { overloads: [['not_strictly_false', [BOOL], BOOL]], operator: unused }),
  declareFunction('_==_', { overloads: [pair('equals', A, A, BOOL)], operator: unused }),
  declareFunction('_!=_', { overloads: [pair('not_equals', A, A, BOOL)], operator: unused }),
  declareFunction('_+_', {
    overloads: [
      pair('add_bytes', BYTES, BYTES, BYTES),
      pair('add_double', DOUBLE, DOUBLE, DOUBLE),
      pair('add_duration_duration', DURATION, DURATION, DURATION),
      pair('add_duration_timestamp', DURATION, TIMESTAMP, TIMESTAMP),
      pair('add_timestamp_duration', TIMESTAMP, DURATION, TIMESTAMP),
      pair('add_int64', INT, INT, INT),
      pair('add_list', LIST_A, LIST_A, LIST_A),
      pair('add_string', STRING, STRING, STRING),
      pair('add_uint64', UINT, UINT, UINT),
    ],
    operator: add,
  }),
  declareFunction('_-_', {
    overloads: [
      pair('subtract_double', DOUBLE, DOUBLE, DOUBLE),
      pair('subtract_duration_duration', DURATION, DURATION, DURATION),
      pair('subtract_int64', INT, INT, INT),
      pair('subtract_timestamp_duration', TIMESTAMP, DURATION, TIMESTAMP),
      pair('subtract_timestamp_timestamp', TIMESTAMP, TIMESTAMP, DURATION),
      pair('subtract_uint64', UINT, UINT, UINT),
    ],
    operator: subtract,
  }),
  declareFunction('_*_', {
    overloads: [
      pair('multiply_double', DOUBLE, DOUBLE, DOUBLE),
      pair('multiply_int64', INT, INT, INT),
      pair('multiply_uint64', UINT, UINT, UINT),
    ],
    operator: (a, b) => arithmetic('*', a, b) ?? noOperator('_*_', a),
  }),
  declareFunction('_/_', {
    overloads: [
      pair('divide_double', DOUBLE, DOUBLE, DOUBLE),
      pair('divide_int64', INT, INT, INT),
      pair('divide_uint64', UINT, UINT, UINT),
    ],
    operator: (a, b) => arithmetic('/', a, b) ?? noOperator('_/_', a),
  }),
  declareFunction('_%_', {
    overloads: [pair('modulo_int64', INT, INT, INT), pair('modulo_uint64', UINT, UINT, UINT)],
    operator: (a, b) => arithmetic('%', a, b) ?? noOperator('_%_', a),
  }),
  declareFunction('-_', {
    overloads: [
      ['negate_double', [DOUBLE], DOUBLE],
      ['negate_int64', [INT], INT],
    ],
    operator: negate,
  }),
  comparison('_<_', 'less', (result) => result < 0),
  comparison('_<=_', 'less_equals', (result) => result <= 0),
  comparison('_>_', 'greater', (result) => result > 0),
  comparison('_>=_', 'greater_equals', (result) => result >= 0),
  declareFunction('_[_]', {
    overloads: [pair('index_list', LIST_A, INT, A), pair('index_map', MAP_AB, A, B)],
    operator: qualify,
  }),
  declareFunction('@in', {
    overloads: [pair('in_list', A, LIST_A, BOOL), pair('in_map', A, MAP_AB, BOOL)],
    operator: (a, b, _c, _d, e) => contains(a, b, e),
  }),
]

/** The comparisons of numbers of different types, which older environments do not offer. */
export const crossTypeComparisons: ReadonlySet<string> = new Set(
  ['less', 'less_equals', 'greater', 'greater_equals'].flatMap((id) =>
    NUMBERS.flatMap(([left]) => NUMBERS.filter(([right]) => right !== left).map(([right]) => `${id}_${left}_${right}`)),
  ),
)
