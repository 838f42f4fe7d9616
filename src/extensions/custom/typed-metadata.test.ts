import { expect, test } from 'vitest'
import { schemaFromOpenApi } from '../../schema/from-openapi.ts'
import type { ListSchema, ObjectSchema } from '../../schema/schema.ts'
import { withMetadata } from './typed-metadata.ts'

test('a schema with embedded objects keeps all that it says beside its fields', () => {
  const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true, properties: {} }
  const items = { properties: { embedded }, additionalProperties: false, nullable: true, default: {} }
  const schema = schemaFromOpenApi(
    { type: 'object', properties: { list: { type: 'array', items } } },
    36,
  ) as ObjectSchema
  const { fields, ...typed } = (withMetadata(schema).fields.get('list')!.schema as ListSchema).items as ObjectSchema
  expect(typed).toEqual({
    kind: 'object',
    name: undefined,
    release: 36,
    nullable: true,
    default: {},
    atomic: false,
    preserveUnknown: false,
    embedded: false,
    untyped: true,
    refusesOthers: true,
  })
  expect([...(fields.get('embedded')!.schema as ObjectSchema).fields.keys()]).toContain('metadata')
})
