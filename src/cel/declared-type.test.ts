import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../api/json.ts'
import { schemaFromOpenApi } from '../schema/from-openapi.ts'
import type { Field, ListTopology, ObjectSchema, Schema } from '../schema/schema.ts'
import { DeclaredType } from './declared-type.ts'
import { storedExpressions } from './environment.ts'
import { validationRuleEnvironment } from './environments.ts'
import { escapeName, unescapeName } from './escaping.ts'
import { formatType } from './types.ts'

const field = (name: string, schema: Schema, required = false): [string, Field] => [
  name,
  { name, schema, required, pointer: false, emit: false },
]
const object = (...fields: [string, Field][]): ObjectSchema => ({
  kind: 'object',
  name: undefined,
  fields: new Map(fields),
  atomic: false,
  preserveUnknown: false,
  embedded: false,
})
const list = (items: Schema, topology: ListTopology = 'atomic', keys: string[] = []): Schema => ({
  kind: 'list',
  items,
  topology,
  keys,
})
const text: Schema = { kind: 'string' }
const integer: Schema = { kind: 'integer' }

function outcome(schema: Schema, self: JsonValue, rule: string): unknown {
  const declared = new DeclaredType(schema, { name: 'selfType' })
  const compiled = validationRuleEnvironment(storedExpressions(), declared).compile(rule)
  if (!compiled.ok) return compiled.message.split('\n')[0]
  const result = compiled.program.evaluate({ self })
  return result.kind === 'value' ? result.value : result.kind === 'error' ? result.message : result.kind
}

describe('additionalProperties: true', () => {
  const schema = object(field('open', schemaFromOpenApi({ type: 'object', additionalProperties: true })))
  const both = object(
    field(
      'open',
      schemaFromOpenApi({ type: 'object', additionalProperties: true, properties: { q: { type: 'string' } } }),
    ),
  )
  it.each<[ObjectSchema, string, JsonValue, unknown]>([
    [schema, 'has(self.open)', { open: { a: 1 } }, true],
    [schema, 'has(self.open)', {}, false],
    [schema, 'self.open.a == 1', {}, "ERROR: <input>:1:10: undefined field 'a'"],
    [both, 'self.open.q == "x"', { open: { q: 'x', other: 1 } }, true],
  ])('is an object that has its fields alone: %#', (type, rule, self, expected) => {
    expect(outcome(type, self, rule)).toBe(expected)
  })
})

describe('names', () => {
  it.each([
    ['a', 'a'],
    ['a-b', 'a__dash__b'],
    ['a.b/c', 'a__dot__b__slash__c'],
    ['a__b', 'a__underscores__b'],
    ['namespace', '__namespace__'],
    ['$ref', undefined],
    ['1a', undefined],
    ['', undefined],
  ])('%s is escaped as %s', (name, escaped) => {
    expect(escapeName(name)).toBe(escaped)
    if (escaped !== undefined) expect(unescapeName(escaped)).toBe(name)
  })

  it('knows what no name escapes to', () => {
    expect(unescapeName('__illegal__')).toBeUndefined()
    expect(unescapeName('a__namespace__')).toBeUndefined()
  })
})

describe('types', () => {
  it.each<[Schema, string]>([
    [text, 'string'],
    [{ kind: 'string', format: 'date-time' }, 'timestamp'],
    [{ kind: 'string', format: 'duration' }, 'duration'],
    [{ kind: 'string', format: 'byte' }, 'bytes'],
    [{ kind: 'time' }, 'timestamp'],
    [{ kind: 'duration' }, 'string'],
    [{ kind: 'bytes' }, 'bytes'],
    [{ kind: 'number' }, 'double'],
    [{ kind: 'int-or-string' }, 'dyn'],
    [list({ kind: 'map', values: integer, atomic: false }), 'list(map(string, int))'],
    [list(object()), 'list(x.@idx)'],
  ])('%j is %s', (schema, type) => {
    expect(formatType(new DeclaredType(schema, { name: 'x' }).type)).toBe(type)
  })

  it('may refer to themselves', () => {
    const fields = new Map<string, Field>()
    const node: Schema = { ...object(), fields }
    fields.set(...field('name', text, true))
    fields.set(...field('children', list(node), true))
    expect(new DeclaredType(node, { name: 'node' }).minSize).toBeGreaterThan(0)
    expect(outcome(node, { children: [{ name: 'a', children: [] }] }, "self.children[0].name == 'a'")).toBe(true)
  })
})

describe('sizes', () => {
  const request = 3 * 1024 * 1024
  it.each<[Schema, number]>([
    [text, request - 2],
    [{ kind: 'string', constraints: { maxLength: 10 } }, 40],
    [{ kind: 'string', format: 'byte', constraints: { maxLength: 10 } }, 10],
    [{ kind: 'string', enum: ['a', 'abc'] }, 3],
    [{ kind: 'string', format: 'date-time' }, 32],
    [{ kind: 'string', format: 'date' }, 12],
    [{ kind: 'int-or-string' }, request - 2],
    [list(integer), Math.floor((request - 2) / 2)],
    [{ ...list(integer), constraints: { maxItems: 5 } } as Schema, 5],
    [{ kind: 'map', values: text, atomic: false }, Math.floor((request - 2) / 8)],
    [list(object(field('name', text, true))), Math.floor((request - 2) / (2 + 4 + 2 + 4 + 1))],
    [list(object(field('name', { ...text, default: '' }, true))), Math.floor((request - 2) / 3)],
  ])('%j can have %i', (schema, max) => {
    expect(new DeclaredType(schema).maxElements).toBe(BigInt(max))
  })
})

