// The places of a schema: where rules can stand, and what a value there looks like.
import type { Schema } from '../api/openapi.ts'

/** Names of members; `*` for the items of a list and the values of a map. */
export type SchemaPath = readonly string[]

/** As it is in an address: steps that are names may have any character. */
export const pathText = (path: SchemaPath): string => path.map(encodeURIComponent).join('/')

export const pathOfText = (text: string): SchemaPath => (text === '' ? [] : text.split('/').map(decode))

function decode(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

/** For people: `spec.ports[*].name`. */
export const pathTitle = (path: SchemaPath): string =>
  path.length === 0
    ? 'the whole object'
    : path.reduce((all, step) => (step === '*' ? `${all}[*]` : `${all}.${step}`), '').replace(/^\./, '')

const elementOf = ({ items, additionalProperties }: Schema): Schema | undefined =>
  items ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)

const own = (members: Readonly<Record<string, Schema>> | undefined, name: string): Schema | undefined =>
  members !== undefined && Object.hasOwn(members, name) ? members[name] : undefined

export function schemaAt(root: Schema, path: SchemaPath): Schema | undefined {
  return path.reduce<Schema | undefined>(
    (schema, step) => (step === '*' ? schema && elementOf(schema) : own(schema?.properties, step)),
    root,
  )
}

const maxPaths = 500

/** All places, the outer ones first. */
export function schemaPaths(root: Schema): SchemaPath[] {
  const found: { readonly path: SchemaPath; readonly schema: Schema }[] = [{ path: [], schema: root }]
  for (let at = 0; at < found.length && found.length < maxPaths; at++) {
    const { path, schema } = found[at] as (typeof found)[number]
    const element = elementOf(schema)
    if (element !== undefined) found.push({ path: [...path, '*'], schema: element })
    for (const [name, member] of Object.entries(schema.properties ?? {}))
      found.push({ path: [...path, name], schema: member })
  }
  return found.slice(0, maxPaths).map(({ path }) => path)
}

const zeros: Readonly<Record<string, unknown>> = { string: '', integer: 0, number: 0, boolean: false }
const maxDepth = 8

/** A value that has everything, to begin with. */
export function exampleOf(schema: Schema, depth = 0): unknown {
  if (schema.default !== undefined) return schema.default
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema['x-kubernetes-int-or-string'] === true) return 0
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 0
  if (depth === maxDepth) return schema.type === 'array' ? [] : {}
  if (schema.type === 'array') return schema.items === undefined ? [] : [exampleOf(schema.items, depth + 1)]
  const { properties, type = 'object' } = schema
  if (type !== 'object') return zeros[type] ?? null
  return Object.fromEntries(
    Object.entries(properties ?? {}).map(([name, member]) => [name, exampleOf(member, depth + 1)]),
  )
}

/** The value of an object at a place; of lists and maps the first. */
export function valueAt(object: unknown, path: SchemaPath): unknown {
  return path.reduce<unknown>((value, step) => {
    if (typeof value !== 'object' || value === null) return undefined
    if (step === '*') return Object.values(value)[0]
    return Object.hasOwn(value, step) ? (value as Record<string, unknown>)[step] : undefined
  }, object)
}
