import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { JsonObject, JsonValue } from '../api/json.ts'
import type { Field, FieldPatch, ObjectSchema, ScalarKind, Schema } from '../schema/schema.ts'
import { applyStrategicMergePatch } from './strategic-merge-patch.ts'

const scalar = (kind: ScalarKind, format?: string): Schema => ({ kind, ...(format ? { format } : {}) })
const list = (items: Schema): Schema => ({ kind: 'list', items, topology: 'atomic', keys: [] })
const map = (values: Schema): Schema => ({ kind: 'map', values, atomic: false })
const text = scalar('string')

type Spec = Schema | readonly [Schema, FieldPatch]
const isSchema = (spec: Spec): spec is Schema => 'kind' in spec

function object(name: string, specs: Record<string, Spec>): ObjectSchema {
  const fields = Object.entries(specs).map(([key, spec]): [string, Field] => {
    const base = { name: key, required: false, pointer: false, emit: false }
    return [key, isSchema(spec) ? { ...base, schema: spec } : { ...base, schema: spec[0], patch: spec[1] }]
  })
  return { kind: 'object', name, fields: new Map(fields), atomic: false, preserveUnknown: false, embedded: false }
}

const merge = (mergeKey?: string): FieldPatch => ({ strategies: ['merge'], ...(mergeKey ? { mergeKey } : {}) })
const env = object('core.v1.EnvVar', { name: text, value: text })
const container = object('core.v1.Container', {
  name: text,
  image: text,
  args: list(text),
  env: [list(env), merge('name')],
  memory: scalar('quantity'),
})
const volume = object('core.v1.Volume', {
  name: text,
  emptyDir: object('x.E', {}),
  configMap: object('x.C', { name: text }),
})
const schema = object('core.v1.Thing', {
  metadata: object('meta.v1.ObjectMeta', {
    labels: map(text),
    finalizers: [list(text), merge()],
    creationTimestamp: scalar('time'),
  }),
  containers: [list(container), merge('name')],
  volumes: [list(volume), { strategies: ['merge', 'retainKeys'], mergeKey: 'name' }],
  ports: [list(object('core.v1.ServicePort', { name: text, port: scalar('integer', 'int32') })), merge('port')],
  whole: [object('x.Whole', { a: text, b: text }), { strategies: ['replace'] }],
  strategy: [object('x.Strategy', { type: text, rolling: map(text) }), { strategies: ['retainKeys'] }],
  unkeyed: [list(object('x.U', { a: text })), merge()],
  nested: map(map(text)),
  raw: { kind: 'any', name: 'machinery.runtime.RawExtension' },
  flag: scalar('boolean'),
})

const apply = (current: JsonObject, patch: JsonValue): JsonValue => {
  try {
    return applyStrategicMergePatch(current, patch, schema)
  } catch (error) {
    const { code, message } = error as { code: number; message: string }
    return `${code} ${message}`
  }
}

const named = (...names: string[]): JsonObject[] => names.map((name) => ({ name }))

