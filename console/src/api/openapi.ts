// Schemas of kinds from OpenAPI v3: what a field means, which there are, and how the server merges it.
import type { MergeSchema } from '../lib/apply.ts'
import { apiVersionOf, type Kind } from './discovery.ts'
import { get } from './http.ts'

export interface Schema {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly required?: readonly string[]
  readonly format?: string
  readonly $ref?: string
  readonly allOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly minLength?: number
  readonly maxItems?: number
  readonly pattern?: string
  readonly nullable?: boolean
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: string
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string; readonly message?: string }[]
  readonly 'x-kubernetes-group-version-kind'?: readonly {
    readonly group: string
    readonly version: string
    readonly kind: string
  }[]
}

interface Document {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

/** The schema of a kind, and a way to follow references within its document. */
export interface KindSchema {
  readonly root: Schema
  readonly resolve: (schema: Schema) => Schema
}

const documents = new Map<string, Promise<Document>>()
const maxDocuments = 20

let index: Promise<Readonly<Record<string, { readonly serverRelativeURL: string }>>> | undefined

async function documentOf(kind: Kind): Promise<Document> {
  const name = kind.group === '' ? `api/${kind.version}` : `apis/${apiVersionOf(kind)}`
  index ??= get<{ paths: Record<string, { serverRelativeURL: string }> }>('/openapi/v3').then(({ paths }) => paths)
  const entry = (await index)[name]
  if (entry === undefined) {
    index = undefined
    throw new Error(`the server describes no ${apiVersionOf(kind)}`)
  }
  const known = documents.get(entry.serverRelativeURL)
  if (known !== undefined) return known
  if (documents.size >= maxDocuments) documents.clear()
  const loaded = get<Document>(entry.serverRelativeURL)
  documents.set(entry.serverRelativeURL, loaded)
  return loaded
}

export async function loadSchema(kind: Kind): Promise<KindSchema | undefined> {
  const document = await documentOf(kind)
  const schemas = document.components?.schemas ?? {}
  const isKind = (schema: Schema) =>
    (schema['x-kubernetes-group-version-kind'] ?? []).some(
      (gvk) => gvk.group === kind.group && gvk.version === kind.version && gvk.kind === kind.kind,
    )
  const root = Object.values(schemas).find(isKind)
  return root === undefined ? undefined : { root, resolve: (schema) => resolve(schema, schemas) }
}

/** A reference stands alone, or in `allOf` with words and defaults of its own. */
export function resolve(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  const target = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined)
  if (target === undefined) return schema
  const found = schemas[target.replace('#/components/schemas/', '')]
  if (found === undefined) return schema
  const { $ref, allOf, ...own } = schema
  return { ...found, ...own }
}

/** The schema at a path; numbers are items of lists. */
export function schemaAt(
  { root, resolve: follow }: KindSchema,
  path: readonly (string | number)[],
): Schema | undefined {
  let schema: Schema | undefined = follow(root)
  for (const step of path) {
    if (schema === undefined) return undefined
    const next: Schema | undefined = typeof step === 'number' ? schema.items : memberOf(schema, step)
    schema = next === undefined ? undefined : follow(next)
  }
  return schema
}

function memberOf(schema: Schema, name: string): Schema | undefined {
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, name)) return schema.properties[name]
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
}

const unknownSchema: MergeSchema = {
  kind: 'struct',
  keys: [],
  member: () => unknownSchema,
  item: () => unknownSchema,
}

/** How the server merges what a schema describes; of unknown fields maps are merged, and lists are single values. */
export function mergeSchema(
  kindSchema: KindSchema | undefined,
  schema: Schema | undefined = kindSchema?.root,
): MergeSchema {
  if (kindSchema === undefined || schema === undefined) return unknownSchema
  const own = kindSchema.resolve(schema)
  const below = (next: Schema | undefined) => mergeSchema(kindSchema, next)
  return {
    kind: mergeKind(own),
    keys: own['x-kubernetes-list-map-keys'] ?? [],
    member: (name) => {
      const member = memberOf(own, name)
      return member === undefined ? unknownSchema : below(member)
    },
    item: () => (own.items === undefined ? unknownSchema : below(own.items)),
  }
}

function mergeKind(schema: Schema): MergeSchema['kind'] {
  if (schema.type === 'array') {
    const type = schema['x-kubernetes-list-type']
    return type === 'map' ? 'list' : type === 'set' ? 'set' : 'atomic'
  }
  return schema['x-kubernetes-map-type'] === 'atomic' ? 'atomic' : 'struct'
}

/** A type in a word, as `kubectl explain` says it. */
export function typeText(schema: Schema, follow: KindSchema['resolve']): string {
  const own = follow(schema)
  if (own['x-kubernetes-int-or-string']) return 'integer or string'
  if (own.type === 'array') return `[]${own.items === undefined ? 'object' : typeText(own.items, follow)}`
  if (own.type === 'object' && typeof own.additionalProperties === 'object') {
    return `map of ${typeText(own.additionalProperties, follow)}`
  }
  return own.format === undefined ? (own.type ?? 'any') : `${own.type ?? ''} (${own.format})`
}
