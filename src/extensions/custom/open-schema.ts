/**
 * Schemas of definitions that keep unknown fields as a whole (`spec.preserveUnknownFields`, from before v1): a field
 * that no schema names has an owner all the same, part by part.
 */
import { isJsonObject, type JsonObject, setKey } from '../../api/json.ts'

/** The same schema, whose objects take any field. */
export function preservingUnknownFields(props: JsonObject): JsonObject {
  const { type, items, properties, additionalProperties } = props
  const isObject = type === 'object' || isJsonObject(properties)
  const result: JsonObject = { ...props }
  if (isObject && !isJsonObject(additionalProperties)) result['x-kubernetes-preserve-unknown-fields'] = true
  if (isJsonObject(items)) result['items'] = preservingUnknownFields(items)
  if (isJsonObject(additionalProperties)) result['additionalProperties'] = preservingUnknownFields(additionalProperties)
  if (isJsonObject(properties)) {
    const inner: JsonObject = {}
    for (const [name, field] of Object.entries(properties)) {
      setKey(inner, name, isJsonObject(field) ? preservingUnknownFields(field) : field)
    }
    result['properties'] = inner
  }
  return result
}
