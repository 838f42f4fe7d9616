/** Small tools of the conversions: objects are changed by copying, and what is not there stays not there. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../api/json.ts'
import type { KubeObject, StringMap } from '../../../api/object.ts'

export interface OlderConversion {
  /** To and from the hub version; where only the name differs, both are absent. Results need not be in wire order. */
  readonly toHub?: (object: KubeObject) => KubeObject
  readonly fromHub?: (object: KubeObject) => KubeObject
  /** What this version fills in differently from the hub version, whose defaults come after. */
  readonly defaults?: (object: KubeObject) => KubeObject
}

export const objectAt = (object: JsonObject, key: string): JsonObject => {
  const value = object[key]
  return isJsonObject(value) ? value : {}
}

export const objectsAt = (object: JsonObject, key: string): JsonObject[] => {
  const value = object[key]
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

/** The object with a field changed, where it is there. */
export function changed(
  object: JsonObject,
  key: string,
  change: (value: JsonObject) => JsonObject | undefined,
): JsonObject {
  const value = object[key]
  return isJsonObject(value) ? put(object, key, change(value)) : object
}

/** The object with every object of a list changed, where the list is there. */
export function changedItems(object: JsonObject, key: string, change: (item: JsonObject) => JsonObject): JsonObject {
  const value = object[key]
  if (!Array.isArray(value)) return object
  return { ...object, [key]: value.map((item) => (isJsonObject(item) ? change(item) : item)) }
}

/** The object with a field set, or without it when there is no value. */
export function put<T extends JsonObject>(object: T, key: string, value: JsonValue | undefined): T {
  if (value !== undefined) return { ...object, [key]: value }
  if (!Object.hasOwn(object, key)) return object
  const { [key]: _, ...rest } = object
  return rest as T
}

export function renamed(object: JsonObject, from: string, to: string): JsonObject {
  const value = object[from]
  return value === undefined ? object : put(put(object, from, undefined), to, value)
}

/** The object with the fields that it lacks. */
export function filled(object: JsonObject, defaults: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  let out = object
  for (const [key, value] of Object.entries(defaults)) {
    if (value !== undefined && (out[key] === undefined || out[key] === null)) out = { ...out, [key]: value }
  }
  return out
}

export const annotationsOf = ({ metadata }: KubeObject): StringMap => metadata?.annotations ?? {}

/** The object with an annotation set, or without it. */
export function annotated(object: KubeObject, key: string, value: string | undefined): KubeObject {
  const { [key]: before, ...others } = annotationsOf(object)
  if (before === value) return object
  const annotations = value === undefined ? others : { ...others, [key]: value }
  const none = Object.keys(annotations).length === 0
  return { ...object, metadata: put(object.metadata, 'annotations', none ? undefined : annotations) }
}

export const withOlderSpec = (object: KubeObject, change: (spec: JsonObject) => JsonObject): KubeObject =>
  changed(object, 'spec', change) as KubeObject