describe('values', () => {
  const pair = object(field('k', text), field('v', integer), field('d-ash', text))
  const pairs = object(field('a', list(pair, 'map', ['k'])), field('b', list(pair, 'map', ['k'])))
  const both = list(list(pair, 'map', ['k']))
  const sets = object(field('a', list(text, 'set')), field('b', list(text, 'set')))
  const lists = object(field('a', list(text)), field('b', list(text)))
  const one = (k: string, v: number): JsonValue => ({ k, v })

  const cases: readonly [Schema, JsonValue, string, unknown][] = [
    [lists, { a: ['x', 'y'], b: ['y', 'x'] }, 'self.a == self.b', false],
    [lists, { a: ['x'], b: ['y'] }, "self.a + self.b == ['x', 'y']", true],
    [sets, { a: ['x', 'y'], b: ['y', 'x'] }, 'self.a == self.b', true],
    [sets, { a: ['x', 'y'], b: ['y', 'z'] }, "self.a + self.b == ['x', 'y', 'z'] && size(self.a + self.b) == 3", true],
    [
      both,
      [
        [one('x', 1), one('y', 2)],
        [one('y', 2), one('x', 1)],
      ],
      'self[0] == self[1]',
      true,
    ],
    [both, [[one('x', 1)], [one('x', 2)]], 'self[0] == self[1]', false],
    [
      both,
      [
        [one('x', 1), one('y', 2)],
        [one('y', 3), one('z', 4)],
      ],
      '(self[0] + self[1]).map(p, p.v) == [1, 3, 4]',
      true,
    ],
    [
      pairs,
      { a: [{ k: 'x', 'd-ash': 'q' }], b: [] },
      "self.a[0].d__dash__ash == 'q' && has(self.a[0].d__dash__ash)",
      true,
    ],
    [pairs, { a: [{ k: 'x', v: null }], b: [] }, 'has(self.a[0].v)', false],
    [pairs, { a: [{ k: 'x', v: 'y' }], b: [] }, 'self.a[0].v == 1', 'invalid data, expected int, got string'],
    [pairs, { a: [{ k: 1 }], b: [] }, "self.a[0].k == ''", 'invalid data, expected string, got int64'],
    [
      pairs,
      { a: 'x', b: [] },
      'has(self.a)',
      'invalid data, expected an array for the provided schema with type=array',
    ],
    [lists, { a: [null], b: [] }, "self.a[0] == 'x'", 'invalid data, got null for schema with nullable=false'],
    [object(field('n', list({ ...text, nullable: true }))), { n: [null] }, 'type(self.n[0]) == null_type', true],
    [object(field('t', { kind: 'time' })), { t: '2024-01-01T00:00:00Z' }, 'self.t.getFullYear() == 2024', true],
    [object(field('d', { kind: 'string', format: 'duration' })), { d: '3 days' }, "self.d == duration('72h')", true],
    [object(field('b', { kind: 'bytes' })), { b: 'aGk=' }, "self.b == b'hi'", true],
    [
      object(field('i', { kind: 'int-or-string' })),
      { i: 5 },
      "type(self.i) == int && self.i == 5 && self.i != '5'",
      true,
    ],
    [object(field('n', { kind: 'number' })), { n: 1 }, 'type(self.n) == double && self.n == 1.0', true],
    [object(field('i', integer)), { i: 9223372036854775807n }, 'self.i == 9223372036854775807', true],
    [object(field('any', { kind: 'any' }), field('x', text)), { any: { deep: [1] }, x: 'a' }, 'self == self', true],
    [
      { kind: 'map', values: integer, atomic: false },
      { a: 1, __proto: 2 },
      "self.exists(k, k == 'a') && self['a'] == 1 && self.size() == 2",
      true,
    ],
    [text, 'abc', "self.startsWith('a')", true],
  ]
  it.each(cases.map(([schema, self, rule, expected]) => ({ rule, schema, self, expected })))(
    '$rule',
    ({ schema, self, rule, expected }) => {
      expect(outcome(schema, self, rule)).toBe(expected)
    },
  )

  it('gives embedded objects a kind, a version and names', () => {
    const embedded: Schema = { ...object(field('spec', object(field('x', integer)))), embedded: true }
    const schema = object(field('template', embedded))
    const self = { template: { kind: 'Pod', metadata: { name: 'a', namespace: 'b' }, spec: { x: 1 } } }
    expect(
      outcome(
        schema,
        self,
        "self.template.kind == 'Pod' && self.template.metadata.name == 'a' && self.template.spec.x == 1",
      ),
    ).toBe(true)
    expect(outcome(schema, self, "self.template.metadata.namespace == 'b'")).toBe(
      "ERROR: <input>:1:23: undefined field 'namespace'",
    )
  })

  it('gives a former value as an optional if asked', () => {
    const declared = new DeclaredType(text, { name: 'selfType' })
    const environment = validationRuleEnvironment(storedExpressions(), declared, { optionalOldSelf: true })
    const compiled = environment.compile("oldSelf.hasValue() ? self == oldSelf.value() : self == 'new'")
    const run = (self: string, oldSelf: string | null): unknown =>
      compiled.ok && compiled.program.evaluate({ self, oldSelf })
    expect(run('new', null)).toMatchObject({ value: true })
    expect(run('a', 'b')).toMatchObject({ value: false })
  })
})
