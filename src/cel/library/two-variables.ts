/** Macros over lists and maps with two variables: index and item, key and value. */

import { display } from '../display.ts'
import type { Implementation } from '../functions.ts'
import { declareFunction } from '../functions.ts'
import { twoVariableMacros } from '../macros.ts'
import { mapType, typeParam } from '../types.ts'
import type { MapValue, Value } from '../values.ts'
import { CelError, type EntryMap } from '../values.ts'
import type { Library } from './library.ts'

const K = typeParam('K')
const V = typeParam('V')
const MAP = mapType(K, V)

/** The map that a fold collects is its own and grows in place. */
function insert(map: EntryMap, key: Value, value: Value): CelError | undefined {
  if (map.find(key) !== undefined) return new CelError(`insert failed: key ${display(key)} already exists`)
  return map.set(key, value) ? undefined : new CelError('unsupported key type')
}

const insertEntry: Implementation = (a, b, c) => insert(a as EntryMap, b, c) ?? a

const insertAll: Implementation = (a, b) => {
  const entries = b as MapValue
  for (const key of entries.keys()) {
    const error = insert(a as EntryMap, key, entries.find(key)!)
    if (error) return error
  }
  return a
}

export const twoVariablesLibrary: Library = {
  macros: twoVariableMacros,
  functions: [
    declareFunction('cel.@mapInsert', {
      overloads: [
        ['@mapInsert_map_key_value', [MAP, K, V], MAP, insertEntry],
        ['@mapInsert_map_map', [MAP, MAP], MAP, insertAll],
      ],
    }),
  ],
}
