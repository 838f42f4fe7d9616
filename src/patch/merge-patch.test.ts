import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../api/json.ts'
import { NumberNode, ObjectNode, toTree } from '../schema/json-tree.ts'
import { applyMergePatch, mergedTree } from './merge-patch.ts'

describe('merge patches', () => {
  test.each<[JsonObject, JsonObject, JsonObject]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{ e: null }, { e: { a: 1, b: null } }, { e: { a: 1 } }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: [1] }, { a: [{ b: null }, null] }, { a: [{}, null] }],
    [{ a: { x: 1 } }, { a: [{ b: null }] }, { a: [{ b: null }] }],
  ])('%j with %j', (current, patch, expected) => expect(applyMergePatch(current, patch)).toEqual(expected))

  test.each<[JsonValue, boolean, string]>([
    [[], false, 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['x', false, 'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}'],
    [7, false, 'error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}'],
    [null, false, 'Invalid JSON Patch'],
    ['x', true, 'Invalid JSON Patch'],
  ])('%j is refused', (patch, lenient, message) => {
    expect(() => applyMergePatch({}, patch, { lenient })).toThrow(message)
  })

  test('without field validation a list takes the place of the object', () => {
    expect(applyMergePatch({ a: 1 }, [1, null, { b: null, c: 2 }], { lenient: true })).toEqual([1, null, { c: 2 }])
  })

  test('any key is a plain key', () => {
    const patch = JSON.parse('{"__proto__":{"polluted":true,"gone":null}}') as JsonObject
    expect(JSON.stringify(applyMergePatch({}, patch))).toBe('{"__proto__":{"polluted":true}}')
    expect(({} as JsonObject)['polluted']).toBeUndefined()
    expect(JSON.stringify(applyMergePatch(JSON.parse('{"__proto__":1}') as JsonObject, { a: 1 }))).toBe(
      '{"__proto__":1,"a":1}',
    )
  })

  test('what is not touched is shared', () => {
    const current = { a: { b: 1 }, c: { d: 1 } }
    expect((applyMergePatch(current, { a: { b: 2 } }) as JsonObject)['c']).toBe(current.c)
    expect(applyMergePatch(current, { a: { b: 1, x: null }, c: { d: 1 } })).toBe(current)
    const lists = { a: [{ b: 1 }], c: 1 }
    expect((applyMergePatch(lists, { a: [{ b: 1, x: null }], c: 2 }) as JsonObject)['a']).toBe(lists.a)
  })

  test('depth', () => {
    let deep: JsonObject = {}
    for (let i = 0; i < 20_000; i++) deep = { a: deep }
    expect(() => applyMergePatch({}, deep)).toThrow('exceeded max depth of 1000')
  })

  test('laws', () => {
    const key = fc.constantFrom('a', 'b', 'c', '__proto__')
    const value = fc.letrec<{ tree: JsonValue; object: JsonObject }>((tie) => ({
      tree: fc.oneof({ maxDepth: 4 }, fc.integer(), fc.constant(null), fc.array(fc.integer()), tie('object')),
      object: fc.dictionary(key, tie('tree')) as fc.Arbitrary<JsonObject>,
    }))
    fc.assert(
      fc.property(value.object, value.object, (current, patch) => {
        const before = JSON.stringify([current, patch])
        const once = applyMergePatch(current, patch) as JsonObject
        expect(JSON.stringify([current, patch])).toBe(before)
        expect(applyMergePatch(once, patch)).toBe(once)
        expect(applyMergePatch(current, {})).toBe(current)
      }),
    )
  })
})

test('the result is shown sorted where it was merged, and with numbers as they are written', () => {
  const patch = new ObjectNode()
  patch.keys.push('n', 'b', 'gone', 'new')
  patch.values.push(new NumberNode('1.0'), toTree({ y: 1 }), null, toTree([{ z: 1, a: [null], no: null }]))
  const shown = mergedTree({ gone: 1, kept: { z: 1, a: 2 }, b: { z: 1, a: { q: 1, c: 2 } }, zero: 0 }, patch)
  const sorted = toTree({
    b: { a: { q: 1, c: 2 }, y: 1, z: 1 },
    kept: { z: 1, a: 2 },
    n: 1,
    new: [{ a: [null], z: 1 }],
    zero: 0,
  }) as ObjectNode
  sorted.values[2] = new NumberNode('1.0')
  expect(shown).toEqual(sorted)
})