describe('objects', () => {
  test.each<[string, JsonObject, JsonValue, JsonValue]>([
    ['nothing', { flag: true }, {}, { flag: true }],
    ['null', { flag: true }, null, { flag: true }],
    [
      'members merge',
      { metadata: { labels: { a: '1', b: '2' } } },
      { metadata: { labels: { a: null, c: '3' } } },
      { metadata: { labels: { b: '2', c: '3' } } },
    ],
    ['null removes', { whole: { a: '1' } }, { whole: null }, {}],
    ['nulls of new members go', {}, { metadata: { labels: { a: null } } }, { metadata: { labels: {} } }],
    ['directives of new members go', {}, { whole: { $patch: 'delete' } }, {}],
    [
      '$patch: replace',
      { metadata: { labels: { a: '1' } } },
      { metadata: { labels: { $patch: 'replace', b: '2' } } },
      { metadata: { labels: { b: '2' } } },
    ],
    [
      '$patch: delete',
      { metadata: { labels: { a: '1' } } },
      { metadata: { labels: { $patch: 'delete' } } },
      { metadata: { labels: {} } },
    ],
    [
      'another $patch',
      { metadata: { labels: { a: '1' } } },
      { metadata: { labels: { $patch: 'bogus' } } },
      '500 unknown patch type: bogus in map: map[$patch:bogus]',
    ],
    [
      'a $patch that is no text',
      { metadata: { labels: { a: '1' } } },
      { metadata: { labels: { $patch: 7 } } },
      '500 unknown patch type: %!s(int64=7) in map: map[$patch:7]',
    ],
    [
      'null for $patch',
      { metadata: { labels: { a: '1' } } },
      { metadata: { labels: { $patch: null } } },
      '500 unknown patch type: %!s(<nil>) in map: map[$patch:<nil>]',
    ],
    ['a field that is replaced', { whole: { a: '1' } }, { whole: { b: '2' } }, { whole: { b: '2' } }],
    [
      '$retainKeys',
      { strategy: { type: 'R', rolling: { a: '1' } } },
      { strategy: { $retainKeys: ['type'], type: 'X' } },
      { strategy: { type: 'X' } },
    ],
    [
      '$retainKeys that lacks a key',
      { strategy: { type: 'R' } },
      { strategy: { $retainKeys: ['rolling'], type: 'X' } },
      '400 invalid patch format of retainKeys',
    ],
    [
      '$retainKeys that is no list',
      { strategy: { type: 'R' } },
      { strategy: { $retainKeys: 'type' } },
      '400 invalid patch format of retainKeys',
    ],
    [
      'objects in a map of maps',
      { nested: { a: { b: '1' } } },
      { nested: { a: { b: '2' } } },
      '500 merging an object in json but data type is not struct, instead is: map',
    ],
    [
      'objects that the type does not know',
      { raw: { a: { b: 1 } } },
      { raw: { a: { b: 2 } } },
      '500 unable to find api field in struct RawExtension for the json field "a"',
    ],
    ['unknown members', { flag: true }, { unknown: { a: 1 } }, { flag: true, unknown: { a: 1 } }],
    ['a list', {}, [], '400 json: cannot unmarshal array into Go value of type map[string]interface {}'],
  ])('%s', (_, current, patch, expected) => expect(apply(current, patch)).toEqual(expected))
})

describe('lists of objects', () => {
  const containers = [
    { name: 'a', image: '1', env: [{ name: 'A', value: '1' }] },
    { name: 'b', image: '2' },
  ]
  test.each<[string, JsonValue, JsonValue]>([
    ['one is merged', [{ name: 'b', image: '3' }], [containers[0] as JsonObject, { name: 'b', image: '3' }]],
    ['a new one is put first', named('c'), [{ name: 'c' }, ...containers]],
    [
      'nested lists',
      [{ name: 'a', env: [{ name: 'B' }] }],
      [{ name: 'a', image: '1', env: [{ name: 'B' }, { name: 'A', value: '1' }] }, containers[1] as JsonObject],
    ],
    [
      'one is deleted',
      [
        { name: 'a', $patch: 'delete' },
        { name: 'z', $patch: 'delete' },
      ],
      containers.slice(1),
    ],
    ['all are replaced', [{ $patch: 'replace' }, { name: 'z' }], named('z')],
    [
      'a list without a strategy',
      [{ name: 'a', args: ['x'] }],
      [{ ...(containers[0] as JsonObject), args: ['x'] }, containers[1] as JsonObject],
    ],
    ['$patch: merge', [{ $patch: 'merge' }], '500 merging lists cannot yet be specified in the patch'],
    [
      'another $patch',
      [{ $patch: 'bogus', name: 'a' }],
      '500 unknown patch type: bogus in map: map[$patch:bogus name:a]',
    ],
    ['no merge key', [{ image: 'x' }], '500 map: map[image:x] does not contain declared merge key: name'],
    [
      'no merge key to delete',
      [{ $patch: 'delete', image: 'x' }],
      '500 map: map[$patch:delete image:x] does not contain declared merge key: name',
    ],
    [
      'text',
      ['x'],
      '500 list element types are not identical: [[map[env:[map[name:A value:1]] image:1 name:a] map[image:2 name:b]] [x]]',
    ],
  ])('%s', (_, patch, expected) => {
    const result = apply({ containers }, { containers: patch })
    expect(typeof result === 'string' ? result : (result as JsonObject)['containers']).toEqual(expected)
  })

  test('elements that have no key yet are refused after those of the patch', () => {
    const live = { containers: [{ image: '1' }, { name: 'b' }] }
    expect(apply(live, { containers: [{ image: 'x' }] })).toBe(
      '500 map: map[image:x] does not contain declared merge key: name',
    )
    expect(apply(live, { containers: [{ name: 'b' }] })).toBe(
      '500 map: map[image:1] does not contain declared merge key: name',
    )
  })

  test('without a key there is no merging', () => {
    expect(apply({ unkeyed: [{ a: '1' }] }, { unkeyed: [{ a: '2' }] })).toBe(
      '500 cannot merge lists without merge key for struct',
    )
  })

  test('lists of lists', () => {
    expect(apply({ unkeyed: [[1]] }, { unkeyed: [[2]] })).toBe(
      '422 the server rejected our request due to an error in our request',
    )
  })

  test('$retainKeys in an element', () => {
    const patch = { volumes: [{ name: 'v', $retainKeys: ['name', 'configMap'], configMap: { name: 'c' } }] }
    expect(apply({ volumes: [{ name: 'v', emptyDir: {} }] }, patch)).toEqual({
      volumes: [{ name: 'v', configMap: { name: 'c' } }],
    })
  })
})

