/** A custom schema with the types of what every object has: its kind, version and metadata, embedded objects included. */
import { typeSchema } from '../../catalog/catalog.ts'
import type { Field, ListSchema, MapSchema, ObjectSchema, Schema } from '../../schema/schema.ts'
import { hasEmbedded } from './object-meta.ts'

const metaField = (name: string, schema: Schema): [string, Field] => [
  name,
  { name, schema, required: false, pointer: true, emit: false },
]

let metaFields: ReadonlyMap<string, Field> | undefined

function allMetaFields(): ReadonlyMap<string, Field> {
  metaFields ??= new Map([
    metaField('apiVersion', { kind: 'string' }),
    metaField('kind', { kind: 'string' }),
    metaField('metadata', typeSchema('meta.v1.ObjectMeta')),
  ])
  return metaFields
}

/** `schema` is that of a whole object. */
export function withMetadata(schema: ObjectSchema): ObjectSchema {
  let fields: ReadonlyMap<string, Field> | undefined
  return {
    ...withoutFields(schema),
    get fields() {
      fields ??= new Map([...innerFields(schema), ...allMetaFields()])
      return fields
    },
  }
}

/** A copy that does not open the fields. */
function withoutFields(schema: ObjectSchema): Omit<ObjectSchema, 'fields'> {
  const names = Object.keys(schema).filter((name) => name !== 'fields') as (keyof ObjectSchema)[]
  return Object.fromEntries(names.map((name) => [name, schema[name]])) as unknown as Omit<ObjectSchema, 'fields'>
}

function* innerFields(schema: ObjectSchema): Generator<[string, Field]> {
  for (const [name, field] of schema.fields) {
    const typed = typedParts(field.schema)
    const { required, pointer, emit } = field
    yield [name, typed === field.schema ? field : { name, schema: typed, required, pointer, emit }]
  }
}

/** The same schema where no object is embedded. */
function typedParts(schema: Schema): Schema {
  if (!hasEmbedded(schema)) return schema
  switch (schema.kind) {
    case 'object':
      return schema.embedded ? withMetadata(schema) : withTypedFields(schema)
    case 'any':
      return embeddedAnything(schema.nullable === true)
    case 'list':
      return { ...(schema as ListSchema), items: typedParts(schema.items) }
    case 'map':
      return { ...(schema as MapSchema), values: typedParts(schema.values) }
    default:
      return schema
  }
}

const withTypedFields = (schema: ObjectSchema): ObjectSchema => ({
  ...withoutFields(schema),
  fields: new Map(innerFields(schema)),
})

const embeddedAnything = (nullable: boolean): ObjectSchema => ({
  kind: 'object',
  name: undefined,
  nullable,
  fields: allMetaFields(),
  atomic: false,
  preserveUnknown: true,
  embedded: true,
})
