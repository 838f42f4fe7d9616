// Applies to objects that stand in their way: owners that cannot be read, elements without a name, duplicates, and whatever nobody owned yet.
import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { ApiError } from '../../api/status-error.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import type { Schema } from '../../schema/schema.ts'
import { type Applied, type ApplyBy, applyConfig } from './apply-config.ts'
import { metadataOf } from './managed-fields.ts'
import { integer, keyed, map, object, objectMeta, text } from './testing/test-schemas.ts'
import type { VersionedType } from './versioned-type.ts'

const schema = object({
  apiVersion: text,
  kind: text,
  metadata: objectMeta,
  data: map(text),
  count: integer,
  items: keyed(['name'], object({ name: text, value: integer })),
})
const typeOf = (schemas: Readonly<Record<string, Schema>>): VersionedType => ({
  schema: (version) => schemas[version],
  convert: (value, apiVersion) => ({ ...value, apiVersion }),
})
const type = typeOf({ v1: schema })
const by: ApplyBy = {
  manager: 'me',
  apiVersion: 'v1',
  kind: 'Thing',
  time: '2026-01-01T00:00:00Z',
  force: false,
  unknownFields: 'refuse',
}
const thing = (fields: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'x', namespace: 'ns', ...metadata },
  ...fields,
})
const entry = (manager: string, fieldsV1: JsonValue, changed: JsonObject = {}): JsonObject => ({
  manager,
  operation: 'Update',
  apiVersion: 'v1',
  time: '2025-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...changed,
})
const stored = (fields: JsonObject, ...entries: JsonObject[]): JsonObject =>
  thing(fields, { uid: 'u', ...(entries.length === 0 ? {} : { managedFields: entries }) })

const apply = (live: JsonObject | undefined, config: JsonObject, more: Partial<ApplyBy> = {}, of = type): Applied =>
  runToEnd(applyConfig(of, live, thing(config), { ...by, ...more }))
const owners = ({ object: { metadata } }: Applied): string[] =>
  ((metadata as JsonObject)['managedFields'] as JsonObject[]).map(
    ({ manager, operation, time, fieldsV1 }) => `${manager} ${operation} ${time ?? '-'} ${JSON.stringify(fieldsV1)}`,
  )

