/**
 * A body for every list, map and text that a built-in kind has anywhere: a list or map filled with many items, a text made of as
 * many parts, the rest as small as it can be. What is more than linear in a field, or slow for each of its items, shows whichever field it is.
 */
import { formatGroupVersion } from '../../../src/api/group-version.ts'
import type { JsonObject, JsonValue } from '../../../src/api/json.ts'
import { schemaForKind } from '../../../src/catalog/catalog.ts'
import { type CatalogResource, resources } from '../../../src/catalog/resources.ts'
import type { Field, ObjectSchema, Schema } from '../../../src/schema/schema.ts'

export interface FieldCase {
  /** `pods spec.containers[].env`. */
  readonly name: string
  readonly resource: CatalogResource
  /** Whether the field is one text. */
  readonly isText: boolean
  readonly isOfStatus: boolean
  body(count: number, text: TextOf): JsonObject
}

/** The text of the item, or the part of a text, of that index. */
export type TextOf = (index: number) => string

/** Every type's lists, maps and texts once, in the first kind that has them. */
export function fieldCases(): FieldCase[] {
  const seen = new Set<string>()
  return [...resources()].flatMap((resource) => fieldCasesOf(resource, seen))
}

/** Those of one kind whose type has not been seen. */
export function fieldCasesOf(resource: CatalogResource, seen = new Set<string>()): FieldCase[] {
  if (resource.subresource !== '' || !resource.verbs.includes('create')) return []
  const schema = schemaForKind({ ...resource.kindVersion, kind: resource.kind })
  const found: FieldCase[] = []
  if (schema !== undefined) collect({ resource, root: schema, seen, found }, schema, [])
  return found
}

interface Collecting {
  readonly resource: CatalogResource
  readonly root: ObjectSchema
  readonly seen: Set<string>
  readonly found: FieldCase[]
}

const maxDepth = 9

function collect(state: Collecting, schema: Schema, path: readonly string[]): void {
  if (path.length > maxDepth) return
  if (schema.kind === 'list') collect(state, schema.items, [...path, '[]'])
  else if (schema.kind === 'map') collect(state, schema.values, [...path, '{}'])
  else if (schema.kind === 'object') {
    for (const field of schema.fields.values()) collectField(state, schema, field, [...path, field.name])
  }
}

function collectField(state: Collecting, owner: ObjectSchema, field: Field, path: readonly string[]): void {
  const { resource, root, seen, found } = state
  const id = `${owner.name ?? ''}.${field.name}`
  if (seen.has(id)) return
  seen.add(id)
  const { schema: given } = field
  const paths = isContainer(given) ? [path] : []
  if (isText(given)) paths.push(path)
  else if (given.kind === 'list' && isText(given.items)) paths.push([...path, '[]'])
  else if (given.kind === 'map' && isText(given.values)) paths.push([...path, '{}'])
  for (const each of paths) found.push(caseOf(resource, root, each, each !== path || isText(given)))
  collect(state, given, path)
}

const isContainer = ({ kind }: Schema): boolean => kind === 'list' || kind === 'map'

/** Kinds that are read from a text. */
const textKinds: ReadonlySet<string> = new Set<Schema['kind']>([
  'string',
  'int-or-string',
  'quantity',
  'time',
  'micro-time',
  'duration',
  'bytes',
])
const isText = ({ kind }: Schema): boolean => textKinds.has(kind)

function caseOf(resource: CatalogResource, root: ObjectSchema, path: readonly string[], isOneText: boolean): FieldCase {
  return {
    name: `${resource.resource}.${resource.version} ${path.join('.').replaceAll('.[]', '[]').replaceAll('.{}', '{}')}`,
    resource,
    isText: isOneText,
    isOfStatus: path[0] === 'status',
    body: (count, text) => {
      const body = along(root, path, { count, text }) as JsonObject
      const { name = 'large', ...metadata } = (body['metadata'] ?? {}) as JsonObject
      return {
        ...body,
        apiVersion: formatGroupVersion(resource.kindVersion),
        kind: resource.kind,
        metadata: { name, ...metadata },
      }
    },
  }
}

interface Filling {
  readonly count: number
  readonly text: TextOf
}

/** The smallest value with the field at the end of the path filled. */
function along(schema: Schema, path: readonly string[], filling: Filling): JsonValue {
  const [step, ...rest] = path
  if (step === undefined) return filled(schema, filling)
  if (schema.kind === 'list') return [along(schema.items, rest, filling)]
  if (schema.kind === 'map') return { a: along(schema.values, rest, filling) }
  if (schema.kind !== 'object') return null
  const field = schema.fields.get(step)
  if (field === undefined) return null
  return { ...(smallest(schema, 'a', 1) as JsonObject), [step]: along(field.schema, rest, filling) }
}

function filled(schema: Schema, { count, text }: Filling): JsonValue {
  if (schema.kind === 'list') return Array.from({ length: count }, (_, i) => smallest(schema.items, text(i), i))
  if (schema.kind !== 'map') return Array.from({ length: count }, (_, i) => text(i)).join('')
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [text(i), smallest(schema.values, 'a', i)]))
}

/** Fields that make items differ, or that no rule lets go without. */
const telling = new Set(['name', 'key', 'ip', 'type', 'kind', 'uid', 'host', 'path', 'port', 'mountPath', 'operator'])

function smallest(schema: Schema, text: string, number: number, depth = 0): JsonValue {
  switch (schema.kind) {
    case 'object': {
      const object: JsonObject = {}
      if (depth > 3) return object
      for (const field of schema.fields.values()) {
        if (field.required || telling.has(field.name)) {
          object[field.name] = smallest(field.schema, text, number, depth + 1)
        }
      }
      return object
    }
    case 'list':
      return depth > 3 ? [] : [smallest(schema.items, text, number, depth + 1)]
    case 'map':
      return {}
    case 'string':
      return text
    case 'integer':
    case 'number':
      return (number % 65_000) + 1
    case 'boolean':
      return true
    case 'int-or-string':
    case 'quantity':
      return '1'
    case 'time':
    case 'micro-time':
      return null
    case 'duration':
      return '1s'
    case 'bytes':
      return 'AA=='
    case 'any':
      return {}
  }
}
