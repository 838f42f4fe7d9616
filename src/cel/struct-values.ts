/**
 * JSON of a built-in kind as dynamic values. Go has decoded it into structs before an expression looks at it, so that a whole number
 * in a float field is a double; nothing else of a type shows.
 */
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../api/json.ts'
import { compileOnce } from '../lib/memo.ts'
import type { Schema } from '../schema/schema.ts'
import { fromJson, JsonList, JsonMap } from './json-values.ts'
import { Double, type Value } from './values.ts'

type Adapt = (json: JsonValue) => Value

export const structValue = (json: JsonValue, schema: Schema): Value => adapterOf(schema)(json)

/** Most kinds have no float at all. */
const adapterOf = compileOnce('struct-adapter', (schema: Schema): Adapt => {
  if (!hasFloats(schema, new Set())) return fromJson
  switch (schema.kind) {
    case 'number':
      return (json) => (typeof json === 'number' ? new Double(json) : fromJson(json))
    case 'object': {
      const { fields } = schema
      return objectAdapter((name) => fields.get(name)?.schema)
    }
    case 'map':
      return objectAdapter(() => schema.values)
    case 'list':
      return (json) =>
        Array.isArray(json) ? new JsonList(json, (item) => structValue(item, schema.items)) : fromJson(json)
    default:
      return fromJson
  }
})

const objectAdapter =
  (schemaOf: (key: string) => Schema | undefined): Adapt =>
  (json) =>
    isJsonObject(json) ? new StructMap(json, schemaOf) : fromJson(json)

class StructMap extends JsonMap {
  readonly #schemaOf: (key: string) => Schema | undefined
  constructor(json: JsonObject, schemaOf: (key: string) => Schema | undefined) {
    super(json)
    this.#schemaOf = schemaOf
  }
  override find(key: Value): Value | undefined {
    const schema = typeof key === 'string' ? this.#schemaOf(key) : undefined
    if (schema === undefined) return super.find(key)
    const json = ownValue(this.json, key as string)
    return json === undefined ? undefined : structValue(json, schema)
  }
}

/** Types are recursive: `seen` has those that are being looked into. */
function hasFloats(schema: Schema, seen: Set<Schema>): boolean {
  if (schema.kind === 'number') return true
  if (seen.has(schema)) return false
  seen.add(schema)
  if (schema.kind === 'object') return [...schema.fields.values()].some((field) => hasFloats(field.schema, seen))
  if (schema.kind === 'map') return hasFloats(schema.values, seen)
  return schema.kind === 'list' && hasFloats(schema.items, seen)
}
