/**
 * `target.includes(value)`: whether an attribute of a device, a list or not, has a value. Longer lists than an attribute can be are
 * refused. Mirrors k8s.io/dynamic-resource-allocation/cel: includesFunc.
 */
import { equal } from '../equality.ts'
import { WORK } from '../evaluation.ts'
import type { Implementation } from '../functions.ts'
import { declareFunction } from '../functions.ts'
import { BOOL, DYN } from '../types.ts'
import { CelError } from '../values.ts'
import type { Library } from './library.ts'

/** ResourceSliceMaxAttributeValuesPerDevice of k8s.io/api/resource/v1. */
export const maxListValues = 48

const includes: Implementation = (target, value, _c, _d, e) => {
  if (typeof target !== 'object' || target === null || target.kind !== 'list') return equal(target, value, e) === true
  for (let i = 0; i < target.length; i++) {
    if (i >= maxListValues) {
      return new CelError(`'includes' function cannot be applied to lists longer than ${maxListValues} values`)
    }
    e.work(WORK.visited)
    if (equal(target.at(i), value, e) === true) return true
  }
  return false
}

export const includesLibrary: Library = {
  functions: [declareFunction('includes', { members: [['dra_includes_dyn_dyn', [DYN, DYN], BOOL, includes]] })],
}
