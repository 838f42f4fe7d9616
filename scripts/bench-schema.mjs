// Schemas of the expressions that are measured, in few words.
const field = (name, schema) => [name, { name, schema, required: false, pointer: false, emit: false }]

export const object = (fields) => ({
  kind: 'object',
  name: undefined,
  fields: new Map(Object.entries(fields).map(([name, schema]) => field(name, schema))),
  atomic: false,
  preserveUnknown: false,
  embedded: false,
})
export const text = { kind: 'string' }
export const integer = { kind: 'integer' }
