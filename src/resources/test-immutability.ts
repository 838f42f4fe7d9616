/**
 * For tests: whether the rules of a kind let an update change a field. Two objects that differ in the field alone are
 * made, and the update of one to the other is held against an update that changes nothing.
 */
import type { FieldError } from '../api/field-error.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'
import { schemaForKind } from '../catalog/catalog.ts'
import { type CatalogResource, resources } from '../catalog/resources.ts'
import type { ObjectSchema, Schema } from '../schema/schema.ts'
import { writerOf } from './kinds/pods/test-writer.ts'
import { rulesFor } from './kinds.ts'

/** Whether some kind refuses, or ignores, a change of `type.field`. */
export const isImmutable = (type: string, field: string): boolean =>
  places(type).some(({ resource, schema, path }) => outcomes(resource, schema, [...path, field]).some(isKept))

/** Whether some kind calls the field immutable that it has in its spec, or at its top. */
export const isCalledImmutable = (type: string, field: string): boolean =>
  places(type, topPaths).some(({ resource, schema, path }) => {
    const name = [...path, field].join('.')
    return outcomes(resource, schema, [...path, field]).some(({ refused }) =>
      refused.some((error) => error.field === name && error.message.includes('immutable')),
    )
  })

interface FieldPosition {
  readonly resource: CatalogResource
  readonly schema: ObjectSchema
  readonly path: readonly string[]
}

/** Where kinds that have rules have objects of a type. */
function places(type: string, find: (schema: ObjectSchema, type: string) => string[][] = pathsTo): FieldPosition[] {
  return [...resources()].flatMap((resource) => {
    if (resource.subresource !== '' || rulesFor(resource.group, resource.resource) === undefined) return []
    const schema = schemaForKind(resource)
    return schema === undefined ? [] : find(schema, type).map((path) => ({ resource, schema, path }))
  })
}

function topPaths(schema: ObjectSchema, type: string): string[][] {
  const spec = schema.fields.get('spec')?.schema
  return [...(schema.name === type ? [[]] : []), ...(spec?.kind === 'object' && spec.name === type ? [['spec']] : [])]
}

/** Where objects of a type stand in a kind. */
function pathsTo(schema: Schema, type: string, seen: readonly string[] = []): string[][] {
  if (schema.kind === 'list') return pathsTo(schema.items, type, seen).map((path) => ['[]', ...path])
  if (schema.kind === 'map') return pathsTo(schema.values, type, seen).map((path) => ['{}', ...path])
  if (schema.kind !== 'object') return []
  if (schema.name === type) return [[]]
  const name = schema.name ?? ''
  if (seen.includes(name) || name.startsWith('meta.v1.')) return []
  return [...schema.fields.values()].flatMap((field) =>
    pathsTo(field.schema, type, [...seen, name]).map((path) => [field.name, ...path]),
  )
}

/** What an update that changes one field came to: what was refused for the change alone, and whether it was ignored. */
interface Outcome {
  readonly refused: readonly FieldError[]
  readonly ignored: boolean
}

const isKept = ({ refused, ignored }: Outcome): boolean => refused.length > 0 || ignored

function outcomes(resource: CatalogResource, schema: ObjectSchema, path: readonly string[]): Outcome[] {
  const { group, version, resource: name } = resource
  // All gates are on, and the release is the default one, whose kinds are described.
  const isOn = (gate: string): boolean => !gate.startsWith('release:')
  const writer = writerOf(group === '' ? version : `${group}/${version}`, name, isOn)
  const body = (index: number, fill: boolean): JsonObject => ({
    ...(build(schema, path, index, fill) as JsonObject),
    metadata: { name: 'x', namespace: 'ns' },
  })
  return [false, true].flatMap((fill) => {
    try {
      const [old, next] = [writer.read(body(0, fill)), body(1, fill)]
      const same = writer.read(next)
      if (old === undefined || same === undefined) return []
      const { object, errors } = writer.update(next, old)
      const known = new Set(writer.update(next, same).errors.map(shown))
      const refused = errors.filter((error) => !known.has(shown(error)))
      // A status is kept because it is written elsewhere.
      const ignored = path[0] !== 'status' && JSON.stringify(at(object, path)) !== JSON.stringify(at(same, path))
      return [{ refused, ignored }]
    } catch {
      // Rules may rely on what is missing here.
      return []
    }
  })
}

const shown = ({ field, message }: FieldError): string => `${field}: ${message}`

function at(value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  const [first, ...rest] = path
  if (first === undefined) return value
  if (first === '[]') return at(Array.isArray(value) ? value[0] : undefined, rest)
  return isJsonObject(value) ? at(value[first === '{}' ? 'a' : first], rest) : undefined
}

/** An object with one of two values at the path; `fill`ed, what is required beside the path is there too. */
function build(schema: Schema, path: readonly string[], index: number, fill: boolean): JsonValue {
  const [first, ...rest] = path
  if (first === undefined) return variant(schema, index)
  if (first === '[]' && schema.kind === 'list') return [build(schema.items, rest, index, fill)]
  if (first === '{}' && schema.kind === 'map') return { a: build(schema.values, rest, index, fill) }
  if (schema.kind !== 'object') throw new Error('the path leaves the type')
  const object: JsonObject = {}
  for (const field of schema.fields.values()) {
    if (field.name === first) object[first] = build(field.schema, rest, index, fill)
    else if (fill && (field.required || field.schema.kind === 'object') && field.schema.kind !== 'any') {
      object[field.name] = field.required ? variant(field.schema, 0) : {}
    }
  }
  return object
}

/** One of two values of a type. */
function variant(schema: Schema, index: number, depth = 0): JsonValue {
  if ('enum' in schema && schema.enum !== undefined) return schema.enum[index % schema.enum.length] as JsonValue
  switch (schema.kind) {
    case 'object':
      return depth > 4 ? {} : variantObject(schema, index, depth)
    case 'list':
      return [variant(schema.items, index, depth + 1)]
    case 'map':
      return { a: variant(schema.values, index, depth + 1) }
    case 'any':
      return { a: index }
    default:
      return (values[schema.kind] as JsonValue[])[index] as JsonValue
  }
}

function variantObject(schema: ObjectSchema, index: number, depth: number): JsonObject {
  const fields = [...schema.fields.values()].filter(({ name }) => !/^(kind|apiVersion|metadata)$/.test(name))
  const used = fields.filter(({ required }) => required)
  return Object.fromEntries(
    (used.length > 0 ? used : fields.slice(0, 1)).map((field) => [field.name, variant(field.schema, index, depth + 1)]),
  )
}

const values: Readonly<Record<string, JsonValue[]>> = {
  string: ['a', 'b'],
  integer: [1, 2],
  number: [1, 2],
  boolean: [true, false],
  'int-or-string': [1, 2],
  quantity: ['1', '2'],
  time: ['2024-05-06T07:08:09Z', '2024-05-06T07:08:10Z'],
  'micro-time': ['2024-05-06T07:08:09.000000Z', '2024-05-06T07:08:10.000000Z'],
  duration: ['1s', '2s'],
  bytes: ['YQ==', 'Yg=='],
}
