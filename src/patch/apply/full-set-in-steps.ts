/** As `toFullSet`, of values that take more than one turn. */
import { isOmitted, type JsonObject, type JsonValue } from '../../api/json.ts'
import { keysOf } from '../../api/key-lists.ts'
import { isHeavy, sortInSteps } from '../../api/large-values.ts'
import type { Steps } from '../../lib/in-turns.ts'
import type { ListSchema, Schema } from '../../schema/schema.ts'
import { FieldSet, type FieldSetEntry } from './field-set.ts'
import { toFullSet } from './full-set.ts'
import { compareElements, fieldElement } from './path-element.ts'
import { anySchema, isAtomicList, isAtomicMap, isFreeForm, isMap, itemElement } from './topology.ts'

const entriesPerStep = 128

/** Throws a ListItemError when an element of an associative list cannot be named. */
export function* toFullSetInSteps(schema: Schema, value: JsonValue): Steps<FieldSet | undefined> {
  yield
  if (!isHeavy(value)) return toFullSet(schema, value)
  if (Array.isArray(value)) {
    return schema.kind === 'list' && !isAtomicList(schema) ? yield* itemsInSteps(schema, value) : undefined
  }
  if (schema.kind === 'any' ? isAtomicMap(schema) : !isOpenContainer(schema)) return undefined
  return isMap(value) ? yield* membersInSteps(schema, value) : undefined
}

const isOpenContainer = (schema: Schema): boolean =>
  (schema.kind === 'object' || schema.kind === 'map') && schema.atomic !== true

function* membersInSteps(schema: Schema, value: JsonObject): Steps<FieldSet | undefined> {
  const entries: FieldSetEntry[] = []
  for (const name of keysOf(value)) {
    if (entries.length % entriesPerStep === 0) yield
    const member = value[name]
    if (member === undefined || (schema.kind === 'object' && isOmitted(member))) continue
    const inner = innerSchema(schema, name)
    const child = inner === undefined ? undefined : yield* childSet(inner, member)
    entries.push({ element: fieldElement(name), member: true, child })
  }
  return yield* fieldSetInSteps(entries)
}

/** Undefined where nothing below is owned by itself. */
function innerSchema(schema: Schema, name: string): Schema | undefined {
  if (schema.kind === 'map') return schema.values
  if (schema.kind !== 'object') return anySchema
  return schema.fields.get(name)?.schema ?? (isFreeForm(schema) ? anySchema : undefined)
}

function* childSet(schema: Schema, value: JsonValue): Steps<FieldSet | undefined> {
  if (typeof value !== 'object' || value === null) return undefined
  return isHeavy(value) ? yield* toFullSetInSteps(schema, value) : toFullSet(schema, value)
}

/** The set of entries in any order; undefined without any. */
export function* fieldSetInSteps(entries: FieldSetEntry[]): Steps<FieldSet | undefined> {
  if (entries.length === 0) return undefined
  return FieldSet.from(yield* sortInSteps(entries, (a, b) => compareElements(a.element, b.element)))
}

/** Elements that share a name are one value: nothing inside has an owner of its own. */
function* itemsInSteps(schema: ListSchema, items: readonly JsonValue[]): Steps<FieldSet | undefined> {
  const entries = new Map<string, FieldSetEntry>()
  let count = 0
  for (const item of items) {
    if (++count % entriesPerStep === 0) yield
    const element = itemElement(schema, item)
    const isRepeated = entries.has(element.text)
    const child = isRepeated ? undefined : yield* childSet(schema.items, item)
    entries.set(element.text, { element, member: true, child })
  }
  return yield* fieldSetInSteps([...entries.values()])
}
