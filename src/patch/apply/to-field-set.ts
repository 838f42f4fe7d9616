/**
 * The fields of a value that an applied configuration claims: leaves, elements of lists and keys of maps, but no struct
 * that has something in it.
 */
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { keysOf } from '../../api/key-lists.ts'
import { isHeavy, slicesOf, slicesOfKeys } from '../../api/large-values.ts'
import type { Steps } from '../../lib/in-turns.ts'
import type { ListSchema, Schema } from '../../schema/schema.ts'
import { FieldSet, type FieldSetEntry } from './field-set.ts'
import { fieldSetInSteps } from './full-set-in-steps.ts'
import { fieldElement } from './path-element.ts'
import {
  isAtomicList,
  isAtomicMap,
  isEmptyMap,
  isList,
  isMap,
  isNamedField,
  itemElement,
  memberOf,
  memberSchema,
  shapeOf,
} from './topology.ts'

export function toFieldSet(schema: Schema, value: JsonValue): FieldSet {
  const claims = claimsOf(schema, value)
  return claims === undefined || claims === 'itself' ? FieldSet.empty : claims
}

/** What a value claims: itself, the paths below it, or nothing. */
type Claims = 'itself' | FieldSet | undefined

function claimsOf(schema: Schema, value: JsonValue): Claims {
  switch (shapeOf(schema, value)) {
    case 'map':
      if (isAtomicMap(schema)) return 'itself'
      return isMap(value) ? claimsOfMap(schema, value) : undefined
    case 'list':
      if (isAtomicList(schema)) return 'itself'
      return isList(value) ? claimsOfList(schema as ListSchema, value) : undefined
    default:
      return 'itself'
  }
}

function claimsOfMap(schema: Schema, value: JsonObject): FieldSet | undefined {
  const claims = new MapClaims(schema, value)
  const names = keysOf(value)
  claims.members(names, 0, names.length)
  return claims.entries.length === 0 ? undefined : FieldSet.from(claims.entries)
}

/** What the members of a map claim, one after another. */
class MapClaims {
  readonly entries: FieldSetEntry[] = []
  readonly #schema: Schema
  readonly #value: JsonObject

  constructor(schema: Schema, value: JsonObject) {
    this.#schema = schema
    this.#value = value
  }

  members(names: readonly string[], from: number, to: number): void {
    for (let i = from; i < to; i++) {
      const name = names[i]!
      const member = memberOf(this.#value, name)
      const type = memberSchema(this.#schema, name)
      if (member !== undefined && type !== undefined) this.take(name, member, claimsOf(type, member))
    }
  }

  take(name: string, member: JsonValue, claims: Claims): void {
    const itself = claims === 'itself'
    const claimed = itself || isEmptyValue(member) || !isNamedField(this.#schema, name)
    if (!claimed && claims === undefined) return
    this.entries.push({ element: fieldElement(name), member: claimed, child: itself ? undefined : claims })
  }
}

const isEmptyValue = (value: JsonValue): boolean => value === null || (isMap(value) && isEmptyMap(value))

function claimsOfList(schema: ListSchema, items: readonly JsonValue[]): FieldSet | undefined {
  if (items.length === 0) return undefined
  if (items.length === 1) {
    const [item] = items as [JsonValue]
    return FieldSet.from([{ element: itemElement(schema, item), member: true, child: below(schema, item) }])
  }
  const claims = new ListClaims(schema)
  for (const item of items) claims.item(item)
  return FieldSet.from(claims.entries)
}

function below(schema: ListSchema, item: JsonValue): FieldSet | undefined {
  const claims = claimsOf(schema.items, item)
  return claims === 'itself' ? undefined : claims
}

/** What the items of a list claim, one after another. Elements that share a name are one value: they are owned as a whole. */
class ListClaims {
  readonly #schema: ListSchema
  readonly #entries = new Map<string, FieldSetEntry>()

  constructor(schema: ListSchema) {
    this.#schema = schema
  }

  get entries(): FieldSetEntry[] {
    return [...this.#entries.values()]
  }

  item(item: JsonValue): void {
    const element = itemElement(this.#schema, item)
    const child = this.#entries.has(element.text) ? undefined : below(this.#schema, item)
    this.#entries.set(element.text, { element, member: true, child })
  }

  *itemInSteps(item: JsonValue): Steps<void> {
    const element = itemElement(this.#schema, item)
    const claims = this.#entries.has(element.text) ? undefined : yield* claimsInSteps(this.#schema.items, item)
    this.#entries.set(element.text, { element, member: true, child: claims === 'itself' ? undefined : claims })
  }
}

/** As `toFieldSet`, of values that take more than one turn. */
export function* toFieldSetInSteps(schema: Schema, value: JsonValue): Steps<FieldSet> {
  const claims = yield* claimsInSteps(schema, value)
  return claims === undefined || claims === 'itself' ? FieldSet.empty : claims
}

function* claimsInSteps(schema: Schema, value: JsonValue): Steps<Claims> {
  if (!isHeavy(value)) return claimsOf(schema, value)
  const shape = shapeOf(schema, value)
  if (shape === 'map' && isMap(value) && !isAtomicMap(schema)) {
    const names = keysOf(value)
    const claims = new MapClaims(schema, value)
    for (const { from, to, isHeavy: isOne } of slicesOfKeys(value, names)) {
      yield
      const name = names[from]!
      const type = isOne ? memberSchema(schema, name) : undefined
      const member = memberOf(value, name)
      if (type === undefined || member === undefined) claims.members(names, from, to)
      else claims.take(name, member, yield* claimsInSteps(type, member))
    }
    return yield* fieldSetInSteps(claims.entries)
  }
  if (shape !== 'list' || isAtomicList(schema) || !isList(value)) return claimsOf(schema, value)
  const claims = new ListClaims(schema as ListSchema)
  for (const { from, to, isHeavy: isOne } of slicesOf(value)) {
    yield
    if (isOne) yield* claims.itemInSteps(value[from]!)
    else for (let i = from; i < to; i++) claims.item(value[i]!)
  }
  return yield* fieldSetInSteps(claims.entries)
}