function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`
    throw error
  }
  return 'taken'
}

describe('an object that stands in the way', () => {
  const unnamed =
    'associative list with keys has an element that omits key field "name" (and doesn\'t have default value)'
  const [a, b] = [{ name: 'a' }, { name: 'b' }]
  it.each<[string, JsonObject, string]>([
    [
      'by owners that cannot be read',
      stored({}, entry('one', { data: {} })),
      '500 failed to decode managed fields: error decoding set: missing colon: data',
    ],
    [
      'by an element without a name, before the first apply',
      stored({ items: [a, {}] }),
      `500 failed to create manager for existing fields: failed to convert new object (ns/x; /v1, Kind=Thing) to smd typed: .items: element 1: ${unnamed}`,
    ],
    [
      'by several wrong things, before the first apply',
      stored({ items: [{}], count: 'x' }),
      `500 failed to create manager for existing fields: failed to convert new object (ns/x; /v1, Kind=Thing) to smd typed: errors:\n  .items: element 0: ${unnamed}\n  .count: expected numeric (int or float), got string`,
    ],
    [
      'by an element without a name, among those with an owner',
      stored({ items: [{}, b] }, entry('one', { 'f:data': {} })),
      `500 failed to create typed live object (ns/x; /v1, Kind=Thing): .items: element 0: ${unnamed}`,
    ],
    ['not by an element that is there twice', stored({ items: [b, b] }, entry('one', { 'f:data': {} })), 'taken'],
  ])('%s', (_, live, expected) => {
    expect(refusal(() => apply(live, { items: [a] }))).toBe(expected)
  })

  it('by duplicates in a version that another owner has', () => {
    const versions = typeOf({ v1: schema, v2: schema })
    const live = stored({ items: [b, b] }, entry('one', { 'f:data': {} }, { apiVersion: 'v2' }))
    expect(refusal(() => apply(live, { items: [a] }, {}, versions))).toBe(
      '500 .items: duplicate entries for key [name="b"]',
    )
  })

  it('by a type that does not exist is one without a type', () => {
    const none = typeOf({})
    expect(apply(undefined, { anything: { a: 1 } }, {}, none).object).toMatchObject({ anything: { a: 1 } })
  })
})

describe('the first apply', () => {
  it('finds what was there owned by one that was before it', () => {
    const applied = apply(stored({ data: { a: '1' } }), { data: { b: '2' } })
    expect(applied.object['data']).toEqual({ a: '1', b: '2' })
    expect(owners(applied)).toEqual([
      'me Apply 2026-01-01T00:00:00Z {"f:data":{"f:b":{}}}',
      'before-first-apply Update 2026-01-01T00:00:00Z {"f:data":{".":{},"f:a":{}}}',
    ])
    expect(applied.isSame).toBe(false)
  })

  it('of a new object finds noManagers', () => {
    const applied = apply(undefined, { data: { b: '2' } })
    expect(owners(applied)).toEqual(['me Apply 2026-01-01T00:00:00Z {"f:data":{"f:b":{}}}'])
  })

  it('does the same to a large object', () => {
    const data = Object.fromEntries(Array.from({ length: 1_100 }, (_, i) => [`k${i}`, 'v']))
    const applied = apply(stored({ data }), { data: { b: '2' } })
    expect(Object.keys(applied.object['data'] as JsonObject)).toHaveLength(1_101)
    expect(owners(applied).map((each) => each.slice(0, 30))).toEqual([
      'me Apply 2026-01-01T00:00:00Z ',
      'before-first-apply Update 2026',
    ])
  })
})

describe('an apply that changes nothing', () => {
  const live = () => stored({ data: { a: '1' } }, entry('me', { 'f:data': { 'f:a': {} } }, { operation: 'Apply' }))

  it('keeps the object and the time, and the very entry', () => {
    const before = live()
    const applied = apply(before, { data: { a: '1' } })
    expect([applied.isSame, owners(applied)]).toEqual([true, ['me Apply 2025-01-01T00:00:00Z {"f:data":{"f:a":{}}}']])
    expect(metadataOf(applied.object)['managedFields']).toBe(metadataOf(before)['managedFields'])
  })

  it('counts as a change where it says that there are no owners', () => {
    const applied = runToEnd(applyConfig(type, live(), thing({ data: { a: '1' } }, { managedFields: null }), by))
    expect(owners(applied)).toEqual(['me Apply 2026-01-01T00:00:00Z {"f:data":{"f:a":{}}}'])
  })

  it('has an entry of the version that it came in', () => {
    const versions = typeOf({ v1: schema, v2: schema })
    const before = { ...live(), apiVersion: 'v2' }
    const config = { ...thing({ data: { a: '1' } }), apiVersion: 'v2' }
    const { object: applied } = runToEnd(applyConfig(versions, before, config, { ...by, apiVersion: 'v2' }))
    const [own] = metadataOf(applied)['managedFields'] as JsonObject[]
    expect([own?.['apiVersion'], own?.['time']]).toEqual(['v2', '2025-01-01T00:00:00Z'])
  })

  it('of nothing has no entry', () => {
    const { object: applied } = apply(live(), {})
    expect([metadataOf(applied)['managedFields'], applied['data']]).toEqual([undefined, undefined])
  })
})

it('who has no name is unknown', () => {
  expect(owners(apply(undefined, { count: 1 }, { manager: '' }))).toEqual([
    'unknown Apply 2026-01-01T00:00:00Z {"f:count":{}}',
  ])
})

describe('what was applied from the client', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
  const migrated = (applied: JsonObject, live: JsonObject): JsonObject =>
    thing(live, {
      uid: 'u',
      annotations: { [annotation]: JSON.stringify(thing(applied)) },
      managedFields: [entry('other', { 'f:data': { 'f:a': {}, 'f:b': {} } })],
    })

  it.each<[string, JsonObject, JsonObject, string]>([
    ['may be changed by its manager', { data: { a: '1' } }, { data: { a: '1' } }, 'taken'],
    [
      'but not what has changed since',
      { data: { a: '1' } },
      { data: { a: '2' } },
      '409 Apply failed with 1 conflict: conflict with "other" using v1: .data.a',
    ],
    [
      'nor what was never applied',
      { data: { b: '1' } },
      { data: { a: '1', b: '1' } },
      '409 Apply failed with 1 conflict: conflict with "other" using v1: .data.a',
    ],
    [
      'nor anything where it is no configuration of the type',
      { data: { a: '1' }, bogus: 1 },
      { data: { a: '1' } },
      '409 Apply failed with 1 conflict: conflict with "other" using v1: .data.a',
    ],
    [
      'nor anything where a value has another type',
      { data: { a: '1' }, count: 'x' },
      { data: { a: '1' } },
      '409 Apply failed with 1 conflict: conflict with "other" using v1: .data.a',
    ],
  ])('%s', (_, applied, live, expected) => {
    const change = (): unknown => apply(migrated(applied, live), { data: { a: 'new' } }, { manager: 'kubectl' })
    expect(refusal(change)).toBe(expected)
  })

  it.each([
    [256 * 1024, true],
    [256 * 1024 + 1, false],
  ])('is kept in an annotation while all of them have at most so many bytes: %i, %s', (size, isKept) => {
    const live = migrated({}, {})
    const empty = apply(live, { data: { a: '' } }, { manager: 'kubectl', force: true }).object
    const sizeOf = (object: JsonObject): number =>
      Object.entries(metadataOf(object)['annotations'] as JsonObject).reduce(
        (sum, [key, value]) => sum + key.length + String(value).length,
        0,
      )
    const filler = 'x'.repeat(size - sizeOf(empty))
    const { object: applied } = apply(live, { data: { a: filler } }, { manager: 'kubectl', force: true })
    expect(Object.keys(metadataOf(applied)['annotations'] as JsonObject)).toEqual(isKept ? [annotation] : [])
  })
})
