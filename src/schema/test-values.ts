/** Random values of any type, for properties that hold for every type. */
import fc from 'fast-check'
import type { JsonValue } from '../api/json.ts'
import type { Schema } from './schema.ts'

/** Values of a type, with keys in any order, nulls and zeros here and there. */
export function valuesOf(schema: Schema, depth: number): fc.Arbitrary<JsonValue> {
  switch (schema.kind) {
    case 'object': {
      if (depth === 0) return fc.constant({})
      const fields = [...schema.fields.values()]
      if (fields.length === 0) return fc.constant({})
      return fc
        .uniqueArray(fc.nat(fields.length - 1), { maxLength: 6 })
        .chain((chosen) =>
          fc.tuple(
            ...chosen.map((i) => {
              const field = fields[i] as (typeof fields)[number]
              const value = fc.option(valuesOf(field.schema, depth - 1), { freq: 5 })
              return value.map((item) => [field.name, item] as const)
            }),
          ),
        )
        .map((entries) => Object.fromEntries(entries))
    }
    case 'map':
      return fc.dictionary(fc.constantFrom('b', 'a', '__proto__', 'c.d'), valuesOf(schema.values, depth - 1), {
        maxKeys: 3,
      })
    case 'list':
      return fc.array(valuesOf(schema.items, depth - 1), { maxLength: 2 })
    case 'any':
      return fc.constant({ z: [1, { a: null }], b: 'x' })
    case 'string':
      return fc.constantFrom('', 'x', 'Ünï')
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number':
      return fc.constantFrom(0, 1, -5, 2_147_483_647)
    case 'int-or-string':
      return fc.constantFrom<JsonValue>(0, 8080, '', 'http')
    case 'quantity':
      return fc.constantFrom<JsonValue>('0', '1000m', '1.5Gi', 3)
    case 'time':
      return fc.constantFrom('2020-01-01T00:00:00Z', '2020-01-01T02:00:00.5+02:00', '0001-01-01T00:00:00Z')
    case 'micro-time':
      return fc.constantFrom('2020-01-01T00:00:00.000001Z')
    case 'duration':
      return fc.constantFrom('1h', '90s')
    case 'bytes':
      return fc.constantFrom('', 'aGk=')
  }
}
