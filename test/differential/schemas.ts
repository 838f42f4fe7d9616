/** Random structural schemas of custom resources, most of them taken by a server, with rules over what they describe. */
import type { Random } from '../harness/random.ts'
import { randomExpression, type Scope } from './expressions.ts'
import { isMap, type Json, type JsonMap } from './json.ts'

const leaf = (random: Random): JsonMap =>
  random.pick<() => JsonMap>([
    () => ({ type: 'string', ...some(random, { minLength: 1, maxLength: 5, pattern: '^[a-z]+$', enum: ['a', 'b'] }) }),
    () => ({
      type: 'string',
      format: random.pick([
        'date-time',
        'byte',
        'ipv4',
        'uuid',
        'email',
        'date',
        'duration',
        'uri',
        'unknown',
        'password',
      ]),
    }),
    () => ({
      type: 'integer',
      ...some(random, { minimum: 0, maximum: 10, multipleOf: 2, exclusiveMinimum: true, format: 'int32' }),
    }),
    () => ({ type: 'number', ...some(random, { minimum: 0.5, maximum: 10, multipleOf: 0.5, format: 'double' }) }),
    () => ({ type: 'boolean' }),
    () => ({ 'x-kubernetes-int-or-string': true, ...some(random, { pattern: '^\\d+%$' }) }),
    () => ({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
    () => ({
      type: 'object',
      additionalProperties: { type: random.pick(['string', 'integer']) },
      ...some(random, { maxProperties: 2 }),
    }),
    () => ({ type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true }),
  ])()

/** Each of the keywords now and then. */
function some(random: Random, keywords: JsonMap): JsonMap {
  return Object.fromEntries(Object.entries(keywords).filter(() => random.chance(0.3)))
}

function listSchema(random: Random, depth: number): JsonMap {
  const kind = random.pick(['atomic', 'set', 'map', 'none'])
  const bounds = some(random, { maxItems: 3, minItems: 1 })
  if (kind === 'map')
    return {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': random.pick([['key'], ['key', 'other']]),
      items: {
        type: 'object',
        required: ['key', ...(random.chance(0.8) ? ['other'] : [])],
        properties: { key: { type: 'string' }, other: { type: 'integer' }, value: schemaOf(random, depth - 1) },
      },
      ...bounds,
    }
  if (kind === 'set')
    return {
      type: 'array',
      'x-kubernetes-list-type': 'set',
      items: { type: random.pick(['string', 'integer']) },
      ...bounds,
    }
  return {
    type: 'array',
    ...(kind === 'atomic' ? { 'x-kubernetes-list-type': 'atomic' } : {}),
    items: schemaOf(random, depth - 1),
    ...bounds,
  }
}

const names = ['a', 'b', 'name', 'size', 'items', 'when', 'default', 'in', '__proto__x', 'a-b', 'x.y']

function objectSchema(random: Random, depth: number): JsonMap {
  const chosen = names.filter(() => random.chance(0.35))
  const properties = Object.fromEntries(chosen.map((name) => [name, withExtras(random, schemaOf(random, depth - 1))]))
  return {
    type: 'object',
    properties,
    ...(random.chance(0.3) && chosen.length > 0 ? { required: [random.pick(chosen)] } : {}),
    ...(random.chance(0.1) ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
    ...(random.chance(0.15) ? { 'x-kubernetes-map-type': random.pick(['atomic', 'granular']) } : {}),
    ...(random.chance(0.1)
      ? {
          anyOf: [{ required: ['a'] }, { properties: { b: { maxLength: 3 } } }],
          ...some(random, { not: { required: ['size'] } }),
        }
      : {}),
  }
}

const schemaOf = (random: Random, depth: number): JsonMap =>
  depth <= 0 || random.chance(0.45)
    ? leaf(random)
    : random.chance(0.4)
      ? listSchema(random, depth)
      : objectSchema(random, depth)

function withExtras(random: Random, schema: JsonMap): JsonMap {
  return {
    ...schema,
    ...(random.chance(0.15) ? { nullable: true } : {}),
    ...(random.chance(0.15) ? { default: defaultOf(random, schema) } : {}),
    ...(random.chance(0.2) ? { 'x-kubernetes-validations': rules(random, schema) } : {}),
    ...(random.chance(0.1) ? { description: 'd', title: 't', example: 1 } : {}),
  }
}

const defaults: Readonly<Record<string, Json>> = {
  string: 'a',
  integer: 2,
  number: 1.5,
  boolean: true,
  array: [],
  object: {},
}
const defaultOf = (random: Random, { type }: JsonMap): Json =>
  random.chance(0.85) ? (defaults[String(type)] ?? 1) : random.pick<Json>([null, '', 0, {}, [], 'x'])

const celTypes: Readonly<Record<string, keyof Scope>> = {
  string: 'string',
  integer: 'int',
  number: 'double',
  boolean: 'bool',
  array: 'list',
  object: 'map',
}

/** What a rule at this place can name. */
function scopeOf(schema: JsonMap, self = 'self'): Scope {
  const own = celTypes[String(schema['type'])] ?? 'dyn'
  const scope: Record<string, string[]> = { [own]: [self] }
  const properties = isMap(schema['properties']) ? schema['properties'] : {}
  for (const [name, property] of Object.entries(properties)) {
    if (!isMap(property)) continue
    const type = celTypes[String(property['type'])] ?? 'dyn'
    const member = `${self}.${escaped(name)}`
    scope[type] = [...(scope[type] ?? []), member]
    scope['bool'] = [...(scope['bool'] ?? []), `has(${member})`]
  }
  return scope as Scope
}

/** As rules must name properties that are no identifiers. */
const escaped = (name: string): string =>
  ['in', 'as', 'null'].includes(name)
    ? `__${name}__`
    : name.replaceAll('__', '__underscores__').replaceAll('.', '__dot__').replaceAll('-', '__dash__')

function rules(random: Random, schema: JsonMap): Json {
  const scope = scopeOf(schema)
  return Array.from({ length: random.pick([1, 1, 2]) }, () => ({
    rule: random.chance(0.15)
      ? random.pick(['self == oldSelf', 'oldSelf.hasValue() || true', 'type(self) == string', 'self != null', ''])
      : randomExpression(random, 'bool', scope),
    ...(random.chance(0.3) ? { message: random.pick(['m', 'two\nlines', ' ', 'x'.repeat(2049)]) } : {}),
    ...(random.chance(0.3) ? { messageExpression: randomExpression(random, 'string', scope) } : {}),
    ...(random.chance(0.2)
      ? {
          reason: random.pick([
            'FieldValueInvalid',
            'FieldValueForbidden',
            'FieldValueRequired',
            'FieldValueDuplicate',
            'x',
          ]),
        }
      : {}),
    ...(random.chance(0.15) ? { fieldPath: random.pick(['.a', '.size', '.x', 'a', "['a-b']", '.spec', '']) } : {}),
    ...(random.chance(0.1) ? { optionalOldSelf: true } : {}),
  }))
}

/** The schema of a version: spec and status are objects that most often have a size, for `scale`. */
export function randomDefinitionSchema(random: Random): JsonMap {
  const spec = objectSchema(random, 3)
  const size = { size: { type: 'integer' } }
  const sized = (schema: JsonMap): JsonMap => ({
    ...schema,
    properties: { ...(isMap(schema['properties']) ? schema['properties'] : {}), ...size },
  })
  const status = {
    type: 'object',
    properties: { ...size, phase: { type: 'string' }, selector: { type: 'string' } },
  }
  return withRules(random, {
    type: 'object',
    properties: {
      spec: withExtras(random, random.chance(0.8) ? sized(spec) : spec),
      status,
      ...(random.chance(0.15)
        ? { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 63 } } } }
        : {}),
      ...(random.chance(0.2) ? { data: schemaOf(random, 2) } : {}),
    },
    ...(random.chance(0.3) ? { required: ['spec'] } : {}),
    ...(random.chance(0.1) ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
  })
}

const withRules = (random: Random, schema: JsonMap): JsonMap =>
  random.chance(0.25) ? { ...schema, 'x-kubernetes-validations': rules(random, schema) } : schema

const formatted: Readonly<Record<string, string>> = {
  'date-time': '2024-01-01T00:00:00Z',
  byte: 'AAE=',
  ipv4: '10.0.0.1',
  uuid: '0b7a4b0e-5a55-4b5c-8a5e-0a1b2c3d4e5f',
  email: 'a@example.com',
  date: '2024-01-01',
  duration: '1h',
  uri: 'https://example.com',
}

/** A value that the schema takes, as far as its keywords are looked at. */
export function exampleOf(random: Random, schema: Json | undefined): Json {
  if (!isMap(schema)) return 'a'
  if (schema['nullable'] === true && random.chance(0.1)) return null
  switch (schema['type']) {
    case 'string':
      return formatted[String(schema['format'])] ?? random.pick(['a', 'b'])
    case 'integer':
      return random.pick([2, 4, 6])
    case 'number':
      return random.pick([1, 1.5, 2])
    case 'boolean':
      return random.chance(0.5)
    case 'array':
      return exampleList(random, schema)
    case 'object':
      return exampleObject(random, schema)
    default:
      return random.pick<Json>([1, '5%'])
  }
}

function exampleList(random: Random, schema: JsonMap): Json {
  const items = Array.from({ length: random.pick([1, 1, 2]) }, () => exampleOf(random, schema['items']))
  const distinct = new Map(items.map((item) => [JSON.stringify(item), item]))
  return [...distinct.values()].map((item, i) =>
    isMap(item) && 'key' in item ? { ...item, key: `k${i}`, other: i } : item,
  )
}

function exampleObject(random: Random, schema: JsonMap): Json {
  if (schema['x-kubernetes-embedded-resource'] === true)
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'embedded', labels: { a: 'b' } }, data: { a: 'b' } }
  const { properties, additionalProperties, required } = schema
  if (isMap(additionalProperties)) return { a: exampleOf(random, additionalProperties) }
  const names = Object.keys(isMap(properties) ? properties : {})
  const chosen = names.filter((name) => (Array.isArray(required) && required.includes(name)) || random.chance(0.6))
  const members = chosen.map((name) => [name, exampleOf(random, (properties as JsonMap)[name])] as const)
  return Object.fromEntries(members)
}
