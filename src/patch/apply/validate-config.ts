/**
 * Holds an applied configuration against the schema: types, names of list elements, duplicates, and fields that the
 * schema does not have. Unknown fields are listed apart, because the request says what becomes of them.
 */

import { formatWithoutArguments } from '../../api/golang/format.ts'
import { goConfigValue, goSyntax, untypedGoType } from '../../api/golang/untyped-value.ts'
import { type JsonObject, type JsonValue, setKey } from '../../api/json.ts'
import { keysOf } from '../../api/key-lists.ts'
import { isHeavy, slicesOf, slicesOfKeys } from '../../api/large-values.ts'
import type { Steps } from '../../lib/in-turns.ts'
import type { ListSchema, ScalarSchema, Schema } from '../../schema/schema.ts'
import {
  type FieldPathElements,
  fieldElement,
  formatElement,
  formatPath,
  indexElement,
  type PathElement,
} from './path-element.ts'
import { isList, isMap, itemElement, ListItemError, memberOf, memberSchema, scalarType, shapeOf } from './topology.ts'

export interface ConfigErrors {
  /** `.spec.replicas: expected numeric (int or float), got string`. */
  readonly errors: readonly string[]
  /** Paths that the schema does not have: `.spec.replica`. */
  readonly unknown: readonly string[]
  /** The configuration without the unknown fields; the very object when there are none. */
  readonly known: JsonObject
}

export function validateConfig(schema: Schema, config: JsonObject): ConfigErrors {
  const found: Findings = { errors: [], unknown: [] }
  const known = checkValue(schema, config, [], found)
  return { errors: found.errors, unknown: found.unknown, known: isMap(known) ? known : config }
}

/** Several errors as the reference writes them. */
export const formatErrors = (errors: readonly string[]): string =>
  errors.length === 1 ? (errors[0] ?? '') : ['errors:', ...errors.map((error) => `  ${error}`)].join('\n')

export const undeclaredField = (path: string): string => `${path}: field not declared in schema`

const duplicateEntries = 'duplicate entries for key '

/** Whether an error is about elements of a list that have the same key: objects may have them, configurations may not. */
export const isAboutDuplicates = (error: string): boolean => error.includes(`: ${duplicateEntries}`)

interface Findings {
  readonly errors: string[]
  readonly unknown: string[]
}

/** Returns the value without its unknown fields. */
function checkValue(schema: Schema, value: JsonValue, path: FieldPathElements, found: Findings): JsonValue {
  if (value === null) return value
  switch (isOwnership(schema) ? 'map' : shapeOf(schema, value)) {
    case 'map':
      if (isMap(value)) return checkMap(schema, value, path, found)
      report(found, path, formatWithoutArguments(`expected map, got &{${goConfigValue(value)}}`))
      return value
    case 'list':
      if (isList(value)) return checkList(schema, value, path, found)
      report(found, path, formatWithoutArguments(`expected list, got &{${goConfigValue(value)}}`))
      return value
    default: {
      // What may be a number or a string has no type, and may be anything.
      const isOpen = schema.kind === 'any' || schema.kind === 'int-or-string'
      const error = isOpen ? undefined : scalarError(schema as ScalarSchema, value)
      if (error !== undefined) report(found, path, error)
      return value
    }
  }
}

/** `fieldsV1` holds any map, and nothing else, though it is kept as raw JSON. */
const isOwnership = (schema: Schema): boolean => schema.kind === 'any' && schema.name === 'meta.v1.FieldsV1'

function report(found: Findings, path: FieldPathElements, message: string): void {
  found.errors.push(path.length === 0 ? message : `${formatPath(path)}: ${message}`)
}

function checkMap(schema: Schema, value: JsonObject, path: FieldPathElements, found: Findings): JsonObject {
  if (schema.kind === 'any') return value
  const check = new MapCheck(schema, value, { path, found })
  check.members(0, check.names.length)
  return check.known
}

/** A map on its way through the check: its members one after another, so that it can be done in steps. */
class MapCheck {
  readonly names: readonly string[]
  readonly #schema: Schema
  readonly #value: JsonObject
  readonly #at: Pick<At, 'path' | 'found'>
  #out: JsonObject | undefined

  constructor(schema: Schema, value: JsonObject, at: Pick<At, 'path' | 'found'>) {
    this.names = keysOf(value)
    this.#schema = schema
    this.#value = value
    this.#at = at
  }

