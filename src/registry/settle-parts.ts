/** The stable parts of a new object in canonical form: each is brought into it once. */
import type { JsonObject, JsonValue } from '../api/json.ts'
import { isJsonObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { isStable, makeStable } from '../api/stable-part.ts'
import { decodePart } from '../schema/decode.ts'
import type { ObjectSchema, Schema } from '../schema/schema.ts'

export interface Settled<T> {
  /** The object with those parts. */
  readonly given: T
  /** An object that has them, and nothing else; undefined when there are none. */
  readonly twin: JsonObject | undefined
}

/** Parts are values of the object's fields and of its direct members'. */
export function settleParts(object: KubeObject, schema: ObjectSchema): Settled<KubeObject> {
  return settle(object, schema, (member, field, name) => {
    if (!isJsonObject(member) || name === 'metadata' || field.kind !== 'object') return undefined
    return settle(member, field, () => undefined)
  })
}

type SettleInside = (member: Part, schema: Schema, name: string) => Settled<JsonObject> | undefined
type Part = JsonObject | JsonValue[]

function settle<T extends JsonObject>(object: T, { fields }: ObjectSchema, inside: SettleInside): Settled<T> {
  let given = object
  let twin: JsonObject | undefined
  for (const name in object) {
    const member: JsonValue | undefined = object[name]
    if (!isPart(member)) continue
    const schema = fields.get(name)?.schema
    if (schema === undefined) continue
    const part = isStable(member) ? canonicalPart(member, schema) : undefined
    const inner = part === undefined ? inside(member, schema, name) : undefined
    const shared = part ?? inner?.twin
    if (shared === undefined) continue
    twin ??= {}
    twin[name] = shared
    const settled = part ?? inner?.given
    if (settled === member) continue
    if (given === object) given = { ...object }
    ;(given as JsonObject)[name] = settled
  }
  return { given, twin }
}

const isPart = (value: JsonValue | undefined): value is Part => typeof value === 'object' && value !== null

const canonicalParts = new WeakMap<Part, Part>()

/** Undefined for what is empty in canonical form: it may not be written at all. */
function canonicalPart(part: Part, schema: Schema): Part | undefined {
  const known = canonicalParts.get(part)
  if (known !== undefined) return known
  const canonical = decodePart(part, schema, {})?.value
  if (!isPart(canonical) || Object.keys(canonical).length === 0) return undefined
  canonicalParts.set(part, makeStable(canonical))
  return canonical
}
