/**
 * Defaulting of built-in kinds. The rules belong to types and apply wherever a type occurs in a kind that has defaults,
 * parent before child. From them is compiled, on first use, one defaulter a type that only goes where a rule can apply.
 *
 * Objects are not changed: what a rule adds to is copied, the rest is shared.
 */

import { addWritings, roundedWriting } from '../../api/given-writing.ts'
import type { JsonArray, JsonObject, JsonValue } from '../../api/json.ts'
import { copyObject, isJsonObject, setKey } from '../../api/json.ts'
import { entriesOf, keysOf } from '../../api/key-lists.ts'
import { isHeavy, mapInSteps, slicesOf } from '../../api/large-values.ts'
import { Quantity } from '../../api/quantity.ts'
import type { Steps } from '../../lib/in-turns.ts'
import { compileOnce, memoize, Verdicts } from '../../lib/memo.ts'
import { canonicalFormInSteps, canonicalize } from '../../schema/canonicalize.ts'
import type { Field, ObjectSchema, Schema } from '../../schema/schema.ts'
import { coreRules } from './core-rules.ts'
import { groupRules } from './group-rules.ts'
import { compilePlain, defaultsAt, eachObject, embedding } from './plain-defaults.ts'
import { podDefaults } from './pod-rules.ts'
import type { DefaultingContext, DefaultingRule, TypeRules } from './rule.ts'
import { workloadDefaults } from './workload-rules.ts'

export type { DefaultingContext } from './rule.ts'

/**
 * The object with its defaults; the same object when nothing is missing. `object` is canonical but for empty lists and
 * maps, which stay, and `schema` its type. What it shares with `before`, an object that stays, is looked at once and then known to be complete.
 */
export function defaultObject(
  object: JsonObject,
  schema: ObjectSchema,
  context: DefaultingContext,
  before?: JsonObject,
): JsonObject {
  if (!hasDefaults(schema)) return object
  const defaulter = defaulterOf(schema)
  const filled = before === undefined ? defaulter(object, context) : defaulter.change(object, context, before)
  return filled === object ? object : canonicalize(filled, schema, { baseline: object, empties: 'given' })
}

/** The same of an object that may be large. */
export function* defaultObjectInSteps(
  object: JsonObject,
  schema: ObjectSchema,
  context: DefaultingContext,
): Steps<JsonObject> {
  if (!hasDefaults(schema) || !isHeavy(object)) return defaultObject(object, schema, context)
  const filled = yield* defaulterOf(schema).inSteps(object, context)
  if (filled === object) return object
  return (yield* canonicalFormInSteps(filled, schema, { baseline: object, empties: 'given' })).object
}

/**
 * A part of an object with the defaults that it has wherever it stands: `value` is that of the field. Undefined when they
 * are not always the same.
 */
export function defaultPart(field: Field, value: JsonValue, context: DefaultingContext): JsonValue | undefined {
  let isTimeless = true
  const now = (): string => {
    isTimeless = false
    return context.now()
  }
  const filled = fieldRule(field)?.(value, { enabled: context.enabled, now }) ?? value
  return isTimeless ? filled : undefined
}

/** Whether the kind has defaults at all. A list has those of its items. */
export const hasDefaults = memoize('has-defaults', (schema: ObjectSchema): boolean =>
  defaultsAt(schema.release).kinds.has((schema.name ?? '').replace(/List$/, '')),
)

const codedRules: Readonly<Record<string, TypeRules>> = {
  ...podDefaults,
  ...coreRules,
  ...workloadDefaults,
  ...groupRules,
}

/** Fills in an object, one that is a change of another, or one that is large. */
type Defaulter = DefaultingRule & { readonly change: ChangeRule; readonly inSteps: StepsRule }
type StepsRule = (object: JsonObject, context: DefaultingContext) => Steps<JsonObject>
type ChangeRule = (object: JsonObject, context: DefaultingContext, before: JsonObject) => JsonObject

const defaulterOf = compileOnce('defaulter', compileType)

interface ChildRule {
  readonly name: string
  readonly schema: Schema
  readonly apply: (value: JsonValue, context: DefaultingContext) => JsonValue
}