describe('order', () => {
  test('is of objects where the list is', () => {
    const order = { '$setElementOrder/containers': [...named('a'), 'b'] }
    expect(apply({ containers: named('a', 'b') }, order)).toBe('500 value for key 1 is not a map')
  })

  test.each<[string, string[], string[] | undefined, string[], string[] | string]>([
    ['as the patch says', ['a', 'b'], ['c'], ['c', 'b', 'a'], ['c', 'b', 'a']],
    ['live elements keep their place', ['a', 'x', 'b'], ['c'], ['b', 'a', 'c'], ['x', 'b', 'a', 'c']],
    ['no order at all', ['a', 'b'], ['c', 'd'], [], ['a', 'b', 'd', 'c']],
    ['nothing but an order', ['a', 'b'], undefined, ['b', 'a'], ['b', 'a']],
    [
      'another order than the patch has',
      ['a'],
      ['b', 'c'],
      ['c', 'b'],
      "500 The order in patch list:\n[map[name:b] map[name:c]]\n doesn't match $setElementOrder list:\n[map[name:c] map[name:b]]\n",
    ],
  ])('%s', (_, live, patch, wanted, expected) => {
    const result = apply(
      { containers: named(...live) },
      { '$setElementOrder/containers': named(...wanted), ...(patch ? { containers: named(...patch) } : {}) },
    )
    expect(typeof result === 'string' ? result : (result as JsonObject)['containers']).toEqual(
      typeof expected === 'string' ? expected : named(...expected),
    )
  })

  test.each<[string[], JsonObject[], string[], string[]]>([
    [
      ['a', 'b', 'd'],
      [{ name: 'c' }, { name: 'a', $patch: 'delete' }],
      ['b', 'c'],
      ['b', 'd', 'c'],
    ],
    [
      ['a', 'd'],
      [...named('b', 'c'), { name: 'a', $patch: 'delete' }],
      ['b', 'c'],
      ['d', 'b', 'c'],
    ],
    [['a', 'b'], [{ name: 'b', $patch: 'delete' }], ['a'], ['a']],
  ])('new elements come where deleted ones were: %j', (live, containers, wanted, expected) => {
    const patch = { '$setElementOrder/containers': named(...wanted), containers }
    expect(apply({ containers: named(...live) }, patch)).toEqual({ containers: named(...expected) })
  })

  test('malformed directives', () => {
    const current = { containers: named('a') }
    expect(apply(current, { $setElementOrder: [] })).toBe('400 invalid patch format of setElementOrder list')
    expect(apply(current, { '$setElementOrder/containers': 'x' })).toBe(
      '500 expected a []interface {}, but received a string',
    )
    expect(apply(current, { '$setElementOrder/containers': [], containers: null })).toBe(
      '500 expected a []interface {}, but received a %!s(<nil>)',
    )
    expect(apply(current, { '$setElementOrder/containers': ['x'], containers: named('a') })).toBe(
      '500 expected a map[string]interface {}, but received a string',
    )
  })
})

