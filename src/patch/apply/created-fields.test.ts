// A create in one walk against the general way: a comparison with an object about which nobody has said anything.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { markInterned } from '../../api/interned.ts'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { typeNames, typeSchema } from '../../catalog/catalog.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import type { Schema } from '../../schema/schema.ts'
import { valuesOf } from '../../schema/test-values.ts'
import { compareValues } from './compare.ts'
import { createdFields, prepareCreatedFields } from './created-fields.ts'
import { emptyObject } from './empty-object.ts'
import { excludingFields } from './field-filter.ts'
import { metadataOf } from './managed-fields.ts'
import { recordCreate } from './record-create.ts'
import { recordUpdate } from './record-update.ts'
import { anything, atomicMap, integer, keyed, list, map, object, set, text } from './testing/test-schemas.ts'
import { ListItemError } from './topology.ts'
import type { VersionedType } from './versioned-type.ts'

const custom = object(() => ({
  leaf: text,
  constructor: text,
  struct: object({ a: text, deep: object({ names: set(), items: keyed(['id'], object({ id: integer, v: text })) }) }),
  open: object({ a: text }, { preserveUnknown: true }),
  whole: object({ a: text }, { atomic: true }),
  free: map(object({ a: text })),
  wholeMap: atomicMap(text),
  wholeList: list(object({ a: text })),
  twice: keyed(['a', 'b'], object({ a: text, b: integer, more: map(text) })),
  any: anything,
}))

const outcome = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    if (error instanceof ListItemError) return error.message
    throw error
  }
}

function compared(schema: Schema, value: JsonObject): string {
  const { added, modified } = compareValues(schema, emptyObject(schema), value)
  return modified.union(added).toString()
}

const kinds = [...typeNames()].map((name) => typeSchema(name)).filter(({ fields }) => fields.has('metadata'))

describe('the fields of a new object', () => {
  const types = fc.oneof(fc.constantFrom(...kinds), fc.constant(custom), fc.constantFrom(anything, atomicMap(text)))
  const created = types.chain((schema) =>
    fc.tuple(fc.constant(schema), valuesOf(schema, 6) as fc.Arbitrary<JsonObject>, fc.boolean()),
  )

  it('are those of a comparison, whatever the type', () => {
    fc.assert(
      fc.property(created, ([schema, value, isOdd]) => {
        // Keys that the type does not have, and such as every object has.
        const whole = isOdd ? { ...value, odd: { a: [1] }, toString: { b: null } } : value
        const one = outcome(() => createdFields(schema, whole).toString())
        expect(one).toEqual(outcome(() => compared(schema, whole)))
      }),
      { numRuns: 1000 },
    )
  })

  it.each<[string, JsonObject]>([
    [
      'a list with an element twice',
      {
        twice: [
          { a: 'x', b: 1 },
          { a: 'x', b: 1, more: { k: 'v' } },
          { a: 'y', b: 2 },
        ],
      },
    ],
    ['a list with many elements', { struct: { deep: { names: Array.from({ length: 20 }, (_, i) => `n${i % 15}`) } } }],
    ['a map with many keys', { free: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`k${200 - i}`, {}])) }],
    ['an element without a key', { struct: { deep: { items: [{ v: 'x' }] } } }],
    ['an unknown field where they are kept', { open: { a: 'x', b: { c: [1], d: { e: null } } } }],
    ['an unknown field where they are not', { struct: { a: 'x', b: { c: 1 } }, more: { d: { e: 1 } } }],
    ['a value of another shape', { struct: [1], free: 'x', wholeList: {}, any: null }],
  ])('are those of a comparison for %s', (_, value) => {
    expect(outcome(() => createdFields(custom, value).toString())).toEqual(outcome(() => compared(custom, value)))
  })
})