function compileType(schema: ObjectSchema): Defaulter {
  const rules = rulesOf(schema)
  const children: ChildRule[] = []
  for (const field of schema.fields.values()) {
    const apply = fieldRule(field)
    if (apply !== undefined) children.push({ name: field.name, schema: field.schema, apply })
  }
  const byName = new Map(children.map(({ name, apply }) => [name, apply]))
  const whole: DefaultingRule = (object, context) => {
    let out = object
    for (const rule of rules) out = rule(out, context)
    const given = out
    // An object has fewer keys than its type has fields.
    for (const name in given) {
      const value = given[name]
      if (typeof value !== 'object' || value === null) continue
      const filled = byName.get(name)?.(value, context)
      if (filled === undefined || filled === value) continue
      if (out === object) out = copyObject(object)
      out[name] = filled
    }
    return out
  }
  return Object.assign(whole, { change: changeRule(rules, children), inSteps: stepsRule(rules, children) })
}

/** As the defaulter itself, where parts are heavy. */
function stepsRule(rules: readonly DefaultingRule[], children: readonly ChildRule[]): StepsRule {
  return function* (object, context) {
    let out = object
    for (const rule of rules) {
      yield
      out = rule.inSteps === undefined ? rule(out, context) : yield* rule.inSteps(out, context)
    }
    for (const { name, schema, apply } of children) {
      const value = out[name]
      if (typeof value !== 'object' || value === null) continue
      const filled = isHeavy(value) ? yield* applyInSteps({ schema, apply }, value, context) : apply(value, context)
      if (filled === value) continue
      if (out === object) out = copyObject(object)
      out[name] = filled
    }
    return out
  }
}

function* applyInSteps(
  { schema, apply }: Pick<ChildRule, 'schema' | 'apply'>,
  value: JsonObject | JsonArray,
  context: DefaultingContext,
): Steps<JsonValue> {
  if (schema.kind === 'object' && isJsonObject(value)) return yield* defaulterOf(schema).inSteps(value, context)
  if (apply === roundAmounts && isJsonObject(value)) return yield* roundAmountsInSteps(value)
  if (schema.kind !== 'list' || !Array.isArray(value)) return apply(value, context)
  let out = value
  for (const { from, to, isHeavy: isAlone } of slicesOf(value)) {
    yield
    const item = value[from] as JsonValue
    const filled =
      isAlone && schema.items.kind === 'object' && isJsonObject(item)
        ? [yield* defaulterOf(schema.items).inSteps(item, context)]
        : (apply(value.slice(from, to), context) as JsonArray)
    for (let i = from; i < to; i++) {
      const changed = filled[i - from] as JsonValue
      if (changed === value[i]) continue
      if (out === value) out = value.slice()
      out[i] = changed
    }
  }
  return out
}

/**
 * The same for a change of an object. That nothing is missing in a part that both share is remembered with that part; so
 * it is with the object itself, whose own rules look into its parts.
 */
function changeRule(rules: readonly DefaultingRule[], children: readonly ChildRule[]): ChangeRule {
  // The context is one server's: gates differ.
  const complete = new Verdicts<JsonObject>('defaulted-object')
  const parts = children.map(({ name, schema, apply }) => ({ name, schema, apply, applyOnce: onceForEach(apply) }))
  return (object, context, before) => {
    if (object === before && complete.has(object, [context], () => fill(object, context, before) === object))
      return object
    const out = fill(object, context, before)
    if (out === object && object === before) complete.add(object, [context])
    return out
  }
  function fill(object: JsonObject, context: DefaultingContext, before: JsonObject): JsonObject {
    let out = object
    for (const rule of rules) out = rule(out, context)
    for (const { name, schema, apply, applyOnce } of parts) {
      const value = out[name]
      if (value === undefined || value === null) continue
      const old = before[name]
      let filled: JsonValue
      if (value === old) filled = applyOnce(value, context)
      else if (schema.kind === 'object' && isJsonObject(value) && isJsonObject(old)) {
        filled = defaulterOf(schema).change(value, context, old)
      } else filled = apply(value, context)
      if (filled === value) continue
      if (out === object) out = copyObject(object)
      out[name] = filled
    }
    return out
  }
}

