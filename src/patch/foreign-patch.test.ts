import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../api/json.ts'
import { applyForeignPatch } from './json-patch.ts'

const document: JsonObject = { a: { b: 1 }, list: [1, 2], 'x/y': 'slash' }

describe('JSON patches of webhooks and policies', () => {
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
    ['insert before the end', [{ op: 'add', path: '/list/-2', value: 0 }], { ...document, list: [1, 0, 2] }],
    ['copy what is missing', [{ op: 'copy', from: '/a/n', path: '/c' }], { ...document, c: null }],
    ['drop what is before the first slash', [{ op: 'replace', path: 'q/a', value: 1 }], { ...document, a: 1 }],
    ['leave the whole as it is', [{ op: 'replace', path: '', value: 1 }], document],
    ['test', [{ op: 'test', path: '/a', value: { b: 1 } }], document],
  ])('%s', (_, patch, expected) => {
    expect(applyForeignPatch(document, patch)).toEqual(expected)
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
    [
      'a bad index',
      [{ op: 'add', path: '/list/9', value: 1 }],
      "error in add for path: '/list/9': Unable to access invalid index: 9: invalid index referenced",
    ],
    [
      'no index',
      [{ op: 'add', path: '/list/x', value: 1 }],
      `error in add for path: '/list/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
    ],
    ['no path', [{ op: 'add' }], 'add operation failed to decode path: missing value'],
    [
      'no path to replace',
      [{ op: 'replace' }],
      'replace operation failed to decode path: operation missing path field: missing value',
    ],
    [
      'no source',
      [{ op: 'move', path: '/a' }],
      'move operation failed to decode from: operation, missing from field: missing value',
    ],
    [
      'move of what is missing',
      [{ op: 'move', from: '/a/n', path: '/b' }],
      "error in move for path: 'n': Unable to remove nonexistent key: n: missing value",
    ],
    [
      'move to nowhere',
      [{ op: 'move', from: '/a/b', path: '/n/x' }],
      'move operation does not apply: doc is missing destination path: /n/x: missing value',
    ],
    [
      'replace beyond the end',
      [{ op: 'replace', path: '/list/2', value: 1 }],
      'replace operation does not apply: doc is missing key: /list/2: missing value',
    ],
    [
      'a test without a parent',
      [{ op: 'test', path: '/n/x', value: 1 }],
      'test operation does not apply: is missing path: /n/x: missing value',
    ],
    [
      'add of the whole',
      [{ op: 'add', path: '', value: 1 }],
      'add operation does not apply: doc is missing path: "": missing value',
    ],
    ['no operation', [1], 'json: cannot unmarshal number into Go value of type jsonpatch.Operation'],
    ['no kind', [{}], 'Unexpected kind: unknown'],
    [
      'a number for a path',
      [{ op: 'replace', path: 7 }],
      'replace operation failed to decode path: json: cannot unmarshal number into Go value of type string',
    ],
    [
      'a number for a source',
      [{ op: 'copy', from: 7, path: '/a' }],
      'copy operation failed to decode from: json: cannot unmarshal number into Go value of type string',
    ],
    [
      'a source that leads nowhere',
      [{ op: 'copy', from: '/n/x', path: '/b' }],
      'copy operation does not apply: doc is missing from path: /n/x: missing value',
    ],
    [
      'a source beyond the end',
      [{ op: 'copy', from: '/list/7', path: '/n/x' }],
      "error in copy for from: '/list/7': Unable to access invalid index: 7: invalid index referenced",
    ],
    [
      'a copy to nowhere',
      [{ op: 'copy', from: '/a', path: '/n/x' }],
      'copy operation does not apply: doc is missing destination path: /n/x: missing value',
    ],
    [
      'a copy beyond the end',
      [{ op: 'copy', from: '/a', path: '/list/7' }],
      'error while adding value during copy: Unable to access invalid index: 7: invalid index referenced',
    ],
    [
      'a move beyond the end',
      [{ op: 'move', from: '/a', path: '/list/7' }],
      "error in move for path: '/list/7': Unable to access invalid index: 7: invalid index referenced",
    ],
    [
      'a move without a path',
      [{ op: 'move', from: '/a' }],
      'move operation failed to decode path: operation missing path field: missing value',
    ],
    [
      'a test beyond the end',
      [{ op: 'test', path: '/list/7', value: 1 }],
      "error in test for path: '/list/7': Unable to access invalid index: 7: invalid index referenced",
    ],
    [
      'remove from nowhere',
      [{ op: 'remove', path: '/n/x' }],
      'remove operation does not apply: doc is missing path: "/n/x": missing value',
    ],
    [
      'remove with a word',
      [{ op: 'remove', path: '/list/x' }],
      `error in remove for path: '/list/x': strconv.Atoi: parsing "x": invalid syntax`,
    ],
    [
      'replace nowhere',
      [{ op: 'replace', path: '/n/x', value: 1 }],
      'replace operation does not apply: doc is missing path: /n/x: missing value',
    ],
    ['replace the whole by nothing', [{ op: 'replace', path: '' }], 'replace operation does not apply: missing value'],
    [
      'a position with a sign',
      [{ op: 'add', path: '/list/+9', value: 1 }],
      "error in add for path: '/list/+9': Unable to access invalid index: 9: invalid index referenced",
    ],
    ['a failing test', [{ op: 'test', path: '/a/b', value: 2 }], 'testing value /a/b failed: test failed'],
    ['an unknown operation', [{ op: 'odd', path: '/a' }], 'Unexpected kind: odd'],
    ['no list', {}, 'json: cannot unmarshal object into Go value of type jsonpatch.Patch'],
  ])('%s fails', (_, patch, message) => {
    expect(() => applyForeignPatch(document, patch)).toThrow(message)
  })

  it('takes __proto__ as a plain key', () => {
    const result = applyForeignPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }])
    expect(Object.hasOwn(result as object, '__proto__')).toBe(true)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('stops copies that grow with each other', () => {
    const patch = Array.from({ length: 60 }, (_, i) => ({ op: 'copy', from: '/a', path: `/a/c${i}` }))
    expect(() => applyForeignPatch(document, patch)).toThrow(
      /^Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728$/,
    )
  })
})