  members(from: number, to: number): void {
    const { path, found } = this.#at
    for (let i = from; i < to; i++) {
      const name = this.names[i]!
      const member = memberOf(this.#value, name)
      if (member === undefined) continue
      const type = memberSchema(this.#schema, name)
      if (type === undefined) found.unknown.push(formatPath([...path, fieldElement(name)]))
      this.take(i, member, type === undefined ? undefined : checkMember(type, member, { path, name, found }))
    }
  }

  /** `known`: what the schema has of a member, or nothing. */
  take(i: number, member: JsonValue, known: JsonValue | undefined): void {
    if (known === member && this.#out === undefined) return
    this.#out ??= copyOf(this.#value, this.names.slice(0, i))
    if (known !== undefined) setKey(this.#out, this.names[i]!, known)
  }

  get known(): JsonObject {
    return this.#out ?? this.#value
  }
}

interface At {
  readonly path: FieldPathElements
  readonly name: string
  readonly found: Findings
}

function checkMember(type: Schema, member: JsonValue, { path, name, found }: At): JsonValue {
  return isPlainlyRight(type, member) ? member : checkValue(type, member, [...path, fieldElement(name)], found)
}

/** Most values are scalars of the right type, of which no path is made. */
function isPlainlyRight(type: Schema, value: JsonValue): boolean {
  if (type.kind === 'any') return !isOwnership(type)
  if (typeof value === 'object' || shapeOf(type, value) !== 'scalar') return false
  return scalarError(type as ScalarSchema, value) === undefined
}

function copyOf(value: JsonObject, names: readonly string[]): JsonObject {
  const out: JsonObject = {}
  for (const name of names) setKey(out, name, memberOf(value, name))
  return out
}

function checkList(schema: Schema, value: JsonValue[], path: FieldPathElements, found: Findings): JsonValue {
  if (schema.kind !== 'list') return value
  const check = new ListCheck(schema, value, { path, found })
  check.items(0, value.length)
  return check.known
}

/** As `MapCheck`. Mirrors structured-merge-diff/typed: visitListItems. An element without a name ends the check of its list. */
class ListCheck {
  readonly #schema: ListSchema
  readonly #value: JsonValue[]
  readonly #at: Pick<At, 'path' | 'found'>
  readonly #seen = new Set<string>()
  #isNamed = true
  #out: JsonValue[] | undefined

  constructor(schema: ListSchema, value: JsonValue[], at: Pick<At, 'path' | 'found'>) {
    this.#schema = schema
    this.#value = value
    this.#at = at
  }

  items(from: number, to: number): void {
    const { items, topology } = this.#schema
    for (let i = from; i < to; i++) {
      const item = this.#value[i]!
      if (topology === 'atomic' && isPlainlyRight(items, item)) {
        this.take(i, item)
        continue
      }
      const path = this.pathTo(i)
      this.take(i, path === undefined ? item : checkValue(items, item, path, this.#at.found))
    }
  }

  /** Undefined for what is not looked into. */
  pathTo(i: number): FieldPathElements | undefined {
    const { path, found } = this.#at
    if (this.#schema.topology === 'atomic') return [...path, indexElement(i)]
    if (!this.#isNamed) return undefined
    const element = namedElement(this.#schema, this.#value[i]!, (why) => report(found, path, `element ${i}: ${why}`))
    this.#isNamed = element !== undefined
    if (element === undefined) return undefined
    if (this.#seen.has(element.text)) report(found, path, duplicateEntries + formatElement(element))
    this.#seen.add(element.text)
    return [...path, element]
  }

  take(i: number, known: JsonValue): void {
    if (known === this.#value[i] && this.#out === undefined) return
    this.#out ??= this.#value.slice(0, i)
    this.#out.push(known)
  }

  get known(): JsonValue[] {
    return this.#out ?? this.#value
  }
}

/** As `validateConfig`, of configurations that take more than one turn. */
export function* validateConfigInSteps(schema: Schema, config: JsonObject): Steps<ConfigErrors> {
  const found: Findings = { errors: [], unknown: [] }
  const known = yield* checkInSteps(schema, config, [], found)
  return { errors: found.errors, unknown: found.unknown, known: isMap(known) ? known : config }
}

function* checkInSteps(schema: Schema, value: JsonValue, path: FieldPathElements, found: Findings): Steps<JsonValue> {
  if (!isHeavy(value) || schema.kind === 'any') return checkValue(schema, value, path, found)
  if (Array.isArray(value)) {
    if (schema.kind !== 'list') return checkValue(schema, value, path, found)
    const check = new ListCheck(schema, value, { path, found })
    for (const { from, to, isHeavy: isOne } of slicesOf(value)) {
      yield
      const below = isOne ? check.pathTo(from) : undefined
      if (!isOne) check.items(from, to)
      else
        check.take(
          from,
          below === undefined ? value[from]! : yield* checkInSteps(schema.items, value[from]!, below, found),
        )
    }
    return check.known
  }
  if (shapeOf(schema, value) !== 'map') return checkValue(schema, value, path, found)
  const check = new MapCheck(schema, value, { path, found })
  for (const { from, to, isHeavy: isOne } of slicesOfKeys(value, check.names)) {
    yield
    const name = check.names[from]!
    const type = isOne ? memberSchema(schema, name) : undefined
    const member = memberOf(value, name)
    if (type === undefined || member === undefined) check.members(from, to)
    else check.take(from, member, yield* checkInSteps(type, member, [...path, fieldElement(name)], found))
  }
  return check.known
}

function namedElement(schema: ListSchema, item: JsonValue, unnamed: (why: string) => void): PathElement | undefined {
  try {
    return itemElement(schema, item)
  } catch (error) {
    if (!(error instanceof ListItemError)) throw error
    unnamed(error.message)
    return undefined
  }
}

function scalarError(schema: ScalarSchema, value: JsonValue): string | undefined {
  const type = typeof value
  switch (scalarType(schema)) {
    case 'numeric':
      return type === 'number' || type === 'bigint'
        ? undefined
        : `expected numeric (int or float), got ${untypedGoType(value)}`
    case 'string':
      return type === 'string' ? undefined : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`
    case 'boolean':
      return type === 'boolean' ? undefined : `expected boolean, got &{${goConfigValue(value)}}`
    case 'untyped':
      return type !== 'object' ? undefined : `expected any scalar, got &{${goConfigValue(value)}}`
  }
}
