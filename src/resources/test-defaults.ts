/**
 * For tests: the defaults that the fields of built-in types get, found by giving defaults to many objects of every kind
 * that are filled at random. What a field has after it had nothing before is one of its defaults.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'
import { schemaForKind } from '../catalog/catalog.ts'
import { defaultObject } from '../catalog/defaults/defaults.ts'
import { resources } from '../catalog/resources.ts'
import { decodeValue } from '../schema/canonicalize.ts'
import type { Field, ObjectSchema, Schema } from '../schema/schema.ts'

/** Small kinds get more of them: some defaults need several fields to be just so. */
const minRounds = 40
const maxRounds = 200
const enoughFields = 4000

/** The same numbers in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A default that is the current time is not always the same. */
const times = ['2024-05-06T07:08:09Z', '2024-05-06T07:08:10Z']

/** The defaults, as JSON, by type and field: `core.v1.Probe.periodSeconds`. */
export function observedDefaults(): ReadonlyMap<string, ReadonlySet<string>> {
  const seen = new Map<string, Set<string>>()
  const kinds = new Set<ObjectSchema>()
  for (const { kind, kindVersion } of resources()) {
    const schema = schemaForKind({ ...kindVersion, kind })
    if (schema !== undefined) kinds.add(schema)
  }
  for (const schema of kinds) observe(schema, seen)
  return seen
}

function observe(schema: ObjectSchema, seen: Map<string, Set<string>>): void {
  const next = randomNumbers(schema.fields.size)
  let drawn = 0
  const random = (): number => {
    drawn++
    return next()
  }
  for (let round = 0; round < minRounds || (round < maxRounds && drawn < enoughFields); round++) {
    const body = sampleObject(schema, random, [])
    const decoded = decodeValue(body, schema)
    if (decoded.error !== undefined) throw new Error(`a sample of ${schema.name} cannot be read`)
    const before = structuredClone(decoded.object)
    compare(
      schema,
      before,
      defaultObject(decoded.object, schema, { enabled: () => true, now: () => times[round % 2] ?? '' }),
      seen,
    )
  }
}

function compare(schema: Schema, before: JsonValue, after: JsonValue, seen: Map<string, Set<string>>): void {
  if (schema.kind === 'list' && Array.isArray(before) && Array.isArray(after)) {
    for (const [i, item] of before.entries()) compare(schema.items, item, after[i] as JsonValue, seen)
  }
  if (schema.kind === 'map' && isJsonObject(before) && isJsonObject(after)) {
    for (const [key, item] of Object.entries(before)) compare(schema.values, item ?? null, after[key] ?? null, seen)
  }
  if (schema.kind !== 'object' || !isJsonObject(before) || !isJsonObject(after)) return
  for (const field of schema.fields.values()) {
    const old = before[field.name]
    const given = after[field.name]
    if (given === undefined || given === null) continue
    if (isEmpty(old) || (!field.pointer && old === 0 && given !== 0)) {
      if (!isEmpty(given)) note(`${schema.name}.${field.name}`, given, seen)
      // What stands in a default is one as well.
      compare(field.schema, emptyLike(given), given, seen)
    } else compare(field.schema, old as JsonValue, given, seen)
  }
}

const emptyLike = (value: JsonValue): JsonValue => (isJsonObject(value) ? {} : null)

const isEmpty = (value: JsonValue | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0)

function note(key: string, value: JsonValue, seen: Map<string, Set<string>>): void {
  const values = seen.get(key) ?? new Set()
  values.add(JSON.stringify(value))
  seen.set(key, values)
}

function sampleObject(schema: ObjectSchema, random: () => number, path: readonly string[]): JsonObject {
  const object: JsonObject = {}
  for (const field of schema.fields.values()) {
    if (random() > chance(field, path.length)) continue
    const value = sample(field.schema, random, [...path, schema.name ?? ''])
    if (value !== undefined) object[field.name] = value
  }
  return object
}

/** Objects are mostly there, so that what is in them is reached. */
const chance = ({ schema }: Field, depth: number): number => {
  const inner = schema.kind === 'list' ? schema.items : schema
  return inner.kind === 'object' ? (depth < 4 ? 0.8 : 0.5) : 0.5
}

function sample(schema: Schema, random: () => number, path: readonly string[]): JsonValue | undefined {
  if ('enum' in schema && schema.enum !== undefined) return anyOf(schema.enum, random)
  switch (schema.kind) {
    case 'object':
      // Metadata has no defaults of its own, and most of the fields.
      if (schema.name === 'meta.v1.ObjectMeta') return { name: 'web' }
      return path.includes(schema.name ?? '') ? undefined : sampleObject(schema, random, path)
    case 'list':
      return wrapped(sample(schema.items, random, path), (item) => [item])
    case 'map':
      return wrapped(sample(schema.values, random, path), (item) => ({ a: item }))
    case 'any':
      return undefined
    default:
      return anyOf(sampleValues[schema.kind] ?? [], random)
  }
}

const wrapped = (item: JsonValue | undefined, wrap: (item: JsonValue) => JsonValue): JsonValue | undefined =>
  item === undefined ? undefined : wrap(item)

const anyOf = (values: readonly JsonValue[], random: () => number): JsonValue | undefined =>
  values[Math.floor(random() * values.length)]

/** Several where a default may be taken from another field, so that it is seen to follow that. */
const sampleValues: Readonly<Record<string, readonly JsonValue[]>> = {
  string: ['User', 'a', 'b', 'c'],
  integer: [6, 7, 8, 9],
  number: [7],
  boolean: [true],
  'int-or-string': [7],
  quantity: ['7'],
  time: ['2024-05-06T07:08:09Z'],
  'micro-time': ['2024-05-06T07:08:09.000000Z'],
  duration: ['7s'],
  bytes: ['YQ=='],
}
