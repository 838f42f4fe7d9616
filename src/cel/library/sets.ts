/** Lists as sets. */
import { listContains } from '../equality.ts'
import type { Implementation } from '../functions.ts'
import { declareFunction } from '../functions.ts'
import { BOOL, listType, typeParam } from '../types.ts'
import type { List } from '../values.ts'
import type { Library } from './library.ts'

const LIST = listType(typeParam('T'))

const contains: Implementation = (a, b, _c, _d, e) => {
  const part = b as List
  for (let i = 0; i < part.length; i++) {
    const found = listContains(a as List, part.at(i), e)
    if (found !== true) return found
  }
  return true
}

const intersects: Implementation = (a, b, _c, _d, e) => {
  const list = a as List
  for (let i = 0; i < list.length; i++) if (listContains(b as List, list.at(i), e) === true) return true
  return false
}

const equivalent: Implementation = (a, b, c, d, e) => {
  const found = contains(a, b, c, d, e)
  return found === true ? contains(b, a, c, d, e) : found
}

export const setsLibrary: Library = {
  functions: [
    declareFunction('sets.contains', { overloads: [['list_sets_contains_list', [LIST, LIST], BOOL, contains]] }),
    declareFunction('sets.equivalent', { overloads: [['list_sets_equivalent_list', [LIST, LIST], BOOL, equivalent]] }),
    declareFunction('sets.intersects', { overloads: [['list_sets_intersects_list', [LIST, LIST], BOOL, intersects]] }),
  ],
}