describe('lists of texts', () => {
  const finalizers = (result: JsonValue): JsonValue | undefined =>
    typeof result === 'string' ? result : ((result as JsonObject)['metadata'] as JsonObject)['finalizers']
  test.each<[string, JsonObject, JsonValue]>([
    ['new ones are put first', { finalizers: ['d', 'a'] }, ['d', 'a', 'b', 'c']],
    ['$deleteFromPrimitiveList', { '$deleteFromPrimitiveList/finalizers': ['b', 'z'] }, ['a', 'c']],
    ['$deleteFromPrimitiveList of text', { '$deleteFromPrimitiveList/finalizers': 'b' }, ['a', 'b', 'c']],
    [
      '$deleteFromPrimitiveList of nothing',
      { $deleteFromPrimitiveList: ['b'] },
      '400 invalid patch format of primitive list',
    ],
    ['$setElementOrder', { '$setElementOrder/finalizers': ['c', 'e', 'a'], finalizers: ['e'] }, ['b', 'c', 'e', 'a']],
    ['numbers', { finalizers: [1] }, '500 list element types are not identical: [[a b c] [1]]'],
  ])('%s', (_, metadata, expected) => {
    expect(finalizers(apply({ metadata: { finalizers: ['a', 'b', 'c'] } }, { metadata }))).toEqual(expected)
  })
})

