/** JSON values, and walks over them. Nothing here changes its arguments. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonMap = { readonly [key: string]: Json }
export type JsonPath = readonly (string | number)[]

export const isMap = (value: Json | undefined): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

export function valueAt(value: Json | undefined, path: JsonPath): Json | undefined {
  let current = value
  for (const step of path) {
    if (isList(current)) current = current[step as number]
    else if (isMap(current)) current = Object.hasOwn(current, step) ? current[step] : undefined
    else return undefined
  }
  return current
}

/** A copy with the value at the path, made on the way where there is nothing; `undefined` removes it. */
export function withValueAt(value: Json | undefined, path: JsonPath, replacement: Json | undefined): Json | undefined {
  const [step, ...rest] = path
  if (step === undefined) return replacement
  if (typeof step === 'number') {
    const list = isList(value) ? [...value] : []
    const member = withValueAt(list[step], rest, replacement)
    if (member === undefined) list.splice(step, 1)
    else list[step] = member
    return list
  }
  const entries = isMap(value) ? Object.entries(value) : []
  const member = withValueAt(isMap(value) ? value[step] : undefined, rest, replacement)
  const others = entries.filter(([key]) => key !== step)
  return Object.fromEntries(member === undefined ? others : [...others, [step, member]])
}

/** Every path below, parents before their children, in the order of the value. */
export function* pathsOf(value: Json | undefined, path: JsonPath = []): Generator<JsonPath> {
  if (path.length > 0) yield path
  if (isList(value)) for (const [i, item] of value.entries()) yield* pathsOf(item, [...path, i])
  else if (isMap(value)) for (const [key, item] of Object.entries(value)) yield* pathsOf(item, [...path, key])
}

/** A copy in which every string went through the function. */
export function mapStrings(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (isList(value)) return value.map((item) => mapStrings(item, change))
  if (!isMap(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [change(key), mapStrings(item, change)]))
}

/** Keys in one order, so that like values have like texts. */
export function ordered(value: Json): Json {
  if (isList(value)) return value.map(ordered)
  if (!isMap(value)) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, ordered(item)]))
}

/** Maps merge; anything else of `over` wins. */
export function merged(under: Json, over: Json): Json {
  if (!isMap(under) || !isMap(over)) return over
  const result: Record<string, Json> = { ...under }
  for (const [key, value] of Object.entries(over)) {
    result[key] = key in under ? merged(under[key] as Json, value) : value
  }
  return result
}

export const showPath = (path: JsonPath): string =>
  path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
