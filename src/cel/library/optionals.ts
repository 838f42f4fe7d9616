/** Values that may be absent. */

import { display } from '../display.ts'
import { isZero } from '../equality.ts'
import type { Implementation } from '../functions.ts'
import { declareFunction } from '../functions.ts'
import { optionalMacros } from '../macros.ts'
import { BOOL, DYN, INT, listType, mapType, opaqueType, optionalType, STRING, typeParam } from '../types.ts'
import type { List } from '../values.ts'
import { ArrayList, CelError, Optional } from '../values.ts'
import type { Library } from './library.ts'

const K = typeParam('K')
const V = typeParam('V')
const OPTIONAL = optionalType(V)
const LIST = listType(V)
const MAP = mapType(K, V)

const unwrapAll: Implementation = (a) => {
  const list = a as List
  const items = []
  for (let i = 0; i < list.length; i++) {
    const item = list.at(i)
    if (!(item instanceof Optional)) return new CelError(`value ${display(item)} is not optional`)
    if (item.value !== undefined) items.push(item.value)
  }
  return new ArrayList(items)
}

const itemAt =
  (place: (length: number) => number): Implementation =>
  (a) => {
    const list = a as List
    return list.length === 0 ? Optional.none : new Optional(list.at(place(list.length)))
  }

const dereference: Implementation = (a) => (a as Optional).value ?? new CelError('optional.none() dereference')

export const optionalsLibrary: Library = {
  macros: optionalMacros,
  types: [opaqueType('optional_type')],
  functions: [
    declareFunction('optional.of', { overloads: [['optional_of', [V], OPTIONAL, (a) => new Optional(a)]] }),
    declareFunction('optional.ofNonZeroValue', {
      overloads: [['optional_ofNonZeroValue', [V], OPTIONAL, (a) => (isZero(a) ? Optional.none : new Optional(a))]],
    }),
    declareFunction('optional.none', { overloads: [['optional_none', [], OPTIONAL, () => Optional.none]] }),
    declareFunction('value', { members: [['optional_value', [OPTIONAL], V, dereference]] }),
    declareFunction('hasValue', {
      members: [['optional_hasValue', [OPTIONAL], BOOL, (a) => (a as Optional).value !== undefined]],
    }),
    // Evaluated by the compiler, which leaves the other side out if it is not needed.
    declareFunction('or', { members: [['optional_or_optional', [OPTIONAL, OPTIONAL], OPTIONAL]] }),
    declareFunction('orValue', { members: [['optional_orValue_value', [OPTIONAL, V], V]] }),
    declareFunction('_?._', { overloads: [['select_optional_field', [DYN, STRING], OPTIONAL]] }),
    declareFunction('_[?_]', {
      overloads: [
        ['list_optindex_optional_int', [LIST, INT], OPTIONAL],
        ['optional_list_optindex_optional_int', [optionalType(LIST), INT], OPTIONAL],
        ['map_optindex_optional_value', [MAP, K], OPTIONAL],
        ['optional_map_optindex_optional_value', [optionalType(MAP), K], OPTIONAL],
      ],
    }),
    declareFunction('_[_]', {
      overloads: [
        ['optional_list_index_int', [optionalType(LIST), INT], OPTIONAL],
        ['optional_map_index_value', [optionalType(MAP), K], OPTIONAL],
      ],
    }),
    declareFunction('first', { members: [['list_first', [LIST], OPTIONAL, itemAt(() => 0)]] }),
    declareFunction('last', { members: [['list_last', [LIST], OPTIONAL, itemAt((length) => length - 1)]] }),
    declareFunction('optional.unwrap', { overloads: [['optional_unwrap', [listType(OPTIONAL)], LIST, unwrapAll]] }),
    declareFunction('unwrapOpt', { members: [['optional_unwrapOpt', [listType(OPTIONAL)], LIST, unwrapAll]] }),
  ],
}
