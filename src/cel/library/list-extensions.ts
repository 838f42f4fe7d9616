/**
 * Lists made of lists: slices, flat, sorted, reversed and distinct ones, and ranges of numbers. Their price grows with what they make.
 * Mirrors github.com/google/cel-go/ext: Lists, at version 3.
 */
import { compare, equal, isComparable, typeOf } from '../equality.ts'
import { WORK } from '../evaluation.ts'
import type { Implementation } from '../functions.ts'
import { declareFunction } from '../functions.ts'
import { sortByMacro } from '../macros.ts'
import type { Type } from '../types.ts'
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, listType, STRING, TIMESTAMP, typeParam, UINT } from '../types.ts'
import type { List, Value } from '../values.ts'
import { ArrayList, CelError, errorOr } from '../values.ts'
import type { Library } from './library.ts'

const LIST = listType(typeParam('T'))
const NESTED = listType(LIST)
const DYN_LIST = listType(DYN)

const COMPARABLE: readonly (readonly [name: string, type: Type])[] = [
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['bool', BOOL],
  ['google.protobuf.Duration', DURATION],
  ['google.protobuf.Timestamp', TIMESTAMP],
  ['string', STRING],
  ['bytes', BYTES],
]

const isList = (value: Value): value is List => typeof value === 'object' && value !== null && value.kind === 'list'

/** By a loop: a list may have a million items, and a function called for each of them takes most of the time. */
function itemsOf(list: List, start = 0, end = list.length): Value[] {
  const items: Value[] = []
  for (let i = start; i < end; i++) items.push(list.at(i))
  return items
}

/** The numbers from zero on, none of which is there before it is asked for. */
class RangeList implements List {
  readonly kind = 'list'
  readonly length: number

  constructor(length: number) {
    this.length = length
  }

  at(index: number): Value {
    return index
  }
}

const slice: Implementation = (a, b, c, _d, e) => {
  const list = a as List
  const [start, end] = [BigInt(b as number), BigInt(c as number)]
  const refused = (why: string): CelError => new CelError(`cannot slice(${start}, ${end}), ${why}`)
  if (start < 0n || end < 0n) return refused('negative indexes not supported')
  if (start > end) return refused('start index must be less than or equal to end index')
  if (BigInt(list.length) < end) return refused(`list is length ${list.length}`)
  const size = Number(end - start)
  e.charge(size)
  e.work(size * WORK.visited)
  return new ArrayList(itemsOf(list, Number(start), Number(end)))
}

/** Lists beyond this depth cannot be written. */
const MAX_DEPTH = 1000n

const flatten: Implementation = (a, b, _c, _d, e) => {
  if (!isList(a)) return errorOr(a)
  const depth = b === undefined ? 1n : BigInt(b as number)
  if (depth < 0n) return new CelError('level must be non-negative')
  const flat: Value[] = []
  const add = (list: List, left: number): void => {
    e.work(list.length * WORK.visited)
    for (let i = 0; i < list.length; i++) {
      const item = list.at(i)
      if (left > 0 && isList(item)) add(item, left - 1)
      else flat.push(item)
    }
  }
  add(a, Number(depth < MAX_DEPTH ? depth : MAX_DEPTH))
  return new ArrayList(flat)
}

/** Refuses keys of different types, as soon as two are compared. */
const sortedBy: Implementation = (a, b, _c, _d, e) => {
  const [list, keys] = [a as List, b as List]
  if (list.length !== keys.length) {
    const why = `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.length} and ${keys.length} elements respectively`
    return new CelError(why)
  }
  if (list.length === 0) return list
  e.work(list.length * Math.ceil(Math.log2(list.length + 1)) * WORK.item)
  const values = itemsOf(keys)
  const wrong = values.length === 1 ? undefined : values.find((key) => typeOf(key).name !== typeOf(values[0]!).name)
  if (!isComparable(values[0]!)) return new CelError('list elements must be comparable')
  if (wrong !== undefined) return new CelError('list elements must have the same type')
  const order = values.map((_, i) => i).sort((i, j) => Number(compare(values[i]!, values[j]!)) || i - j)
  return new ArrayList(order.map((i) => list.at(i)))
}

const sort: Implementation = (a, _b, c, d, e) => sortedBy(a, a, c, d, e)

const range: Implementation = (a, _b, _c, _d, e) => {
  const end = BigInt(a as number)
  const size = end < 0n ? 0 : Number(end)
  e.charge(size)
  return new RangeList(size)
}

const reverse: Implementation = (a, _b, _c, _d, e) => {
  const list = a as List
  e.charge(list.length)
  e.work(list.length * WORK.visited)
  return new ArrayList(itemsOf(list).reverse())
}

const distinct: Implementation = (a, _b, _c, _d, e) => {
  const found: Value[] = []
  for (const item of itemsOf(a as List)) {
    e.work((found.length + 1) * WORK.visited)
    if (!found.some((other) => equal(item, other, e) === true)) found.push(item)
  }
  return new ArrayList(found)
}

export const listExtensionsLibrary: Library = {
  macros: [sortByMacro],
  functions: [
    declareFunction('slice', { members: [['list_slice', [LIST, INT, INT], LIST, slice]] }),
    declareFunction('flatten', {
      members: [
        ['list_flatten', [NESTED], LIST, flatten],
        ['list_flatten_int', [DYN_LIST, INT], DYN_LIST, flatten],
      ],
    }),
    declareFunction('sort', {
      members: COMPARABLE.map(([name, type]) => [`list_${name}_sort`, [listType(type)], listType(type), sort]),
    }),
    declareFunction('@sortByAssociatedKeys', {
      members: COMPARABLE.map(([name, type]) => [
        `list_${name}_sortByAssociatedKeys`,
        [LIST, listType(type)],
        LIST,
        sortedBy,
      ]),
    }),
    declareFunction('lists.range', { overloads: [['lists_range', [INT], listType(INT), range]] }),
    declareFunction('reverse', { members: [['list_reverse', [LIST], LIST, reverse]] }),
    declareFunction('distinct', { members: [['list_distinct', [LIST], LIST, distinct]] }),
  ],
}
