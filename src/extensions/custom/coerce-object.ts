/** What becomes of every custom object on its way in: typed metadata, unknown fields dropped, forbidden nulls dropped. */

import { isJsonObject, type JsonObject } from '../../api/json.ts'
import { runToEnd, type Steps } from '../../lib/in-turns.ts'
import { pushAll } from '../../lib/push-all.ts'
import { dropNulls, dropNullsInSteps } from '../../schema/default.ts'
import { pruneObject, pruneObjectInSteps } from '../../schema/prune.ts'
import type { Schema } from '../../schema/schema.ts'
import { coerceEmbeddedInSteps, coerceMetadata, coerceMetadataInSteps, type Malformed } from './object-meta.ts'

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

export const coerceObject = (object: JsonObject, options: CoerceOptions): CoercedObject =>
  runToEnd(coerceWith(object, options, false))

/** The same of an object that is more than one turn. */
export const coerceObjectInSteps = (object: JsonObject, options: CoerceOptions): Steps<CoercedObject> =>
  coerceWith(object, options, true)

function* coerceWith(object: JsonObject, options: CoerceOptions, isLarge: boolean): Steps<CoercedObject> {
  const { schema, preserveUnknown, malformed, keepsNulls = false } = options
  const unknown: string[] = []
  const given = object['metadata']
  const metadata =
    given === undefined
      ? undefined
      : isLarge
        ? yield* coerceMetadataInSteps(given ?? {}, malformed)
        : coerceMetadata(given ?? {}, malformed)
  if (metadata?.error !== undefined) return { object, unknown, error: metadata.error }
  if (metadata !== undefined) pushAll(unknown, metadata.unknown)
  let value = object
  if (!preserveUnknown) {
    const pruned = isLarge ? yield* pruneObjectInSteps(object, schema) : pruneObject(object, schema)
    pushAll(unknown, pruned.unknown)
    const mayDrop = keepsNulls ? hasNoType : undefined
    value = isLarge
      ? ((yield* dropNullsInSteps(pruned.value, schema, mayDrop)) as JsonObject)
      : dropNulls(pruned.value, schema, mayDrop)
  }
  const embedded =
    schema === undefined ? { value, unknown: [] } : yield* coerceEmbeddedInSteps(value, schema, malformed)
  if ('error' in embedded && embedded.error !== undefined) return { object, unknown, error: embedded.error }
  pushAll(unknown, embedded.unknown)
  const whole = isJsonObject(embedded.value) ? embedded.value : value
  if (metadata === undefined) return { object: whole, unknown }
  const out: JsonObject = whole === object ? { ...object } : whole
  out['metadata'] = metadata.value
  return { object: out, unknown }
}
