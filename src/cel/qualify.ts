/** Selecting from a value: fields, keys and indices, and whether they are there. */
import { display } from './display.ts'
import { typeOf } from './equality.ts'
import type { List, MapValue, Value } from './values.ts'
import { CelError, Double, Uint } from './values.ts'

export const noSuchKey = (key: Value): CelError => new CelError(`no such key: ${display(key)}`)
const indexOutOfBounds = (index: Value): CelError => new CelError(`index out of bounds: ${display(index)}`)

/** The value under the key, undefined where there is none, an error where the value cannot be looked into so. */
export function find(object: Value, key: Value): Value | undefined {
  if (typeof object !== 'object' || object === null) return undefined
  switch (object.kind) {
    case 'error':
      return object
    case 'map':
      return object.find(key)
    case 'list': {
      const index = listIndex(key)
      if (index instanceof CelError) return index
      return index >= 0 && index < object.length ? object.at(index) : undefined
    }
    default:
      return undefined
  }
}

export function isContainer(value: Value): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    (value.kind === 'map' || value.kind === 'list' || value.kind === 'error')
  )
}

/** As `find`, but absence is an error. */
export function qualify(object: Value, key: Value): Value {
  const found = find(object, key)
  if (found !== undefined) return found
  return (object as List | MapValue | null)?.kind === 'list' ? indexOutOfBounds(key) : noSuchKey(key)
}

/** What `has(object.field)` says. */
export function isPresent(object: Value, field: string): Value {
  if (typeof object === 'object' && object?.kind === 'map' && object.isSet) return object.isSet(field)
  const found = find(object, field)
  return found instanceof CelError ? found : found !== undefined
}

function listIndex(key: Value): number | CelError {
  if (typeof key === 'number') return key
  if (typeof key === 'bigint') return -1
  if (key instanceof Uint) return key.value <= 9007199254740991n ? Number(key.value) : -1
  if (key instanceof Double) {
    if (Number.isInteger(key.value)) return key.value
    return new CelError(`unsupported index value ${display(key)} in list`)
  }
  return new CelError(`unsupported index type '${typeOf(key).name}' in list`)
}
