import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyList, emptyMap, type JsonObject, type JsonValue } from '../api/json.ts'
import { typeNames, typeSchema } from '../catalog/catalog.ts'
import { canonicalize, decodeTree, decodeValue } from './canonicalize.ts'
import { decodeFast } from './decode.ts'
import { toTree } from './json-tree.ts'
import { valuesOf } from './test-values.ts'

// Where a JSON schema or something else may stand, the fast decoder leaves the choice to the exact one.
const names = [...typeNames()].filter((name) => !name.startsWith('apiextensions.v1.'))

describe('the fast and the exact decoder', () => {
  it('agree on every type', () => {
    const cases = fc.constantFrom(...names).chain((name) => fc.tuple(fc.constant(name), valuesOf(typeSchema(name), 4)))
    fc.assert(
      fc.property(cases, ([name, value]) => {
        const schema = typeSchema(name)
        const exact = decodeTree(toTree(value), schema)
        if (exact.error !== undefined) throw new Error(exact.error)
        const fast = decodeFast(value, schema, { empties: 'given' })?.object
        expect(JSON.stringify(fast)).toBe(JSON.stringify(exact.object))
        const canonical = canonicalize(exact.object, schema)
        expect(JSON.stringify(canonical)).toBe(JSON.stringify(decodeFast(value, schema)?.object))
        expect(canonicalize(canonical, schema)).toBe(canonical)
      }),
      { numRuns: 500 },
    )
  })

  it('keep an empty list as it is given, which is stored as null', () => {
    const schema = typeSchema('rbac.v1.Role')
    const decoded = decodeValue({ metadata: { name: 'a' }, rules: [] }, schema)
    if (decoded.error !== undefined) throw new Error(decoded.error)
    expect(decoded.object['rules']).toEqual([])
    expect(canonicalize(decoded.object, schema)['rules']).toBeNull()
  })

  it.each([true, 1, 'x', [], [null]])('write %j in place of schemas as Go does', (items) => {
    const decoded = decodeValue({ items }, typeSchema('apiextensions.v1.JSONSchemaProps'))
    if (decoded.error !== undefined) throw new Error(decoded.error)
    expect(JSON.parse(JSON.stringify(decoded.object))).toEqual({
      items: Array.isArray(items) && items.length > 0 ? [{}] : null,
    })
  })

  it('tell an empty list or map from none until it is written', () => {
    const schema = typeSchema('storage.v1.StorageClass')
    const given = { metadata: { name: 'a', labels: {} }, provisioner: 'p', parameters: {}, mountOptions: [] }
    const decoded = decodeValue(given, schema)
    if (decoded.error !== undefined) throw new Error(decoded.error)
    expect(decoded.object['parameters']).toBe(emptyMap)
    expect(decoded.object['mountOptions']).toBe(emptyList)
    for (const empties of ['stored', 'written'] as const) {
      expect(canonicalize(decoded.object, schema, { empties })).toEqual({
        metadata: { name: 'a', creationTimestamp: null },
        provisioner: 'p',
      })
    }
    expect(canonicalize(decoded.object, schema, { empties: 'given' })).toBe(decoded.object)
  })

  it('never change what they are given', () => {
    const schema = typeSchema('core.v1.Pod')
    fc.assert(
      fc.property(valuesOf(schema, 5), (value) => {
        const before = JSON.stringify(value)
        decodeValue(value, schema)
        expect(JSON.stringify(value)).toBe(before)
      }),
      { numRuns: 100 },
    )
  })

  it('give the same with a baseline that shares parts with the input', () => {
    const schema = typeSchema('core.v1.Pod')
    fc.assert(
      fc.property(valuesOf(schema, 5), valuesOf(schema, 5), fc.boolean(), (value, other, isDeep) => {
        const baseline = canonicalize(other as JsonObject, schema)
        const parts = isDeep
          ? { ...(value as JsonObject), spec: { ...(baseline['spec'] as JsonObject), hostname: '' } }
          : value
        const shared = { ...baseline, ...(parts as JsonObject) }
        const plain = JSON.parse(JSON.stringify(shared)) as JsonValue
        expect(JSON.stringify(decodeValue(shared, schema, { baseline }))).toBe(
          JSON.stringify(decodeValue(plain, schema)),
        )
      }),
      { numRuns: 200 },
    )
  })

  it('make nothing of a value the empty one of its type', () => {
    const { object } = decodeFast({ data: { a: null }, binaryData: { b: null } }, typeSchema('core.v1.ConfigMap')) ?? {}
    expect(object).toMatchObject({ data: { a: '' }, binaryData: { b: '' } })
  })

  it('recover after input that they refuse', () => {
    const schema = typeSchema('core.v1.ConfigMap')
    expect(decodeFast({ metadata: { labels: { a: 1 } } }, schema)).toBeUndefined()
    expect(decodeFast({ data: { b: '1', a: '2' } }, schema)).toEqual({
      object: { metadata: { creationTimestamp: null }, data: { a: '2', b: '1' } },
      keys: 3,
      losesEmpties: false,
      hasWritings: false,
    })
  })
})
