/** Whether two parts of objects say the same. Amounts count by what they are, however they are written. */

import { equalSemantic, isJsonObject } from '../../../api/json.ts'
import { keysOf } from '../../../api/key-lists.ts'
import { amountOf } from './resource-requirements.ts'

const amounts: ReadonlySet<string> = new Set(['sizeLimit', 'divisor'])
/** Maps whose values are all amounts. */
const amountMaps: ReadonlySet<string> = new Set(['requests', 'limits', 'overhead', 'capacity'])

export function equalMeaning(a: unknown, b: unknown): boolean {
  return equalSemantic(a, b) || isSame(a, b)
}

function isSame(a: unknown, b: unknown, key = '', inAmounts = false): boolean {
  if (typeof a === 'string' && typeof b === 'string') {
    return a === b || ((inAmounts || amounts.has(key)) && amountOf(a).compare(amountOf(b)) === 0)
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => isSame(item, b[i], key))
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return equalSemantic(a, b)
  const names = new Set([...keysOf(a), ...keysOf(b)])
  return [...names].every((name) => isSame(a[name], b[name], name, amountMaps.has(key)))
}
