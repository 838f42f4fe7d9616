/**
 * Defaults of embedded objects without the metadata that no object has: the reference drops it when a definition is
 * written, and once more from what was written before it did.
 *
 * Mirrors apiextensions-apiserver schema/defaulting: PruneDefaults.
 */
import { isJsonObject, type JsonObject, type JsonValue, setKey } from '../../api/json.ts'
import { entriesOf, keysOf } from '../../api/key-lists.ts'
import { schemaFromOpenApi } from '../../schema/from-openapi.ts'
import { coerceEmbedded } from './object-meta.ts'

/** `props` is a schema as a definition has it; the same object when there is nothing to drop. */
export function withTypedDefaults(props: JsonObject): JsonObject {
  if (!mentionsEmbedded(props)) return props
  let result = props
  const put = (key: string, value: JsonValue): void => {
    if (value === props[key]) return
    if (result === props) result = { ...props }
    setKey(result, key, value)
  }
  if (props['default'] !== undefined) put('default', typedDefault(props))
  for (const key of ['items', 'additionalProperties']) {
    const inner = props[key]
    if (isJsonObject(inner)) put(key, withTypedDefaults(inner))
  }
  if (isJsonObject(props['properties'])) put('properties', typedProperties(props['properties']))
  return result
}

function typedDefault(props: JsonObject): JsonValue {
  const { value, error } = coerceEmbedded(props['default'] as JsonValue, schemaFromOpenApi(props), 'refuse')
  return error === undefined ? value : (props['default'] as JsonValue)
}

function typedProperties(properties: JsonObject): JsonObject {
  let result = properties
  for (const [name, inner] of entriesOf(properties)) {
    const typed = isJsonObject(inner) ? withTypedDefaults(inner) : inner
    if (typed === inner) continue
    if (result === properties) result = { ...properties }
    setKey(result, name, typed)
  }
  return result
}

/** Hardly any schema embeds objects: the rest is looked through once, and left alone. */
function mentionsEmbedded(props: JsonObject): boolean {
  if (props['x-kubernetes-embedded-resource'] === true) return true
  const { items, additionalProperties, properties } = props
  const isFoundIn = (inner: JsonValue | undefined): boolean => isJsonObject(inner) && mentionsEmbedded(inner)
  if (isFoundIn(items) || isFoundIn(additionalProperties)) return true
  return isJsonObject(properties) && keysOf(properties).some((key) => isFoundIn(properties[key]))
}
