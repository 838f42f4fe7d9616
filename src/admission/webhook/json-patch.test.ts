import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { applyPatch } from './json-patch.ts'

const document: JsonObject = { a: { b: 1 }, list: [1, 2], 'x/y': 'slash' }

describe('JSON patches', () => {
  it.each<[string, JsonValue, JsonValue]>([
    ['add a key', [{ op: 'add', path: '/a/c', value: 2 }], { ...document, a: { b: 1, c: 2 } }],
    ['add to the end', [{ op: 'add', path: '/list/-', value: 3 }], { ...document, list: [1, 2, 3] }],
    ['insert', [{ op: 'add', path: '/list/0', value: 0 }], { ...document, list: [0, 1, 2] }],
    ['remove', [{ op: 'remove', path: '/a/b' }], { ...document, a: {} }],
    ['remove from the end', [{ op: 'remove', path: '/list/-1' }], { ...document, list: [1] }],
    ['replace what is missing', [{ op: 'replace', path: '/a/new', value: 1 }], { ...document, a: { b: 1, new: 1 } }],
    ['escaped keys', [{ op: 'replace', path: '/x~1y', value: 1 }], { ...document, 'x/y': 1 }],
    ['move', [{ op: 'move', from: '/a/b', path: '/c' }], { ...document, a: {}, c: 1 }],
    ['copy', [{ op: 'copy', from: '/a', path: '/c' }], { ...document, c: { b: 1 } }],
    ['test', [{ op: 'test', path: '/a', value: { b: 1 } }], document],
  ])('%s', (_, patch, expected) => {
    expect(applyPatch(document, patch)).toEqual(expected)
  })

  it.each<[string, JsonValue, string]>([
    [
      'add without a parent',
      [{ op: 'add', path: '/n/x', value: 1 }],
      'add operation does not apply: doc is missing path: "/n/x": missing value',
    ],
    [
      'remove what is missing',
      [{ op: 'remove', path: '/a/n' }],
      "error in remove for path: '/a/n': Unable to remove nonexistent key: n: missing value",
    ],
    ['a bad index', [{ op: 'add', path: '/list/9', value: 1 }], 'invalid index'],
    ['a failing test', [{ op: 'test', path: '/a/b', value: 2 }], 'testing value /a/b failed: test failed'],
    ['an unknown operation', [{ op: 'odd', path: '/a' }], 'Unexpected kind: odd'],
    ['no list', {}, 'cannot unmarshal'],
  ])('%s fails', (_, patch, message) => {
    expect(() => applyPatch(document, patch)).toThrow(message)
  })

  it('takes __proto__ as a plain key', () => {
    const result = applyPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }])
    expect(Object.hasOwn(result as object, '__proto__')).toBe(true)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})
