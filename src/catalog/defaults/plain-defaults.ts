/** Defaults that are data: a type, a path and a value, compiled into rules of that type. */

import { copyObject, isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import { defaultRelease, factText } from '../../api/release-facts.ts'
import { isOmittable } from '../../schema/json-shape.ts'
import type { Field, ObjectSchema } from '../../schema/schema.ts'
import { defaultsJson } from '../data/defaults.ts'
import type { DefaultingRule } from './rule.ts'

/** The defaults of a release that are data. */
interface PlainDefaults {
  readonly kinds: ReadonlySet<string>
  readonly rules: ReadonlyMap<string, readonly PlainRule[]>
}

const plainDefaults = new Map<number, PlainDefaults>()

export function defaultsAt(release = defaultRelease): PlainDefaults {
  const known = plainDefaults.get(release)
  if (known !== undefined) return known
  const { rules, kinds } = JSON.parse(factText(release, 'defaults.json', defaultsJson)) as DefaultsFile
  const made = { kinds: new Set(kinds), rules: groupByType(rules) }
  plainDefaults.set(release, made)
  return made
}

interface DefaultsFile {
  readonly rules: readonly PlainRule[]
  readonly kinds: readonly string[]
}

/** Types that have all fields, and so the rules, of another one embedded in them. */
export const embedding: Readonly<Record<string, string>> = {
  'admissionregistration.v1.NamedRuleWithOperations': 'admissionregistration.v1.RuleWithOperations',
  'admissionregistration.v1beta1.NamedRuleWithOperations': 'admissionregistration.v1.RuleWithOperations',
  'admissionregistration.v1alpha1.NamedRuleWithOperations': 'admissionregistration.v1.RuleWithOperations',
}

type PlainRule = readonly [type: string, path: string, value: JsonValue, gate?: string]

function groupByType(rules: readonly PlainRule[]): ReadonlyMap<string, readonly PlainRule[]> {
  const byType = new Map<string, PlainRule[]>()
  for (const plain of rules) byType.set(plain[0], [...(byType.get(plain[0]) ?? []), plain])
  return byType
}

// ---- rules that are data -----------------------------------------------------------------------------------------

/** In their order; those of the type's own fields that follow one another are one rule, which copies once. */
export function compilePlain(rules: readonly PlainRule[], schema: ObjectSchema): DefaultingRule[] {
  const compiled: DefaultingRule[] = []
  let fields: OwnField[] = []
  for (const [, path, value, gate] of rules) {
    if (path.includes('.')) {
      const set = compilePath(path.split('.'), value, schema)
      compiled.push(
        gate === undefined ? set : (object, context) => (context.enabled(gate) ? set(object, context) : object),
      )
      fields = []
      continue
    }
    if (fields.length === 0) compiled.push(setFields(fields))
    fields.push({ name: path, isUnset: unsetTest(fieldOf(schema, path)), value, gate })
  }
  return compiled
}

interface OwnField {
  readonly name: string
  readonly isUnset: (value: JsonValue | undefined) => boolean
  readonly value: JsonValue
  readonly gate: string | undefined
}

function setFields(fields: readonly OwnField[]): DefaultingRule {
  return (object, context) => {
    let out = object
    for (const { name, isUnset, value, gate } of fields) {
      if (!isUnset(out[name]) || (gate !== undefined && !context.enabled(gate))) continue
      if (out === object) out = copyObject(object)
      out[name] = value
    }
    return out
  }
}

function fieldOf(schema: ObjectSchema, name: string): Field {
  const field = schema.fields.get(name)
  if (field === undefined) throw new Error(`a default is given for ${schema.name}.${name}, which does not exist`)
  return field
}

/** Sets the field at the end of the path where it is unset; does nothing where the path itself is not there. */
function compilePath(
  [segment = '', ...rest]: readonly string[],
  value: JsonValue,
  schema: ObjectSchema,
): DefaultingRule {
  const name = segment.replace('[*]', '')
  const field = fieldOf(schema, name)
  if (rest.length === 0) {
    const isUnset = unsetTest(field)
    return (object) => (isUnset(object[name]) ? withMember(object, name, value) : object)
  }
  const inner = field.schema.kind === 'list' ? field.schema.items : field.schema
  if (inner.kind !== 'object') throw new Error(`a default is given inside of ${schema.name}.${name}`)
  const set = compilePath(rest, value, inner)
  return (object, context) => {
    const filled = eachObject(object[name], (item) => set(item, context))
    return filled === undefined || filled === object[name] ? object : withMember(object, name, filled)
  }
}

function withMember(object: JsonObject, name: string, value: JsonValue): JsonObject {
  const copy = copyObject(object)
  copy[name] = value
  return copy
}

function unsetTest({ pointer }: Field): (value: JsonValue | undefined) => boolean {
  return pointer
    ? (value) => value === undefined || value === null
    : (value) => value === undefined || isOmittable(value)
}

/** Changes an object, or every object of a list. Anything else is given back as it is. */
export function eachObject(
  value: JsonValue | undefined,
  change: (object: JsonObject) => JsonObject,
): JsonValue | undefined {
  if (isJsonObject(value)) return change(value)
  if (!Array.isArray(value)) return value
  let out = value
  for (let i = 0; i < value.length; i++) {
    const item = value[i] as JsonValue
    const changed = isJsonObject(item) ? change(item) : item
    if (changed === item) continue
    if (out === value) out = value.slice()
    out[i] = changed
  }
  return out
}
