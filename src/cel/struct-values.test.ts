import { expect, test } from 'vitest'
import type { Field, ObjectSchema, Schema } from '../schema/schema.ts'
import { storedExpressions } from './environment.ts'
import { admissionEnvironment } from './environments.ts'
import { structValue } from './struct-values.ts'

const fields = new Map<string, Field>()
/** As `JSONSchemaProps`: floats, and itself in lists and maps. */
const node: ObjectSchema = {
  kind: 'object',
  name: 'Node',
  fields,
  atomic: false,
  preserveUnknown: false,
  embedded: false,
}
for (const [name, schema] of Object.entries<Schema>({
  least: { kind: 'number' },
  length: { kind: 'integer' },
  raw: { kind: 'any' },
  list: { kind: 'list', items: node, topology: 'atomic', keys: [] },
  map: { kind: 'map', values: node, atomic: false },
})) {
  fields.set(name, { name, required: false, pointer: true, emit: false, schema })
}

const object = { least: 1, length: 1, raw: { least: 1 }, list: [{ least: 2 }], map: { x: { least: 3, other: 4 } } }

test.each<[string, boolean | string]>([
  ['type(object.least) == double', true],
  ['type(object.length) == int', true],
  ['type(object.raw.least) == int', true],
  ['type(object.list[0].least) == double', true],
  ['type(object.map.x.least) == double', true],
  ['type(object.map.x.other) == int', true],
  ['object.map.all(k, type(object.map[k].least) == double)', true],
  ['object.least == 1', true],
  ["'%s'.format([object.list])", '[{"least":2.000000}]'],
  ['has(object.absent)', false],
])('%s', (expression, value) => {
  const compiled = admissionEnvironment(storedExpressions()).compile(expression)
  if (!compiled.ok) throw new Error(compiled.message)
  expect(compiled.program.evaluate({ object: structValue(object, node) })).toMatchObject({ kind: 'value', value })
})
