// Who owns which field: `managedFields` turned around, from managers with sets of fields to fields with their managers.
import type { FieldsV1, Json, ManagedFields } from '../api/objects.ts'
import { type Path, pointer } from './yaml-lines.ts'

/** Places in the list of managed fields, by pointer. */
export interface Ownership {
  readonly entries: readonly ManagedFields[]
  readonly exact: ReadonlyMap<string, readonly number[]>
  /** Fields that are owned with all that is in them. */
  readonly whole: ReadonlyMap<string, readonly number[]>
  /** Sets of fields that this version of the object does not show, by entry. */
  readonly unseen: ReadonlyMap<number, number>
}

export function ownershipOf(object: Json): Ownership {
  const entries: readonly ManagedFields[] = object?.metadata?.managedFields ?? []
  const found = {
    exact: new Map<string, number[]>(),
    whole: new Map<string, number[]>(),
    unseen: new Map<number, number>(),
  }
  for (const [index, entry] of entries.entries()) walk(entry.fieldsV1 ?? {}, { found, index, value: object, path: [] })
  return { entries, ...found }
}

interface Walk {
  readonly found: { exact: Map<string, number[]>; whole: Map<string, number[]>; unseen: Map<number, number> }
  readonly index: number
  readonly value: Json
  readonly path: Path
}

function walk(fields: FieldsV1, at: Walk): void {
  const steps = Object.entries(fields)
  if (steps.length === 0) {
    note(at.found.exact, at)
    note(at.found.whole, at)
    return
  }
  for (const [step, below] of steps) {
    if (step === '.') note(at.found.exact, at)
    else descend(step, below, at)
  }
}

function descend(step: string, below: FieldsV1, at: Walk): void {
  const next = stepOf(step, at.value)
  if (next === undefined) {
    at.found.unseen.set(at.index, (at.found.unseen.get(at.index) ?? 0) + 1)
    return
  }
  walk(below, { ...at, value: at.value[next], path: [...at.path, next] })
}

function note(map: Map<string, number[]>, { index, path }: Walk): void {
  const key = pointer(path)
  const known = map.get(key)
  if (known === undefined) map.set(key, [index])
  else if (!known.includes(index)) known.push(index)
}

/** The member of a value that a step of FieldsV1 names: `f:name`, `k:{"name":"a"}`, `v:1`, `i:0`. */
export function stepOf(step: string, value: Json): string | number | undefined {
  const name = step.slice(2)
  if (step.startsWith('f:')) return isMap(value) && Object.hasOwn(value, name) ? name : undefined
  if (!Array.isArray(value)) return undefined
  if (step.startsWith('i:')) return Number(name) < value.length ? Number(name) : undefined
  const wanted: unknown = parse(name)
  const index = value.findIndex((item) => (step.startsWith('k:') ? hasKeys(item, wanted) : same(item, wanted)))
  return index < 0 ? undefined : index
}

const isMap = (value: Json): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

function hasKeys(item: Json, keys: unknown): boolean {
  return isMap(item) && isMap(keys) && Object.entries(keys).every(([key, value]) => same(item[key], value))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The entries that own a field: it by itself, or a part that it is in and that is owned as one. */
export function ownersAt({ exact, whole }: Ownership, path: Path): readonly number[] {
  const own = exact.get(pointer(path))
  if (own !== undefined) return own
  for (let length = path.length - 1; length > 0; length -= 1) {
    const above = whole.get(pointer(path.slice(0, length)))
    if (above !== undefined) return above
  }
  return []
}

/** The part of an object that a set of fields names, as it would stand in an apply. */
export function extract(fields: FieldsV1, value: Json): Json {
  const steps = Object.entries(fields).filter(([step]) => step !== '.')
  if (steps.length === 0) return value
  const parts = steps.flatMap(([step, below]) => {
    const at = stepOf(step, value)
    return at === undefined ? [] : [{ at, step, part: extract(below, value[at]) }]
  })
  if (!Array.isArray(value)) return Object.fromEntries(parts.map(({ at, part }) => [at, part]))
  return parts.map(({ step, part }) =>
    step.startsWith('k:') ? { ...(parse(step.slice(2)) as object), ...part } : part,
  )
}