describe('what no object of the type can hold', () => {
  test.each<[JsonObject, string, string]>([
    [{ containers: { name: 'a' } }, 'map[containers:map[name:a]]', 'cannot restore slice from map'],
    [{ metadata: 'x' }, 'map[metadata:x]', 'cannot restore struct from: string'],
    [{ metadata: { labels: ['x'] } }, 'map[metadata:map[labels:[x]]]', 'cannot restore map from slice'],
    [{ metadata: { labels: { a: 1 } } }, 'map[metadata:map[labels:map[a:1]]]', 'cannot convert int64 to string'],
    [{ metadata: { labels: { a: true } } }, 'map[metadata:map[labels:map[a:true]]]', 'unrecognized type: string'],
    [{ ports: [{ port: '80' }] }, 'map[ports:[map[port:80]]]', 'unrecognized type: int32'],
    [{ ports: [{ port: 80.5 }] }, 'map[ports:[map[port:80.5]]]', 'cannot convert float64 to int32'],
    [{ flag: 'yes' }, 'map[flag:yes]', 'unrecognized type: bool'],
    [
      { metadata: { creationTimestamp: 'x' } },
      'map[metadata:map[creationTimestamp:x]]',
      'parsing time \\"x\\" as \\"2006-01-02T15:04:05Z07:00\\": cannot parse \\"x\\" as \\"2006\\"',
    ],
    [
      { containers: [{ name: 'a', memory: 'lots' }] },
      'map[containers:[map[memory:lots name:a]]]',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ])('%j', (patch, printed, message) => {
    expect(apply({}, patch)).toBe(
      `422  "" is invalid: patch: Invalid value: "${printed}": ${message.replaceAll('\\"', '"')}`,
    )
  })

  it('is shown with what an element that comes twice has become', () => {
    const patch = {
      containers: [
        { name: 'b', memory: null },
        { name: 'b', memory: null, image: 'x' },
      ],
      metadata: 'x',
    }
    expect(apply({ containers: [{ name: 'a' }] }, patch)).toContain(
      '"map[containers:[map[image:x name:b] map[image:x memory:<nil> name:b]] metadata:x]"',
    )
  })
})

test('a whole number is cut to the width of its field', () => {
  const wide = apply({}, { ports: [{ port: 99_999_999_999 }, { port: 2 ** 31 }, { port: 80 }] })
  expect(wide).toEqual({ ports: [{ port: 1_215_752_191 }, { port: -(2 ** 31) }, { port: 80 }] })
})

describe('safety', () => {
  test('any key is a plain key', () => {
    const patch = JSON.parse('{"metadata":{"labels":{"__proto__":"x"}},"__proto__":{"polluted":true}}') as JsonObject
    const result = apply({ metadata: { labels: { a: '1' } } }, patch)
    expect(JSON.stringify(result)).toBe(
      '{"metadata":{"labels":{"a":"1","__proto__":"x"}},"__proto__":{"polluted":true}}',
    )
    expect(({} as JsonObject)['polluted']).toBeUndefined()
  })

  test('depth', () => {
    let deep: JsonObject = {}
    for (let i = 0; i < 20_000; i++) deep = { a: deep }
    expect(apply({}, deep)).toBe('400 error decoding patch: exceeded max depth of 1000')
  })

  test('a patch never changes its inputs, and applying it twice changes nothing more', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd')
    const unique = fc.uniqueArray(name)
    const elements = unique.chain((names) =>
      fc.tuple(
        ...names.map((key) =>
          fc.record({ name: fc.constant(key), image: fc.constantFrom('1', '2') }, { requiredKeys: ['name'] }),
        ),
      ),
    )
    const side = fc.record(
      {
        containers: elements,
        metadata: fc.record({ finalizers: unique, labels: fc.dictionary(name, fc.constantFrom('1', '2')) }),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(side, side, (current, patch) => {
        const before = JSON.stringify([current, patch])
        const once = apply(current as unknown as JsonObject, patch as unknown as JsonValue)
        expect(JSON.stringify([current, patch])).toBe(before)
        expect(apply(once as JsonObject, patch as unknown as JsonValue)).toEqual(once)
      }),
    )
  })

  test('what is not touched is shared', () => {
    const current = { containers: [{ name: 'a', env: [{ name: 'A' }] }, { name: 'b' }], metadata: { labels: {} } }
    const result = apply(current, { containers: [{ name: 'a', image: 'x' }] }) as JsonObject
    expect(result['metadata']).toBe(current.metadata)
    const [a, b] = result['containers'] as JsonObject[]
    expect(a?.['env']).toBe(current.containers[0]?.env)
    expect(b).toBe(current.containers[1])
  })
})

describe('odd lists and directives', () => {
  test.each<[string, JsonObject, JsonValue, JsonValue]>([
    ['two empty lists', { containers: [] }, { containers: [] }, { containers: [] }],
    [
      'an empty list of texts',
      { metadata: { finalizers: [] } },
      { metadata: { finalizers: [] } },
      { metadata: { finalizers: [] } },
    ],
    ['nothing to an empty list', { containers: named('a') }, { containers: [] }, { containers: named('a') }],
    ['something to an empty list', { containers: [] }, { containers: named('a') }, { containers: named('a') }],
    [
      'a list for an object',
      { whole: { a: '1' } },
      { whole: ['x'] },
      '422  "" is invalid: patch: Invalid value: "map[whole:[x]]": cannot restore struct from: slice',
    ],
    [
      'null for an element',
      { containers: named('a') },
      { containers: [null] },
      '500 list element types are not identical: [[map[name:a]] [<nil>]]',
    ],
    [
      'a list where the type has an object',
      { metadata: ['x'] },
      { metadata: ['y'] },
      '500 expected slice or array type, but got: struct',
    ],
    [
      'a list that the type does not know',
      { other: ['x'] },
      { other: ['y'] },
      '500 unable to find api field in struct Thing for the json field "other"',
    ],
    [
      'an object in raw JSON',
      { raw: { a: { b: 1 } } },
      { raw: { a: { c: 1 } } },
      '500 unable to find api field in struct RawExtension for the json field "a"',
    ],
    [
      'deletions where there is nothing',
      {},
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
    ],
    [
      'deletions of a list that is not there',
      { metadata: {} },
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
      { metadata: {} },
    ],
    [
      'deletions of nothing',
      { metadata: { finalizers: ['a'] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': [] } },
      { metadata: { finalizers: ['a'] } },
    ],
    [
      'deletions from nothing',
      { metadata: { finalizers: [] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': [] } },
      { metadata: { finalizers: [] } },
    ],
    [
      'deletions by null',
      { metadata: { finalizers: ['a'] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': null } },
      { metadata: {} },
    ],
    [
      'deletions of objects',
      { containers: named('a', 'b') },
      { '$deleteFromPrimitiveList/containers': [{ name: 'a', $patch: 'delete' }] },
      { containers: named('b') },
    ],
    ['an order of nothing', {}, { '$setElementOrder/containers': named('a') }, {}],
    [
      'an order of an empty list',
      { containers: [] },
      { '$setElementOrder/containers': named('a') },
      '500 no elements in any of the given slices',
    ],
    [
      'an order of a new list',
      {},
      { '$setElementOrder/containers': named('b', 'a'), containers: named('b', 'a') },
      { containers: named('b', 'a') },
    ],
    [
      'an order of a new list with a deletion',
      {},
      { '$setElementOrder/containers': named('a'), containers: [...named('a'), { name: 'z', $patch: 'delete' }] },
      { containers: named('a') },
    ],
    [
      'an order of a list that is kept whole',
      { containers: [{ name: 'a', args: ['x', 'y'] }] },
      { containers: [{ name: 'a', '$setElementOrder/args': ['y', 'x'] }] },
      { containers: [{ name: 'a', args: ['y', 'x'] }] },
    ],
    [
      'an order with all replaced',
      { containers: named('a', 'b') },
      { '$setElementOrder/containers': named('c'), containers: [{ $patch: 'replace' }, { name: 'c' }] },
      { containers: named('c') },
    ],
    [
      'keys to retain beside directives',
      { strategy: { type: 'R', rolling: { a: '1' } } },
      { strategy: { $retainKeys: ['type'], type: 'X', rolling: null } },
      { strategy: { type: 'X' } },
    ],
    [
      'keys to retain beside an order',
      { metadata: { labels: { a: '1' }, finalizers: ['a', 'b'] } },
      { metadata: { $retainKeys: ['finalizers'], '$setElementOrder/finalizers': ['b', 'a'] } },
      { metadata: { finalizers: ['b', 'a'] } },
    ],
    [
      'keys to retain beside a deletion',
      { metadata: { finalizers: ['a', 'b'] } },
      { metadata: { $retainKeys: ['finalizers'], '$deleteFromPrimitiveList/finalizers': ['a'] } },
      { metadata: { finalizers: ['b'] } },
    ],
    [
      'keys to retain where there is nothing',
      {},
      { strategy: { $retainKeys: ['type'], type: 'X' } },
      { strategy: { $retainKeys: ['type'], type: 'X' } },
    ],
    [
      'an element twice',
      { containers: named('a') },
      {
        containers: [
          { name: 'b', image: '1' },
          { name: 'b', args: ['x'] },
        ],
      },
      { containers: [{ name: 'b', image: '1', args: ['x'] }, { name: 'a' }] },
    ],
    [
      'a live element twice',
      { containers: [...named('a', 'b'), { name: 'a', image: '2' }] },
      { containers: [{ name: 'a', image: '1' }] },
      { containers: [{ name: 'a', image: '1' }, { name: 'a', image: '2' }, { name: 'b' }] },
    ],
    [
      'a deletion of a live element twice',
      { containers: [...named('a', 'b'), { name: 'a', image: '2' }] },
      { containers: [{ name: 'a', $patch: 'delete' }] },
      { containers: named('b') },
    ],
    [
      'a text twice',
      { metadata: { finalizers: ['a', 'b', 'a'] } },
      { metadata: { finalizers: ['c', 'c'] } },
      { metadata: { finalizers: ['c', 'a', 'b'] } },
    ],
    ['nothing in a new object', {}, { metadata: { labels: {} } }, { metadata: { labels: {} } }],
    ['nulls of new lists', {}, { unkeyed: [{ a: null, b: '1' }, null] }, { unkeyed: [{ b: '1' }, null] }],
    ['directives of new lists', {}, { unkeyed: [{ $patch: 'x', a: '1' }, { a: '2' }] }, { unkeyed: [{ a: '2' }] }],
    [
      'directives deep in new objects',
      {},
      { other: { a: { $patch: 'x' }, b: [{ c: { $patch: 'y' } }] } },
      { other: { b: [{}] } },
    ],
    ['a new object with a directive', { flag: true }, { strategy: { $patch: 'replace', type: 'X' } }, { flag: true }],
    [
      'a list in place of a text',
      { flag: 'x' },
      { flag: [1] },
      '422  "" is invalid: patch: Invalid value: "map[flag:[1]]": unrecognized type: bool',
    ],
    ['an object with a directive in place of a text', { strategy: 'x' }, { strategy: { $patch: 'delete' } }, {}],
  ])('%s', (_, current, patch, expected) => {
    const before = structuredClone([current, patch])
    expect(apply(current, patch)).toEqual(expected)
    expect([current, patch]).toEqual(before)
  })

  test('many elements are put in order, those without a place too', () => {
    const names = Array.from({ length: 30 }, (_, i) => `n${String(i).padStart(2, '0')}`)
    const live = { containers: named(...names) }
    const wanted = names.toReversed()
    const result = apply(live, { '$setElementOrder/containers': named(...wanted) }) as JsonObject
    expect((result['containers'] as JsonObject[]).map(({ name }) => name)).toEqual(wanted)
    const added = apply(live, { containers: named('x', 'y') }) as JsonObject
    expect((added['containers'] as JsonObject[]).map(({ name }) => name)).toEqual(['x', 'y', ...names])
  })
})
