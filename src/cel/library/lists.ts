/** Lists of numbers, times and text: order, sum, extremes, places of items. */
import { compare, equal, isComparable } from '../equality.ts'
import { WORK } from '../evaluation.ts'
import type { FunctionDeclaration, Implementation } from '../functions.ts'
import { declareFunction } from '../functions.ts'
import type { Type } from '../types.ts'
import { BOOL, BYTES, DOUBLE, DURATION, INT, listType, STRING, TIMESTAMP, typeParam, UINT } from '../types.ts'
import type { List, Value } from '../values.ts'
import { CelError, Double, Duration, errorOr, Uint } from '../values.ts'
import type { Library } from './library.ts'
import { operators } from './operators.ts'

const SUMMABLE: readonly (readonly [name: string, type: Type, zero: Value])[] = [
  ['int', INT, 0],
  ['uint', UINT, new Uint(0n)],
  ['double', DOUBLE, new Double(0)],
  ['duration', DURATION, new Duration(0n)],
]
const COMPARABLE: readonly (readonly [name: string, type: Type])[] = [
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['bool', BOOL],
  ['duration', DURATION],
  ['timestamp', TIMESTAMP],
  ['string', STRING],
  ['bytes', BYTES],
]

const add = operators.find(({ name }) => name === '_+_')!.operator!

const sum =
  (zero: Value): Implementation =>
  (a, _b, _c, _d, e) => {
    const list = a as List
    e.work(list.length * WORK.visited)
    let total = zero
    for (let i = 0; i < list.length; i++) {
      total = add(total, list.at(i), null, null, e)
      if (total instanceof CelError) return total
    }
    return total
  }

const isSorted: Implementation = (a, _b, _c, _d, e) => {
  const list = a as List
  e.work(2 * list.length * WORK.visited)
  for (let i = 0; i < list.length; i++) {
    const item = list.at(i)
    if (!isComparable(item)) return errorOr(item)
    if (i > 0 && compare(list.at(i - 1), item) === 1) return false
  }
  return true
}

/** The first item that no other beats. */
const extreme =
  (name: string, beats: number): Implementation =>
  (a, _b, _c, _d, e) => {
    const list = a as List
    e.work(list.length * WORK.visited)
    if (list.length === 0) return new CelError(`${name} called on empty list`)
    let best: Value | undefined
    for (let i = 0; i < list.length; i++) {
      const item = list.at(i)
      if (!isComparable(item)) return errorOr(item)
      if (best === undefined || compare(best, item) === beats) best = item
    }
    return best!
  }

const indexOf: Implementation = (a, b, _c, _d, e) => {
  const list = a as List
  e.work(list.length * WORK.visited)
  for (let i = 0; i < list.length; i++) if (equal(list.at(i), b, e) === true) return i
  return -1
}

const lastIndexOf: Implementation = (a, b, _c, _d, e) => {
  const list = a as List
  e.work(list.length * WORK.visited)
  for (let i = list.length - 1; i >= 0; i--) if (equal(list.at(i), b, e) === true) return i
  return -1
}

const A = typeParam('A')

function overComparable(
  name: string,
  suffix: (type: string) => string,
  { result, implementation }: { result?: Type; implementation: Implementation },
): FunctionDeclaration {
  return declareFunction(name, {
    members: COMPARABLE.map(([typeName, type]) => [
      `list_${typeName}_${suffix(typeName)}`,
      [listType(type)],
      result ?? type,
      implementation,
    ]),
  })
}

export const listsLibrary: Library = {
  functions: [
    overComparable('isSorted', () => 'is_sorted_bool', { result: BOOL, implementation: isSorted }),
    declareFunction('sum', {
      members: SUMMABLE.map(([name, type, zero]) => [`list_${name}_sum_${name}`, [listType(type)], type, sum(zero)]),
    }),
    overComparable('max', (type) => `max_${type}`, { implementation: extreme('max', -1) }),
    overComparable('min', (type) => `min_${type}`, { implementation: extreme('min', 1) }),
    declareFunction('indexOf', { members: [['list_a_index_of_int', [listType(A), A], INT, indexOf]] }),
    declareFunction('lastIndexOf', { members: [['list_a_last_index_of_int', [listType(A), A], INT, lastIndexOf]] }),
  ],
}
