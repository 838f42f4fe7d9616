/**
 * The zero value of a type: for a built-in type the keys that are always serialized, with their zero values; for a custom one nothing. A
 * create is compared with it, so that `spec: {}` and `creationTimestamp: null` are not owned for having sent an object of that type.
 */

import type { JsonObject, JsonValue } from '../../api/json.ts'
import { memoize } from '../../lib/memo.ts'
import type { Field, Schema } from '../../schema/schema.ts'

export const emptyObject = memoize('empty-object', (schema: Schema): JsonObject => {
  const object: JsonObject = {}
  if (schema.kind === 'object' && schema.name !== undefined) {
    for (const [name, field] of schema.fields) if (field.emit) object[name] = zeroOf(field)
  }
  return object
})

function zeroOf({ schema, pointer }: Field): JsonValue {
  if (pointer) return null
  switch (schema.kind) {
    case 'object':
      return emptyObject(schema)
    case 'string':
    case 'duration':
      return ''
    case 'integer':
    case 'number':
    case 'int-or-string':
      return 0
    case 'boolean':
      return false
    case 'quantity':
      return '0'
    default:
      return null
  }
}
