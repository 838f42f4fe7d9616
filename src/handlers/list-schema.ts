/** The schema of a list, made from that of its items: what Protobuf needs to write one. */

import { typeSchema } from '../catalog/catalog.ts'
import { SideTable } from '../lib/memo.ts'
import type { ResourceVersion } from '../registry/resource-definition.ts'
import type { Field, ObjectSchema } from '../schema/schema.ts'

const known = new SideTable<ObjectSchema, ObjectSchema>()

export function listSchema({ schema, kind }: ResourceVersion): ObjectSchema {
  return known.getOrMake(schema, () => ({
    kind: 'object',
    name: schema.name === undefined ? undefined : `${schema.name}List`,
    fields: new Map<string, Field>([
      ['kind', text('kind')],
      ['apiVersion', text('apiVersion')],
      ['metadata', part('metadata', typeSchema('meta.v1.ListMeta'), 1, 'single')],
      ['items', items(schema)],
    ]),
    atomic: false,
    preserveUnknown: false,
    embedded: false,
  }))

  function items(of: ObjectSchema): Field {
    const field = part('items', of, 2, 'repeated')
    return { ...field, schema: { kind: 'list', items: of, topology: 'atomic', keys: [] } }
  }

  function part(name: string, of: ObjectSchema, number: number, shape: 'single' | 'repeated'): Field {
    const proto = { path: [number], type: of.name ?? kind, shape }
    return { name, schema: of, required: false, pointer: false, emit: true, proto }
  }
}

const text = (name: string): Field => ({
  name,
  schema: { kind: 'string' },
  required: false,
  pointer: false,
  emit: false,
})
