/** Random values for OpenAPI schemas: mostly of the right type, often at an edge, sometimes wrong on purpose. */
import type { Random } from '../harness/random.ts'
import { isList, isMap, type Json, type JsonMap } from './json.ts'

/** The schemas of one API version's document, by name. */
export type Schemas = JsonMap

const strings = [
  '',
  'a',
  'web',
  'A',
  'a.b',
  'a-',
  '-a',
  'a_b',
  'a/b',
  'example.com/a',
  'Example.com/a',
  'a b',
  'ä',
  '😀',
  '\u0000',
  '\n',
  '__proto__',
  'null',
  'true',
  '0',
  '1',
  '-1',
  '1.5',
  '50%',
  '101%',
  'x'.repeat(63),
  'x'.repeat(64),
  'x'.repeat(254),
  '10.0.0.1',
  '010.0.0.1',
  '::1',
  '10.0.0.0/8',
  'fd00::/8',
  'https://example.com',
  'a=b',
  '*',
  '*.example.com',
  'Always',
  'Never',
  'None',
  'In',
  'Exists',
  'DoesNotExist',
  'TCP',
  'UDP',
  'http',
]
const quantities = [
  '0',
  '1',
  '-1',
  '1.5',
  '100m',
  '1Gi',
  '1e3',
  '1E',
  '0.5Mi',
  '1k',
  '9223372036854775807',
  '1n',
  '',
  'x',
  '1KI',
  '+1',
  '.5',
  '1e-3',
]
const integers = [0, 1, 2, -1, 5, 10, 80, 100, 255, 600, 3600, 30000, 65535, 65536, 2 ** 31 - 1, 2 ** 31, 2 ** 53]
const times = [
  '2024-01-01T00:00:00Z',
  '2024-01-01T00:00:00.123456Z',
  '2024-01-01T01:00:00+01:00',
  '2024-01-01',
  '',
  '2024-01-01T00:00:00.5Z',
]
const bytes = ['', 'AA==', 'AAE=', 'AAECAw==', 'not base64', 'AA']
const keys = [
  'a',
  'b',
  'app',
  'example.com/a',
  'cpu',
  'memory',
  'storage',
  'a b',
  '',
  '-',
  'kubernetes.io/x',
  'x'.repeat(64),
  '__proto__',
  'constructor',
]

export function resolve(schemas: Schemas, schema: Json | undefined): JsonMap {
  if (!isMap(schema)) return {}
  const [only] = isList(schema['allOf']) ? schema['allOf'] : []
  const reference = schema['$ref'] ?? (isMap(only) ? only['$ref'] : undefined)
  if (typeof reference !== 'string') return schema
  return resolve(schemas, schemas[reference.replace('#/components/schemas/', '')])
}

/** A value that fits the type, unless the dice say otherwise. */
export function randomValue(random: Random, schemas: Schemas, schema: Json | undefined): Json {
  if (random.chance(0.04)) return random.pick<Json>([null, {}, [], '', 0, false, 'x', [null], { a: null }])
  return typedValue(random, schemas, resolve(schemas, schema))
}

function typedValue(random: Random, schemas: Schemas, schema: JsonMap): Json {
  if (isList(schema['enum']) && random.chance(0.9)) return random.pick(schema['enum'])
  if (isList(schema['oneOf'])) return random.chance(0.5) ? random.pick(quantities) : random.pick(integers)
  switch (schema['type']) {
    case 'string':
      return stringOf(random, schema['format'])
    case 'integer':
      return random.pick(integers)
    case 'number':
      return random.pick([...integers, 0.5, 1e21])
    case 'boolean':
      return random.chance(0.5)
    case 'array':
      return listOf(random, schemas, schema)
    case 'object':
      return isMap(schema['properties']) ? fieldsOf(random, schemas, schema) : mapOf(random, schemas, schema)
    default:
      return random.pick<Json>(['a', 1, { a: 1 }, ['a'], true])
  }
}

function stringOf(random: Random, format: Json | undefined): Json {
  if (format === 'date-time') return random.pick(times)
  if (format === 'byte') return random.pick(bytes)
  if (format === 'int-or-string') return random.chance(0.5) ? random.pick(integers) : random.pick(strings)
  return random.pick(strings)
}

function listOf(random: Random, schemas: Schemas, schema: JsonMap): Json {
  const length = random.pick([0, 1, 1, 1, 2, 3])
  const items = Array.from({ length }, () => randomValue(random, schemas, schema['items']))
  return length > 0 && random.chance(0.15) ? [...items, items[0] as Json] : items
}

function mapOf(random: Random, schemas: Schemas, schema: JsonMap): Json {
  const length = random.pick([0, 1, 1, 2])
  const member = schema['additionalProperties']
  return fromEntries(Array.from({ length }, () => [random.pick(keys), randomValue(random, schemas, member)]))
}

/** The required fields, and about two others. */
function fieldsOf(random: Random, schemas: Schemas, schema: JsonMap): Json {
  const properties = schema['properties'] as JsonMap
  const names = Object.keys(properties)
  const required = isList(schema['required']) ? (schema['required'] as readonly string[]) : []
  const chosen = names.filter((name) => random.chance(required.includes(name) ? 0.92 : Math.min(0.6, 2 / names.length)))
  return fromEntries(chosen.map((name) => [name, randomValue(random, schemas, properties[name])]))
}

/** `__proto__` is a key like any other. */
function fromEntries(entries: readonly (readonly [string, Json])[]): Json {
  return Object.fromEntries(entries)
}
