// An edit as server-side apply wants it: only the fields that were changed, besides those that this manager already owns. What was taken
// away and belongs to others cannot be removed by an apply; it is listed, and removed by a patch.
import type { FieldsV1, Json } from '../api/objects.ts'
import { extract, stepOf } from './managed-fields.ts'
import type { Path } from './yaml-lines.ts'

/** How the server merges a part of an object; everything unknown is one value (atomic). */
export interface MergeSchema {
  readonly kind: 'map' | 'struct' | 'list' | 'set' | 'atomic'
  /** The fields that tell the items of a list apart. */
  readonly keys: readonly string[]
  readonly member: (name: string) => MergeSchema
  readonly item: () => MergeSchema
}

/** A field that the edit takes away; items of lists are named by their keys, since others may move them. */
export type RemovalStep = string | { readonly [key: string]: Json }
export type Removal = readonly RemovalStep[]

export interface Edit {
  /** What to apply; undefined: nothing is set. */
  readonly config: Json | undefined
  readonly removals: readonly Removal[]
}

interface Context {
  readonly removals: Removal[]
}

const same: unique symbol = Symbol('same')

export interface EditInput {
  readonly before: Json
  readonly after: Json
  readonly schema: MergeSchema
  /** What this manager owns by earlier applies. */
  readonly owned?: FieldsV1 | undefined
}

export function editOf({ before, after, schema, owned }: EditInput): Edit {
  const context: Context = { removals: [] }
  const changed = change(context, { before, after, schema, path: [] })
  const kept = owned === undefined ? {} : extract(owned, after)
  const touchesOwned = owned !== undefined && context.removals.some((removal) => isOwned(owned, before, removal))
  if (changed === same && !touchesOwned) return { config: undefined, removals: context.removals }
  const merged = changed === same ? kept : merge(kept, changed, schema)
  const { apiVersion, kind, metadata } = after
  const name = { name: metadata.name, ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }) }
  return {
    config: { apiVersion, kind, ...merged, metadata: { ...merged.metadata, ...name } },
    removals: context.removals,
  }
}

interface Sides {
  readonly before: Json
  readonly after: Json
  readonly schema: MergeSchema
  readonly path: Removal
}

const isMap = (value: Json): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

export function equal(a: Json, b: Json): boolean {
  if (a === b) return true
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => equal(item, b[index]))
  if (!isMap(a) || !isMap(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]))
}

function change(context: Context, sides: Sides): Json | typeof same {
  const { before, after, schema } = sides
  if (equal(before, after)) return same
  if (isMap(before) && isMap(after) && (schema.kind === 'map' || schema.kind === 'struct'))
    return changeMap(context, sides)
  if (Array.isArray(before) && Array.isArray(after)) {
    if (schema.kind === 'list' && schema.keys.length > 0) return changeList(context, sides)
    if (schema.kind === 'set') return changeSet(context, sides)
  }
  return after
}

function changeMap(context: Context, { before, after, schema, path }: Sides): Json | typeof same {
  const members = Object.keys(after).flatMap((name) => {
    if (!Object.hasOwn(before, name)) return [[name, after[name]]]
    const below = { before: before[name], after: after[name], schema: schema.member(name), path: [...path, name] }
    const found = change(context, below)
    return found === same ? [] : [[name, found]]
  })
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) context.removals.push([...path, name])
  return members.length === 0 ? same : Object.fromEntries(members)
}

function changeList(context: Context, { before, after, schema, path }: Sides): Json | typeof same {
  const keysOf = (item: Json) =>
    Object.fromEntries(schema.keys.flatMap((key) => (item?.[key] === undefined ? [] : [[key, item[key]]])))
  const find = (list: readonly Json[], item: Json) => list.find((each) => equal(keysOf(each), keysOf(item)))
  const items = (after as Json[]).flatMap((item) => {
    const old = find(before, item)
    if (old === undefined) return [item]
    const found = change(context, { before: old, after: item, schema: schema.item(), path: [...path, keysOf(item)] })
    return found === same ? [] : [{ ...keysOf(item), ...found }]
  })
  for (const item of before as Json[])
    if (find(after, item) === undefined) context.removals.push([...path, keysOf(item)])
  return items.length === 0 ? same : items
}