describe('the owner of a new object', () => {
  const by = { manager: 'me', apiVersion: 'v1', time: '2026-01-01T00:00:00Z' }

  it('is entered as by any other write', () => {
    const types = fc.constantFrom<Schema>(...kinds.filter(({ fields }) => fields.has('spec')), custom)
    const cases = types.chain((schema) => fc.tuple(fc.constant(schema), valuesOf(schema, 5), fc.boolean()))
    fc.assert(
      fc.property(cases, ([schema, value, hasReset]) => {
        const type: VersionedType = {
          schema: () => schema,
          convert: (same) => same,
          filter: () => (hasReset ? excludingFields(['status', 'metadata.labels']) : undefined),
        }
        const given: JsonObject = { ...(value as JsonObject), apiVersion: 'v1', kind: 'X' }
        const body = { ...given, metadata: { ...metadataOf(given), managedFields: undefined } }
        const general = metadataOf(recordUpdate(type, undefined, body, by))['managedFields'] as JsonValue | undefined
        expect(JSON.stringify(recordCreate(type, body, by))).toBe(JSON.stringify(general))
      }),
      { numRuns: 500 },
    )
  })
})

describe('large parts of a new object', () => {
  const many = Array.from({ length: 1_100 }, (_, i) => `n${i}`)
  const map_ = (value: JsonValue = {}): JsonObject => Object.fromEntries(many.map((name) => [name, value]))
  const emitted = object(
    {
      spec: { emit: object({ names: { emit: set() }, free: map(text), other: text }, { name: 'x.Spec' }) },
      free: map(object({ a: text })),
      whole: object({ a: text }, { atomic: true }),
    },
    { name: 'x.Thing' },
  )

  it.each<[string, Schema, JsonObject]>([
    ['a map', custom, { free: map_({ a: 'x' }), leaf: 'y' }],
    ['a list in a struct', custom, { struct: { a: 'x', deep: { names: many } } }],
    ['a whole map', custom, { wholeMap: map_('x') }],
    ['what the type leaves open', custom, { any: map_({ b: [1] }) }],
    ['an unknown field', custom, { more: map_() }],
    ['a list where there is none at first', emitted, { spec: { names: many, other: 'x' } }],
    ['a map in what is always there', emitted, { spec: { free: map_('x') }, free: map_() }],
    ['a whole struct', emitted, { whole: map_('x') }],
    ['an element twice', custom, { struct: { deep: { names: [...many, 'n7'] } } }],
    ['of a type that is no struct', map(anything), map_()],
    ['of a type in one piece', object({ a: text }, { atomic: true }), { a: map_() }],
  ])('have the same sets when they were prepared: %s', (_, schema, value) => {
    const expected = createdFields(schema, structuredClone(value)).toString()
    runToEnd(prepareCreatedFields(schema, value))
    expect(createdFields(schema, value).toString()).toBe(expected)
    expect(expected).toBe(compared(schema, structuredClone(value)))
  })

  it('are prepared in steps that are not many, and are not gone over again', () => {
    const value = { free: map_({ a: 'x' }), struct: { deep: { names: many } } }
    const steps = prepareCreatedFields(custom, value)
    let count = 0
    while (steps.next().done !== true) count++
    expect([count > 10, count < 100]).toEqual([true, true])
    // What is known of a part is not looked for again: nothing else tells that it changed.
    value.free['n7'] = {}
    expect(createdFields(custom, value).toString()).toContain('.free.n7.a')
  })

  it('with an element that has no name are refused', () => {
    const items = many.map((_, id) => ({ id }))
    const value = { struct: { deep: { items: [...items, { v: 'x' }] } } }
    expect(() => runToEnd(prepareCreatedFields(custom, value))).toThrow(ListItemError)
  })
})

it('a part that many objects share has its set made once', () => {
  const shared = markInterned({ a: 'x', deep: { names: ['n'] } })
  const schema = object({ struct: custom.fields.get('struct')?.schema as Schema, other: text })
  const sets = [createdFields(schema, { struct: shared }), createdFields(schema, { struct: shared, other: 'y' })]
  expect(sets.map(String)).toEqual([
    '.struct\n.struct.a\n.struct.deep\n.struct.deep.names\n.struct.deep.names[="n"]',
    '.other\n.struct\n.struct.a\n.struct.deep\n.struct.deep.names\n.struct.deep.names[="n"]',
  ])
})
