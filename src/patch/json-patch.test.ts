import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../api/json.ts'
import { type JsonNode, NumberNode, ObjectNode, toTree } from '../schema/json-tree.ts'
import { applyJsonPatch, parseJsonPatch, patchedTree } from './json-patch.ts'

const apply = (current: JsonObject, operations: JsonValue): JsonValue =>
  applyJsonPatch(current, parseJsonPatch(toTree(operations)))

/** The patched value, or the code and message of the error. */
function outcome(run: () => JsonValue): JsonValue {
  try {
    return run()
  } catch (error) {
    const { code, message } = error as { code: number; message: string }
    return code === 422 ? 422 : `${code} ${message}`
  }
}

const doc: JsonObject = { a: { b: 'c', 'd/e~': 1 }, list: ['x', 'y'], none: null }

describe('operations', () => {
  test.each<[string, JsonValue, JsonValue]>([
    ['nothing', [], doc],
    ['add a key', [{ op: 'add', path: '/a/n', value: 1 }], { ...doc, a: { b: 'c', 'd/e~': 1, n: 1 } }],
    ['add over a key', [{ op: 'add', path: '/a', value: [] }], { ...doc, a: [] }],
    ['add at the end', [{ op: 'add', path: '/list/-', value: 'z' }], { ...doc, list: ['x', 'y', 'z'] }],
    ['insert', [{ op: 'add', path: '/list/1', value: 'z' }], { ...doc, list: ['x', 'z', 'y'] }],
    ['insert at a padded position', [{ op: 'add', path: '/list/01', value: 'z' }], { ...doc, list: ['x', 'z', 'y'] }],
    ['add from the end', [{ op: 'add', path: '/list/-1', value: 'z' }], { ...doc, list: ['x', 'y', 'z'] }],
    ['add too far', [{ op: 'add', path: '/list/3', value: 'z' }], 422],
    ['add too far from the end', [{ op: 'add', path: '/list/-4', value: 'z' }], 422],
    ['add at a word', [{ op: 'add', path: '/list/first', value: 'z' }], 422],
    ['add below nothing', [{ op: 'add', path: '/no/x', value: 'z' }], 422],
    ['add below null', [{ op: 'add', path: '/none/x', value: 'z' }], 422],
    ['add below text', [{ op: 'add', path: '/a/b/x', value: 'z' }], 422],
    ['add without a value', [{ op: 'add', path: '/n' }], { ...doc, n: null }],
    ['add without a slash', [{ op: 'add', path: 'a/n', value: 1 }], { ...doc, n: 1 }],
    ['add nowhere', [{ op: 'add', path: 'n', value: 1 }], 422],
    ['remove', [{ op: 'remove', path: '/a/d~1e~0' }], { ...doc, a: { b: 'c' } }],
    ['remove from a list', [{ op: 'remove', path: '/list/-1' }], { ...doc, list: ['x'] }],
    ['remove nothing', [{ op: 'remove', path: '/no' }], 422],
    ['remove the whole', [{ op: 'remove', path: '' }], 422],
    ['replace', [{ op: 'replace', path: '/list/0', value: 'z' }], { ...doc, list: ['z', 'y'] }],
    ['replace a missing key', [{ op: 'replace', path: '/n', value: 1 }], { ...doc, n: 1 }],
    ['replace a missing item', [{ op: 'replace', path: '/list/2', value: 1 }], 422],
    ['replace the end', [{ op: 'replace', path: '/list/-', value: 1 }], 422],
    ['replace the whole', [{ op: 'replace', path: '', value: { z: 1 } }], { z: 1 }],
    ['replace the whole by text', [{ op: 'replace', path: '', value: 'z' }], doc],
    ['replace the whole by null', [{ op: 'replace', path: '', value: null }], doc],
    ['replace the whole by nothing', [{ op: 'replace', path: '' }], 422],
    ['move', [{ op: 'move', from: '/a/b', path: '/list/0' }], { ...doc, a: { 'd/e~': 1 }, list: ['c', 'x', 'y'] }],
    ['move nothing', [{ op: 'move', from: '/no', path: '/n' }], 422],
    ['copy', [{ op: 'copy', from: '/a/b', path: '/n' }], { ...doc, n: 'c' }],
    ['copy nothing', [{ op: 'copy', from: '/no', path: '/n' }], { ...doc, n: null }],
    ['copy without from', [{ op: 'copy', path: '/n' }], 422],
    ['test', [{ op: 'test', path: '/a', value: { 'd/e~': 1, b: 'c' } }], doc],
    ['test the whole', [{ op: 'test', path: '', value: doc }], doc],
    ['test something else', [{ op: 'test', path: '/a/b', value: 'x' }], 422],
    ['test more keys', [{ op: 'test', path: '/a', value: { b: 'c', 'd/e~': 1, n: 1 } }], 422],
    ['test nothing for null', [{ op: 'test', path: '/no', value: null }], doc],
    ['test nothing for something', [{ op: 'test', path: '/no', value: 1 }], 422],
    ['an unknown operation', [{ op: 'bogus', path: '/a' }], 422],
    ['no operation', [{ path: '/a' }], 422],
    ['null for an operation', [null], 422],
    ['no path', [{ op: 'add', value: 1 }], 422],
    ['null for a patch', null, doc],
    [
      'an object',
      {},
      '400 error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    ],
    [
      'text',
      'x',
      '400 error decoding patch: json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp',
    ],
    [
      'a number for an operation',
      [1],
      '400 error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp',
    ],
    [
      'a number for a path',
      [{ op: 'add', path: 1 }],
      '400 error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string',
    ],
  ])('%s', (_, operations, expected) => {
    const before = structuredClone(doc)
    expect(outcome(() => apply(doc, operations))).toEqual(expected)
    expect(doc).toEqual(before)
  })

  test('copies are apart from their originals', () => {
    const result = apply({ a: { b: 1 } }, [
      { op: 'add', path: '/a/c', value: 2 },
      { op: 'copy', from: '/a', path: '/z' },
      { op: 'add', path: '/a/d', value: 3 },
      { op: 'add', path: '/z/e', value: 4 },
    ])
    expect(result).toEqual({ a: { b: 1, c: 2, d: 3 }, z: { b: 1, c: 2, e: 4 } })
  })

  test('what is not touched is shared', () => {
    const current = { a: { b: 1 }, c: { d: 1 } }
    const result = apply(current, [{ op: 'add', path: '/a/b', value: 2 }]) as JsonObject
    expect(result['c']).toBe(current.c)
  })

  test('numbers are compared by their text', () => {
    const operation = new ObjectNode()
    operation.keys.push('op', 'path', 'value')
    operation.values.push('test', '/n', new NumberNode('1.0'))
    expect(outcome(() => applyJsonPatch({ n: 1 }, parseJsonPatch([operation])))).toBe(422)
  })

  test('any key is a plain key', () => {
    const result = apply({}, [
      { op: 'add', path: '/__proto__', value: { polluted: true } },
      { op: 'add', path: '/__proto__/more', value: 1 },
    ]) as JsonObject
    expect(JSON.stringify(result)).toBe('{"__proto__":{"polluted":true,"more":1}}')
    expect(({} as JsonObject)['polluted']).toBeUndefined()
    expect(outcome(() => apply({}, [{ op: 'add', path: '/constructor/x', value: 1 }]))).toBe(422)
  })
})

describe('bounds', () => {
  const many = (count: number): JsonValue => Array.from({ length: count }, () => ({ op: 'test', path: '/a', value: 1 }))

  test('ten thousand operations', () => {
    expect(apply({ a: 1 }, many(10_000))).toEqual({ a: 1 })
    expect(outcome(() => apply({ a: 1 }, many(10_001)))).toBe(
      '413 Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    )
  })

  test.each([
    [10_000, 'taken'],
    [10_001, 'refused'],
  ])('%i operations are %s', (count, expected) => {
    const tree = Array.from({ length: count }, () => null)
    const found = outcome(() => parseJsonPatch(tree).operations.length)
    expect(found === count ? 'taken' : 'refused').toBe(expected)
  })

  test('a mebibyte more or less of copies', () => {
    const copy = { op: 'copy', from: '/a', path: '/b' }
    const sized = (bytes: number): JsonObject => ({ a: 'x'.repeat(bytes - 2) })
    const limit = 3 * 1024 * 1024
    expect(outcome(() => apply(sized(limit), [copy])) === 422).toBe(false)
    expect(outcome(() => apply(sized(limit + 1), [copy]))).toBe(422)
  })

  test('three mebibytes of copies', () => {
    const copy = (i: number): JsonObject => ({ op: 'copy', from: '/a', path: `/c${i}` })
    const current = { a: 'x'.repeat(512 * 1024) }
    expect(outcome(() => apply(current, [0, 1, 2, 3, 4].map(copy)))).toMatchObject(current)
    expect(outcome(() => apply(current, [0, 1, 2, 3, 4, 5].map(copy)))).toBe(422)
  })

  test('depth', () => {
    let deep: JsonNode = null
    for (let i = 0; i < 20_000; i++) deep = [deep]
    expect(outcome(() => applyJsonPatch({}, parseJsonPatch([deep])))).toBe(
      '400 error decoding patch: exceeded max depth of 1000',
    )
  })
})

test('a document does not grow beyond the limit on depth, neither by one patch nor by one after the other', () => {
  const nested = (depth: number): JsonObject => (depth === 0 ? {} : { a: nested(depth - 1) })
  const add = (depth: number): JsonObject => ({ op: 'add', path: '/a'.repeat(depth), value: nested(600) })
  const tooDeep = '400 error decoding patch: exceeded max depth of 1000'
  expect(outcome(() => apply({}, [add(1)]))).toEqual(nested(601))
  expect(outcome(() => apply(nested(601), [add(602)]))).toBe(tooDeep)
  expect(
    outcome(() =>
      apply(
        {},
        Array.from({ length: 30 }, (_, i) => add(1 + 601 * i)),
      ),
    ),
  ).toBe(tooDeep)
  const copies = Array.from({ length: 30 }, () => ({ op: 'copy', from: '/a', path: `${'/a'.repeat(500)}/b` }))
  expect(outcome(() => apply(nested(600), copies))).toBe(tooDeep)
})

test.each<[string, JsonNode[], string[]]>([
  ['nothing', [], []],
  ['null for an operation', [null], []],
  ['known fields', [keyed(['op', 'path', 'from', 'value'])], []],
  ['a field twice', [null, keyed(['op', 'path', 'op', 'op'])], ['json patch duplicate field "[1].op"']],
  ['an unknown field twice', [keyed(['a', 'a'])], ['json patch unknown field "[0].a"']],
  [
    'in a list',
    [keyed(['value'], [[keyed(['x']), keyed(['a', 'a'])]])],
    ['json patch duplicate field "[0].value[1].a"'],
  ],
  [
    'in a list of lists',
    [keyed(['value'], [[[keyed(['a', 'a'])]]])],
    ['json patch duplicate field "[0].value[0][0].a"'],
  ],
  [
    'in an object',
    [keyed(['value'], [keyed(['b'], [keyed(['a', 'a'])])])],
    ['json patch duplicate field "[0].value.b.a"'],
  ],
  ['in another field', [keyed(['path'], [keyed(['a', 'a'])])], []],
])('strict errors of %s', (_, tree, errors) => {
  expect(parseJsonPatch(tree, { lenient: true }).strict).toEqual(errors)
})

/** An object with these keys, one after another. */
function keyed(keys: string[], values: JsonNode[] = []): ObjectNode {
  const node = new ObjectNode()
  keys.forEach((key, i) => {
    node.keys.push(key)
    node.values.push(values[i] ?? null)
  })
  return node
}

test.each<[string, JsonValue, string]>([
  ['a number for a source', [{ op: 'copy', path: '/a', from: 7 }], 'jsonPatchOp.from'],
  ['a list for a path', [{ op: 'add', path: [] }], 'jsonPatchOp.path'],
  ['an object for an operation', [{ op: {} }], 'jsonPatchOp.op'],
])('%s is refused', (_, operations, field) => {
  expect(outcome(() => apply({}, operations))).toContain(`into Go struct field ${field} of type string`)
})

test('a patch of nothing has nothing', () => {
  expect(parseJsonPatch(null)).toEqual({ operations: [], strict: [], unusual: new Set(), exact: false })
  expect(parseJsonPatch([]).exact).toBe(false)
})

test.each(['copy', 'move'])('what a %s puts too deep is refused', (op) => {
  const nested = (depth: number): JsonObject => (depth === 0 ? {} : { a: nested(depth - 1) })
  const put = (depth: number): JsonValue =>
    outcome(() => apply({ ...nested(400), b: nested(depth) }, [{ op, from: '/b', path: `${'/a'.repeat(400)}/x` }]))
  expect(typeof put(599)).toBe('object')
  expect(put(600)).toBe('400 error decoding patch: exceeded max depth of 1000')
})

test('copies of copies end before they have no end', () => {
  const copies = Array.from({ length: 2_000 }, () => ({ op: 'copy', from: '/a', path: '/a/a' }))
  expect(outcome(() => apply({ a: {} }, copies))).toBe('400 error decoding patch: exceeded max depth of 1000')
})

test('strict errors, in the order of the text', () => {
  const inner = new ObjectNode()
  inner.keys.push('a', 'a')
  inner.values.push(null, null)
  const operation = new ObjectNode()
  operation.keys.push('op', 'path', 'value', 'value', 'why', 'why')
  operation.values.push('replace', '/x', true, inner, 'x', 'y')
  expect(parseJsonPatch([operation]).strict).toEqual([
    'json patch duplicate field "[0].value"',
    'json patch duplicate field "[0].value.a"',
    'json patch unknown field "[0].why"',
  ])
  expect(applyJsonPatch({}, parseJsonPatch([operation]))).toEqual({ x: { a: null } })
})

test('a patch never changes its inputs, whatever it does', () => {
  // Integers beyond what a double holds are bigints.
  const shown = (value: unknown): string =>
    JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}n` : each))
  const key = fc.constantFrom('a', 'b', '0', '1', '-', '-1', '__proto__')
  const path = fc.array(key, { maxLength: 3 }).map((keys) => keys.map((name) => `/${name}`).join(''))
  const operation = fc.record({
    op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
    path,
    from: path,
    value: fc.jsonValue({ maxDepth: 2 }),
  })
  const document = fc.dictionary(key, fc.jsonValue({ maxDepth: 3 }))
  fc.assert(
    fc.property(document, fc.array(operation, { maxLength: 6 }), (current, operations) => {
      const before = shown(current)
      const patch = parseJsonPatch(toTree(operations as unknown as JsonValue))
      const text = shown(patch)
      const first = outcome(() => applyJsonPatch(current as JsonObject, patch))
      const second = outcome(() => applyJsonPatch(current as JsonObject, patch))
      expect(shown(second)).toBe(shown(first))
      expect(shown(current)).toBe(before)
      expect(shown(patch)).toBe(text)
    }),
  )
})

test('the result is shown sorted where an operation went through or tested, and with numbers as they are written', () => {
  const current = { z: { y: 1, b: { q: 1, c: 1 } }, t: { u: { s: 1, r: 2 } }, a: { n: 1, m: 1 } }
  const operations = toTree([
    { op: 'add', path: '/z/a', value: { two: 2, one: 1 } },
    { op: 'test', path: '/t/u', value: { r: 2, s: 1 } },
  ]) as JsonNode[]
  const put = toTree({ op: 'add', path: '/n', value: 0 }) as ObjectNode
  put.values[2] = [new NumberNode('1.0')]
  const patch = parseJsonPatch([...operations, put])
  expect(patch.exact).toBe(true)
  const sorted = toTree({
    a: { n: 1, m: 1 },
    n: [],
    t: { u: { r: 2, s: 1 } },
    z: { a: { two: 2, one: 1 }, b: { q: 1, c: 1 }, y: 1 },
  }) as ObjectNode
  sorted.values[1] = [new NumberNode('1.0')]
  expect(patchedTree(current, patch)).toEqual(sorted)
  const copied = parseJsonPatch(toTree([{ op: 'copy', from: '/a', path: '/a/b' }]))
  expect(patchedTree({ a: { n: 1, m: 1 } }, copied)).toEqual(toTree({ a: { b: { m: 1, n: 1 }, m: 1, n: 1 } }))
})

describe('what a patch writes otherwise than the object', () => {
  const run = (current: JsonObject, operations: JsonValue, unusual: string[]): JsonValue =>
    outcome(() => applyJsonPatch(current, parseJsonPatch(toTree(operations), { unusual: new Set(unusual) })))
  const test_ = (path: string, value: JsonValue): JsonObject => ({ op: 'test', path, value })
  const add = (path: string, value: JsonValue): JsonObject => ({ op: 'add', path, value })

  test.each<[string, JsonObject, JsonObject[], string[], boolean]>([
    ['a text as it is', { a: 'x' }, [test_('/a', 'x')], [], true],
    ['a text that is written otherwise', { a: 'x' }, [test_('/a', 'x')], ['x'], false],
    ['another text that is', { a: 'x' }, [test_('/a', 'x')], ['y'], true],
    ['in a list', { a: ['x'] }, [test_('/a', ['x'])], ['x'], false],
    ['in an object', { a: { b: 'x' } }, [test_('/a', { b: 'x' })], ['x'], false],
    ['that the patch has brought', {}, [add('/a', 'x'), test_('/a', 'x')], ['x'], true],
    ['that the patch has brought in a list', {}, [add('/a', ['x']), test_('/a', ['x'])], ['x'], true],
    ['that the patch has brought in an object', {}, [add('/a', { b: 'x' }), test_('/a', { b: 'x' })], ['x'], true],
    ['of which it has brought another', { b: 'x' }, [add('/a', 'y'), test_('/b', 'x')], ['x', 'y'], false],
    ['brought as a key', { b: 'x' }, [add('/a', { x: 'z' }), test_('/b', 'x')], ['x'], false],
  ])('%s', (_, current, operations, unusual, isEqual) => {
    expect(run(current, operations, unusual) === 422).toBe(!isEqual)
  })

  const valued = (value: JsonNode): JsonNode => {
    const operation = new ObjectNode()
    operation.keys.push('op', 'path', 'value')
    operation.values.push('add', '/n', value)
    return operation
  }
  const inObject = new ObjectNode()
  inObject.keys.push('m')
  inObject.values.push(new NumberNode('1e999'))

  test.each<[string, JsonNode]>([
    ['a number', new NumberNode('1e999')],
    ['a number in a list', [new NumberNode('1'), new NumberNode('1e999')]],
    ['a number in an object', inObject],
  ])('%s that no double holds is refused, except where nothing is validated', (_, value) => {
    expect(outcome(() => applyJsonPatch({}, parseJsonPatch([valued(value)])))).toBe(
      '400 error decoding patch: json: cannot unmarshal number 1e999 into Go struct field jsonPatchOp.value of type float64',
    )
    expect(() => parseJsonPatch([valued(value)], { lenient: true })).not.toThrow()
  })

  test('a result is shown with numbers as they are written, also in objects', () => {
    const value = new ObjectNode()
    value.keys.push('b', 'a')
    value.values.push(new NumberNode('1.0'), 'x')
    const shown = patchedTree({}, parseJsonPatch([valued(value)])) as ObjectNode
    expect(shown.values[0]).toMatchObject({ keys: ['b', 'a'], values: [new NumberNode('1.0'), 'x'] })
  })

  test.each<[string, JsonValue, JsonValue, boolean]>([
    ['true', true, true, true],
    ['true and false', true, false, false],
    ['true and a text', true, 'true', false],
    ['a number and a text', 1, '1', false],
    ['a list and an object', [], {}, false],
    ['an object and a list', {}, [], false],
    ['a shorter list', [1, 2], [1], false],
    ['a longer list', [1], [1, 2], false],
    ['other items', [1, 2], [2, 1], false],
    ['other keys', { a: 1 }, { b: 1 }, false],
    ['other members', { a: 1 }, { a: 2 }, false],
    ['null and nothing in an object', { a: null }, {}, false],
    ['null', { a: null }, { a: null }, true],
    ['a large integer', 2n ** 60n, 2n ** 60n, true],
    ['zero below nothing', -0, 0, false],
  ])('%s', (_, actual, expected, isEqual) => {
    const found = outcome(() => apply({ a: actual }, [test_('/a', expected)]))
    expect(found === 422).toBe(!isEqual)
  })
})

describe('a position in a list', () => {
  test.each<[string, string, JsonValue]>([
    ['the first', '0', ['x', 'b', 'c']],
    ['the last', '2', ['a', 'b', 'x']],
    ['behind the last', '3', 422],
    ['with a sign', '+1', ['a', 'x', 'c']],
    ['from the end', '-1', ['a', 'b', 'x']],
    ['from the end to the first', '-3', ['x', 'b', 'c']],
    ['beyond the first', '-4', 422],
    ['no number', 'x', 422],
    ['nothing', '', 422],
    ['a fraction', '1.0', 422],
  ])('%s', (_, key, expected) => {
    const found = outcome(() => apply({ list: ['a', 'b', 'c'] }, [{ op: 'replace', path: `/list/${key}`, value: 'x' }]))
    expect(found === 422 ? 422 : (found as JsonObject)['list']).toEqual(expected)
  })
})