/** The rule; parts that have all their defaults are memoized. */
function onceForEach(apply: ChildRule['apply']): ChildRule['apply'] {
  const complete = new Verdicts<object>('defaulted-part')
  return (value, context) => {
    if (typeof value !== 'object' || value === null) return apply(value, context)
    if (complete.has(value, [context], () => apply(value, context) === value)) return value
    const filled = apply(value, context)
    if (filled === value) complete.add(value, [context])
    return filled
  }
}

function rulesOf(schema: ObjectSchema): readonly DefaultingRule[] {
  const name = embedding[schema.name ?? ''] ?? schema.name ?? ''
  const { before, after } = codedRules[name] ?? {}
  return [
    ...(before ? [before] : []),
    ...compilePlain(defaultsAt(schema.release).rules.get(name) ?? [], schema),
    ...(after ? [after] : []),
  ]
}

// ---- where rules can apply ---------------------------------------------------------------------------------------

const fieldRule = compileOnce('field-defaulter', compileField)

function compileField(field: Field): ChildRule['apply'] | undefined {
  if (field.goType === 'v1.ResourceList') return roundAmounts
  return leadsToRule(field.schema, new Set()) ? compileValue(field.schema) : undefined
}

function compileValue(schema: Schema): ChildRule['apply'] {
  if (schema.kind === 'object') {
    let defaulter: DefaultingRule | undefined
    return (value, context) => {
      defaulter ??= defaulterOf(schema)
      return isJsonObject(value) ? defaulter(value, context) : value
    }
  }
  if (schema.kind !== 'list' && schema.kind !== 'map') return (value) => value
  const apply = compileValue(schema.kind === 'list' ? schema.items : schema.values)
  const change = (item: JsonObject, context: DefaultingContext) => apply(item, context) as JsonObject
  if (schema.kind === 'list') return (value, context) => eachObject(value, (item) => change(item, context)) ?? value
  return (value, context) => eachValue(value, (item) => change(item, context))
}

function eachValue(value: JsonValue, change: (object: JsonObject) => JsonObject): JsonValue {
  if (!isJsonObject(value)) return value
  const entries = Array.from(
    entriesOf(value),
    ([key, item]) => [key, isJsonObject(item) ? change(item) : item] as const,
  )
  return entries.every(([key, item]) => item === value[key]) ? value : Object.fromEntries(entries)
}

function leadsToRule(schema: Schema, seen: Set<Schema>): boolean {
  if (schema.kind === 'list') return leadsToRule(schema.items, seen)
  if (schema.kind === 'map') return leadsToRule(schema.values, seen)
  if (schema.kind !== 'object' || seen.has(schema)) return false
  seen.add(schema)
  if (rulesOf(schema).length > 0) return true
  for (const field of schema.fields.values()) {
    if (field.goType === 'v1.ResourceList' || leadsToRule(field.schema, seen)) return true
  }
  return false
}

/** How amounts end that are finer than a thousandth, in either notation. */
const finer = /(?:[nu]|e-[69])$/

/** Undefined for one that is not finer: in canonical form only those that are end in one of these. */
const roundedAmount = (amount: JsonValue | undefined): string | undefined =>
  typeof amount === 'string' && finer.test(amount) ? Quantity.parse(amount).roundUp().toString() : undefined

/** Amounts of resources are no finer than a thousandth; finer ones are rounded up. */
function roundAmounts(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value
  let out = value
  const written = new Map<string, string>()
  for (const name of keysOf(value)) {
    const rounded = roundedAmount(value[name])
    if (rounded === undefined) continue
    if (out === value) out = copyObject(value)
    setKey(out, name, rounded)
    written.set(name, roundedWriting(rounded))
  }
  if (out !== value) addWritings(out, value, written)
  return out
}

/** The same of many amounts. */
function* roundAmountsInSteps(value: JsonObject): Steps<JsonObject> {
  const names = keysOf(value)
  const changed = new Map<string, string>()
  const written = new Map<string, string>()
  for (const [i, name] of names.entries()) {
    if (i % amountsOfStep === 0) yield
    const rounded = roundedAmount(value[name])
    if (rounded === undefined) continue
    changed.set(name, rounded)
    written.set(name, roundedWriting(rounded))
  }
  if (changed.size === 0) return value
  const out = yield* mapInSteps(names, (i) => changed.get(names[i] as string) ?? value[names[i] as string])
  addWritings(out, value, written)
  return out
}

const amountsOfStep = 256
