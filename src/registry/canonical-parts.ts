/** The interned parts of a new object in canonical form, memoized. */

import { isInterned, markInterned } from '../api/interned.ts'
import type { JsonObject, JsonValue } from '../api/json.ts'
import { isJsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { memoizeWith } from '../lib/memo.ts'
import { decodePart } from '../schema/decode.ts'
import type { ObjectSchema, Schema } from '../schema/schema.ts'

export interface Canonicalized<T> {
  /** The object, with its interned parts canonical. */
  readonly given: T
  /** An object that holds those parts alone; undefined when there are none. */
  readonly baseline: JsonObject | undefined
}

/** Parts are values of the object's fields and of its direct members'. */
export function withCanonicalParts(object: KubeObject, schema: ObjectSchema): Canonicalized<KubeObject> {
  return canonicalizeMembers(object, schema, (member, field, name) => {
    if (!isJsonObject(member) || name === 'metadata' || field.kind !== 'object') return undefined
    return canonicalizeMembers(member, field, () => undefined)
  })
}

type CanonicalizeMember = (member: JsonContainer, schema: Schema, name: string) => Canonicalized<JsonObject> | undefined
type JsonContainer = JsonObject | JsonValue[]

function canonicalizeMembers<T extends JsonObject>(
  object: T,
  { fields }: ObjectSchema,
  inside: CanonicalizeMember,
): Canonicalized<T> {
  let given = object
  let baseline: JsonObject | undefined
  for (const name in object) {
    const member: JsonValue | undefined = object[name]
    if (!isPart(member)) continue
    const schema = fields.get(name)?.schema
    if (schema === undefined) continue
    const part = isInterned(member) ? canonicalPart(member, schema) : undefined
    const inner = part === undefined ? inside(member, schema, name) : undefined
    const shared = part ?? inner?.baseline
    if (shared === undefined) continue
    baseline ??= {}
    baseline[name] = shared
    const settled = part ?? inner?.given
    if (settled === member) continue
    if (given === object) given = { ...object }
    ;(given as JsonObject)[name] = settled
  }
  return { given, baseline }
}

const isPart = (value: JsonValue | undefined): value is JsonContainer => typeof value === 'object' && value !== null

/** Undefined for what is empty in canonical form: it may not be written at all. */
const canonicalPart = memoizeWith(
  'canonical-part',
  (part: JsonContainer, schema: Schema): JsonContainer | undefined => {
    const canonical = decodePart(part, schema, {})?.value
    return isPart(canonical) && Object.keys(canonical).length > 0 ? markInterned(canonical) : undefined
  },
)
