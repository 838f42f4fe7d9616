/**
 * The annotation of client-side apply. The manager `kubectl` alone may change a value that the annotation says it put
 * there, whichever manager owns it now; and its server-side apply keeps the annotation up to date, so that going back works.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { Schema } from '../../schema/schema.ts'
import { compareValues } from './compare.ts'
import type { FieldSet } from './field-set.ts'
import { metadataOf } from './managed-fields.ts'
import { toFieldSet } from './to-field-set.ts'
import { ListItemError } from './topology.ts'
import { validateConfig } from './validate-config.ts'

const annotation = 'kubectl.kubernetes.io/last-applied-configuration'

/** The one manager that is known to have applied from the client. */
export const clientSideManager = 'kubectl'

/** All annotations of an object together, in bytes. */
const maxAnnotationsSize = 256 * 1_024

/** The fields whose live values are those last applied from the client; undefined when that is unknown. */
export function lastAppliedFields(schema: Schema, live: JsonObject, apiVersion: string): FieldSet | undefined {
  const config = parseObject(annotationsOf(live)?.[annotation])
  if (config?.['apiVersion'] !== apiVersion) return undefined
  const { errors, unknown } = validateConfig(schema, config)
  if (errors.length > 0 || unknown.length > 0) return undefined
  try {
    const { added, modified, removed } = compareValues(schema, config, live)
    return toFieldSet(schema, config).difference(modified).difference(added).difference(removed)
  } catch (error) {
    if (error instanceof ListItemError) return undefined
    throw error
  }
}

/** The object with the configuration in its annotation, if it has that annotation. */
export function withLastApplied(object: JsonObject, config: JsonObject): JsonObject {
  const annotations = annotationsOf(object)
  if (!annotations?.[annotation]) return object
  const text = `${canonicalJson(withoutAnnotation(config))}\n`
  const { [annotation]: _, ...others } = annotations
  const next = { ...annotations, [annotation]: text }
  const kept = sizeOf(next) > maxAnnotationsSize ? others : next
  return { ...object, metadata: { ...metadataOf(object), annotations: kept } }
}

function annotationsOf(object: JsonObject): JsonObject | undefined {
  const annotations = metadataOf(object)['annotations']
  return isJsonObject(annotations) ? annotations : undefined
}

function withoutAnnotation(config: JsonObject): JsonObject {
  const annotations = annotationsOf(config)
  if (annotations === undefined) return config
  const { [annotation]: _, ...others } = annotations
  return { ...config, metadata: { ...metadataOf(config), annotations: others } }
}

function sizeOf(annotations: JsonObject): number {
  let size = 0
  for (const key of Object.keys(annotations)) {
    size += Buffer.byteLength(key) + Buffer.byteLength(String(annotations[key]))
  }
  return size
}

function parseObject(text: JsonValue | undefined): JsonObject | undefined {
  if (typeof text !== 'string' || text === '') return undefined
  try {
    const value = JSON.parse(text) as JsonValue
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const unsafeInHtml = /[<>&\u2028\u2029]/g

/** Keys in order, no spaces, and the characters escaped that the reference escapes. */
function canonicalJson(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'null'
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'object') {
    const keys = Object.keys(value).filter((key) => value[key] !== undefined)
    return `{${keys
      .sort()
      .map((key) => `${canonicalJson(key)}:${canonicalJson(value[key])}`)
      .join(',')}}`
  }
  const text = JSON.stringify(value)
  return typeof value === 'string' ? text.replace(unsafeInHtml, escapeChar) : text
}

const escapeChar = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
