/**
 * Every path that exists in a value, structs too: what an update that adds the value takes. What a type says of its
 * fields is looked up once and kept beside them, so that a walk costs little more than going over the keys. The set
 * comes out of the shapes that were seen before: of an object that looks like another nothing is made anew.
 */

import { isOmitted, type JsonObject, type JsonValue } from '../../api/json.ts'
import { keysOf } from '../../api/key-lists.ts'
import { compileOnce } from '../../lib/memo.ts'
import type { ListSchema, MapSchema, ObjectSchema, Schema } from '../../schema/schema.ts'
import { FieldSet } from './field-set.ts'
import { fieldElement, type PathElement } from './path-element.ts'
import { SetPath } from './set-shape.ts'
import { isAtomicList, isAtomicMap, isFreeForm, isMap, itemElement } from './topology.ts'

/** The paths below a value; undefined when it has none of its own: a leaf, something empty, or something owned whole. */
type FullSetWalk = (value: JsonValue) => FieldSet | undefined

/** Throws a ListItemError when an element of an associative list cannot be named. */
export function toFullSet(schema: Schema, value: JsonValue): FieldSet | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return fullSetWalk(schema)?.(value)
}

/** Undefined when no value of the type has paths. */
const fullSetWalk = compileOnce('full-set-walk', makeWalk)

function makeWalk(schema: Schema): FullSetWalk | undefined {
  switch (schema.kind) {
    case 'object':
      return schema.atomic ? undefined : objectWalk(schema)
    case 'map':
      return schema.atomic ? undefined : mapWalk(schema)
    case 'list':
      return isAtomicList(schema) ? undefined : listWalk(schema)
    case 'any':
      return isAtomicMap(schema) ? undefined : openWalk
    default:
      return undefined
  }
}

/** A declared field of a type, as walks know it. */
export class KnownField {
  readonly name: string
  readonly element: PathElement
  readonly schema: Schema
  /** The field that came after this one the last time. */
  next: KnownField | undefined
  #walk: FullSetWalk | undefined | null = null

  constructor(name: string, schema: Schema) {
    this.name = name
    this.element = fieldElement(name)
    this.schema = schema
  }

  /** Types may contain themselves: what lies below is looked at when it is first there. */
  fullSet(value: JsonValue): FieldSet | undefined {
    if (typeof value !== 'object' || value === null) return undefined
    if (this.#walk === null) this.#walk = fullSetWalk(this.schema)
    return this.#walk?.(value)
  }
}

/** The declared fields of a type that were seen so far. */
export class KnownFields {
  readonly #schema: ObjectSchema
  readonly #fields = new Map<string, KnownField>()
  /** The field that came first the last time. */
  #first: KnownField | undefined

  constructor(schema: ObjectSchema) {
    this.#schema = schema
  }

  /** The field of that name, which follows `last`; undefined when the type does not declare it. */
  find(name: string, last: KnownField | undefined): KnownField | undefined {
    const guess = last === undefined ? this.#first : last.next
    if (guess !== undefined && guess.name === name) return guess
    const found = this.#fields.get(name) ?? this.#declared(name)
    if (found === undefined) return undefined
    if (last === undefined) this.#first = found
    else last.next = found
    return found
  }

  #declared(name: string): KnownField | undefined {
    const schema = this.#schema.fields.get(name)?.schema
    if (schema === undefined) return undefined
    const made = new KnownField(name, schema)
    this.#fields.set(name, made)
    return made
  }
}

function objectWalk(schema: ObjectSchema): FullSetWalk {
  const fields = new KnownFields(schema)
  const unknown = isFreeForm(schema) ? openWalk : undefined
  return (value) => {
    if (!isMap(value)) return undefined
    const path = new SetPath()
    let last: KnownField | undefined
    for (const name in value) {
      const member = value[name]
      if (member === undefined || isOmitted(member)) continue
      const field = fields.find(name, last)
      if (field === undefined) path.add(fieldElement(name), true, unknown?.(member))
      else {
        path.add(field.element, true, field.fullSet(member))
        last = field
      }
    }
    return FieldSet.at(path)
  }
}

function mapWalk({ values }: MapSchema): FullSetWalk {
  let walk: FullSetWalk | undefined | null = null
  return (value) => {
    if (!isMap(value)) return undefined
    if (walk === null) walk = fullSetWalk(values)
    return mapMembers(value, walk)
  }
}

/** Below a value that is open everything is. */
export const openWalk: FullSetWalk = (value) => (isMap(value) ? mapMembers(value, openWalk) : undefined)

function mapMembers(value: JsonObject, walk: FullSetWalk | undefined): FieldSet | undefined {
  const path = new SetPath()
  for (const name of keysOf(value)) {
    const member = value[name]
    if (member === undefined) continue
    path.add(fieldElement(name), true, walk?.(member))
  }
  return FieldSet.at(path)
}

function listWalk(schema: ListSchema): FullSetWalk {
  let walk: FullSetWalk | undefined | null = null
  return (value) => {
    if (!Array.isArray(value)) return undefined
    if (walk === null) walk = fullSetWalk(schema.items)
    return listItems(schema, value, walk)
  }
}

/** Elements that share a name are one value: they are owned as a whole. */
function listItems(
  schema: ListSchema,
  items: readonly JsonValue[],
  walk: FullSetWalk | undefined,
): FieldSet | undefined {
  if (items.length === 0) return undefined
  const elements = items.map((item) => itemElement(schema, item))
  const repeated = items.length === 1 ? undefined : namedTwice(elements)
  const path = new SetPath()
  for (let i = 0; i < items.length; i++) {
    const element = elements[i]!
    const isRepeated = repeated?.get(element.text)
    if (isRepeated === undefined) path.add(element, true, walk?.(items[i]!))
    else if (isRepeated === i) path.add(element, true, undefined)
  }
  return FieldSet.at(path)
}

/** The texts of elements that occur more than once, with the position of the first. Undefined when there are none. */
function namedTwice(elements: readonly PathElement[]): ReadonlyMap<string, number> | undefined {
  if (elements.length <= fewElements && areDistinct(elements)) return undefined
  const first = new Map<string, number>()
  let repeated: Map<string, number> | undefined
  for (let i = 0; i < elements.length; i++) {
    const { text } = elements[i]!
    const at = first.get(text)
    if (at === undefined) first.set(text, i)
    else {
      repeated ??= new Map()
      repeated.set(text, at)
    }
  }
  return repeated
}

/** So few are faster compared with one another than looked up. */
const fewElements = 8

function areDistinct(elements: readonly PathElement[]): boolean {
  for (let i = 1; i < elements.length; i++) {
    for (let j = 0; j < i; j++) if (elements[i]!.text === elements[j]!.text) return false
  }
  return true
}
