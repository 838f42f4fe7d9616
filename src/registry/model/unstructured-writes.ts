/** The write rules of unstructured objects (custom resources). */

import { parseGroupVersion } from '../../api/group-version.ts'
import { cloneJson, equalJson, type JsonObject, type JsonValue } from '../../api/json.ts'
import { keysOf } from '../../api/key-lists.ts'
import type { KubeObject } from '../../api/object.ts'
import { runToEnd, type Steps } from '../../lib/in-turns.ts'
import { Verdicts } from '../../lib/memo.ts'
import { isAboutDuplicates, validateConfigInSteps } from '../../patch/apply/validate-config.ts'
import type { ObjectSchema, Schema } from '../../schema/schema.ts'
import type { OwnableObject, WriteRules } from './write-rules.ts'

export const unstructuredWrites: WriteRules = {
  // It has no time at all before it has one.
  prepareNew: ({ metadata }) => {
    delete metadata.creationTimestamp
  },
  // It may say to be of another kind: that is what is wrong with it.
  refusedAs: ({ hub }, { apiVersion, kind }) => ({ group: parseGroupVersion(apiVersion)?.group ?? hub.group, kind }),
  equal: equalJson,
  hasOwners: conforms,
  // The versions of custom types know nothing of what others reset.
  resettingVersion: ({ apiVersion }) => apiVersion,
  ownDraft: (_version, object) => cloneJson(object),
}

/**
 * A custom object that does not conform to the schema of its version has no owners, and neither has what becomes of it. Objects that are
 * stored may not: the schema has changed, another server converts them, or their fault is in a part that the request cannot write; validation
 * bears what stays as it is stored.
 */
function* conforms({ object, version: { schema }, subresource, current }: OwnableObject): Steps<boolean> {
  if (subresource !== '' && subresource !== 'status') return true
  for (const [part, value] of partsOf(schema, current)) {
    const isKnown = isContainer(value) && conforming.has(value, [part], () => runToEnd(isOfSchema(part, value)))
    if (isKnown) continue
    if (!(yield* isOfSchema(part, value))) return false
    if (isContainer(value)) conforming.add(value, [part])
  }
  for (const [part, value, name] of partsOf(schema, object)) {
    if (value !== current?.[name] && !(yield* isOfSchema(part, value))) return false
  }
  return true
}

/** Parts of stored objects, most of which the next write leaves as they are. */
const conforming = new Verdicts<object>('conforming-parts')

const isContainer = (value: JsonValue): value is JsonObject | JsonValue[] => typeof value === 'object' && value !== null

function* partsOf(schema: ObjectSchema, object: KubeObject | undefined): Iterable<[Schema, JsonValue, string]> {
  if (object === undefined) return
  for (const name of keysOf(object)) {
    const part = name === 'metadata' ? undefined : schema.fields.get(name)?.schema
    const value = object[name] as JsonValue | undefined
    if (part !== undefined && value !== undefined) yield [part, value, name]
  }
}

/** Of equal elements of a list only the first one is owned. */
function* isOfSchema(schema: Schema, value: JsonValue): Steps<boolean> {
  const { errors } = yield* validateConfigInSteps(schema, value as JsonObject)
  return errors.every(isAboutDuplicates)
}
