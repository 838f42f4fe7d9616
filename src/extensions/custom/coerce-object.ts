/** What becomes of every custom object on its way in: typed metadata, unknown fields dropped, forbidden nulls dropped. */

import { isJsonObject, type JsonObject } from '../../api/json.ts'
import { pushAll } from '../../lib/push-all.ts'
import { dropNulls } from '../../schema/default.ts'
import { pruneObject } from '../../schema/prune.ts'
import type { Schema } from '../../schema/schema.ts'
import { coerceEmbedded, coerceMetadata, type Malformed } from './object-meta.ts'

export interface CoercedObject {
  readonly object: JsonObject
  /** Paths of the fields that were pruned as undeclared. */
  readonly unknown: readonly string[]
  readonly error?: string
}

export interface CoerceOptions {
  /** Absent: nothing is known but what every object has. */
  readonly schema: Schema | undefined
  readonly preserveUnknown: boolean
  readonly malformed: Malformed
  /** What an apply makes of an object keeps the nulls that its type does not allow: validation refuses them. */
  readonly keepsNulls?: boolean
}

const hasNoType = (schema: Schema): boolean => schema.kind === 'any'

export function coerceObject(object: JsonObject, options: CoerceOptions): CoercedObject {
  const { schema, preserveUnknown, malformed, keepsNulls = false } = options
  const unknown: string[] = []
  const given = object['metadata']
  const metadata = given === undefined ? undefined : coerceMetadata(given ?? {}, malformed)
  if (metadata?.error !== undefined) return { object, unknown, error: metadata.error }
  if (metadata !== undefined) pushAll(unknown, metadata.unknown)
  let value = object
  if (!preserveUnknown) {
    const pruned = pruneObject(object, schema)
    pushAll(unknown, pruned.unknown)
    value = dropNulls(pruned.value, schema, keepsNulls ? hasNoType : undefined)
  }
  const embedded = schema === undefined ? { value, unknown: [] } : coerceEmbedded(value, schema, malformed)
  if ('error' in embedded && embedded.error !== undefined) return { object, unknown, error: embedded.error }
  pushAll(unknown, embedded.unknown)
  const whole = isJsonObject(embedded.value) ? embedded.value : value
  if (metadata === undefined) return { object: whole, unknown }
  const out: JsonObject = whole === object ? { ...object } : whole
  out['metadata'] = metadata.value
  return { object: out, unknown }
}