function changeSet(context: Context, { before, after, path }: Sides): Json | typeof same {
  const isIn = (list: readonly Json[], item: Json) => list.some((each) => equal(each, item))
  for (const item of before as Json[]) if (!isIn(after, item)) context.removals.push([...path, { '': item }])
  const items = (after as Json[]).filter((item) => !isIn(before, item))
  return items.length === 0 ? same : items
}

/** Both configurations as one; where both have a value, the second one's. */
function merge(a: Json, b: Json, schema: MergeSchema): Json {
  if (isMap(a) && isMap(b) && schema.kind !== 'atomic') {
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])]
    return Object.fromEntries(
      names.map((name) => {
        if (!Object.hasOwn(a, name)) return [name, b[name]]
        return [name, Object.hasOwn(b, name) ? merge(a[name], b[name], schema.member(name)) : a[name]]
      }),
    )
  }
  if (!Array.isArray(a) || !Array.isArray(b)) return b
  if (schema.kind === 'set') return [...a, ...b.filter((item) => !a.some((each) => equal(each, item)))]
  if (schema.kind !== 'list' || schema.keys.length === 0) return b
  const alike = (x: Json, y: Json) => schema.keys.every((key) => equal(x?.[key], y?.[key]))
  const added = b.filter((item) => !a.some((each) => alike(each, item)))
  const kept = a.map((item) => {
    const other = b.find((each) => alike(each, item))
    return other === undefined ? item : merge(item, other, schema.item())
  })
  return [...kept, ...added]
}

function isOwned(fields: FieldsV1, value: Json, [step, ...rest]: Removal): boolean {
  if (step === undefined) return true
  const at = placeOf(value, step)
  const entry = Object.entries(fields).find(([name]) => name !== '.' && stepOf(name, value) === at)
  return entry !== undefined && at !== undefined && isOwned(entry[1], value[at], rest)
}

function placeOf(value: Json, step: RemovalStep): string | number | undefined {
  if (typeof step === 'string') return isMap(value) && Object.hasOwn(value, step) ? step : undefined
  if (!Array.isArray(value)) return undefined
  const index = value.findIndex((item) =>
    Object.hasOwn(step, '')
      ? equal(item, step[''])
      : Object.entries(step).every(([key, wanted]) => equal(item?.[key], wanted)),
  )
  return index < 0 ? undefined : index
}

/** Where a removed field is in an object, if it is still there. */
function pathOfRemoval(object: Json, removal: Removal): Path | undefined {
  const path: (string | number)[] = []
  let value = object
  for (const step of removal) {
    const at = placeOf(value, step)
    if (at === undefined) return undefined
    path.push(at)
    value = value[at]
  }
  return path
}

export interface PatchStep {
  readonly op: 'test' | 'remove'
  readonly path: string
  readonly value?: Json
}

/** A JSON Patch that removes fields, from the last item of a list to the first; it fails if one has changed meanwhile. */
export function removalPatch(object: Json, removals: readonly Removal[]): PatchStep[] {
  const paths = removals.flatMap((removal) => {
    const path = pathOfRemoval(object, removal)
    return path === undefined ? [] : [path]
  })
  const at = (path: Path) => path.reduce((value: Json, step) => value[step], object)
  return paths
    .sort((a, b) => comparePaths(b, a))
    .flatMap((path) => [
      { op: 'test', path: pointerOf(path), value: at(path) },
      { op: 'remove', path: pointerOf(path) },
    ])
}

const pointerOf = (path: Path): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

function comparePaths(a: Path, b: Path): number {
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const [x, y] = [a[index], b[index]]
    if (x === y) continue
    if (typeof x === 'number' && typeof y === 'number') return x - y
    return String(x) < String(y) ? -1 : 1
  }
  return a.length - b.length
}
