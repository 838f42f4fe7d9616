// An object without one of its fields.
import type { Json } from '../api/objects.ts'
import type { Path } from './yaml-lines.ts'

/** Maps and items that are empty then go as well: an apply would own them. */
export function without(value: Json, path: Path): Json {
  const [step, ...rest] = path
  if (step === undefined || value === undefined || value === null) return value
  if (Array.isArray(value)) {
    return rest.length === 0
      ? value.filter((_, index) => index !== step)
      : value.map((item, index) => (index === step ? without(item, rest) : item))
  }
  if (rest.length === 0) return omit(value, String(step))
  const below = without(value[step], rest)
  const empty = typeof below === 'object' && below !== null && Object.keys(below).length === 0
  return empty ? omit(value, String(step)) : { ...value, [step]: below }
}

const omit = (value: Json, name: string): Json =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))

/** A copy with another value at a path that is there. */
export function setAt(value: Json, path: Path, to: Json): Json {
  const [step, ...rest] = path
  if (step === undefined) return to
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? setAt(item, rest, to) : item))
  return { ...value, [step]: setAt(value?.[step], rest, to) }
}
