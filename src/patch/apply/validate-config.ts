/**
 * Holds an applied configuration against the schema: types, names of list elements, duplicates, and fields that the
 * schema does not have. Unknown fields are listed apart, because the request says what becomes of them.
 */

import { goConfigValue, goSyntax, untypedGoType } from '../../api/golang/untyped-value.ts'
import { type JsonObject, type JsonValue, setKey } from '../../api/json.ts'
import { keysOf } from '../../api/key-lists.ts'
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

export const undeclared = (path: string): string => `${path}: field not declared in schema`

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
      report(found, path, `expected map, got &{${goConfigValue(value)}}`)
      return value
    case 'list':
      if (isList(value)) return checkList(schema, value, path, found)
      report(found, path, `expected list, got &{${goConfigValue(value)}}`)
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
  let out: JsonObject | undefined
  const names = keysOf(value)
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!
    const member = memberOf(value, name)
    if (member === undefined) continue
    const type = memberSchema(schema, name)
    const below = type === undefined ? undefined : checkMember(type, member, { path, name, found })
    if (type === undefined) found.unknown.push(formatPath([...path, fieldElement(name)]))
    if (below === member) {
      if (out !== undefined) setKey(out, name, member)
      continue
    }
    out ??= copyOf(value, names.slice(0, i))
    if (below !== undefined) setKey(out, name, below)
  }
  return out ?? value
}

interface At {
  readonly path: FieldPathElements
  readonly name: string
  readonly found: Findings
}

/** The path is only made where it may be needed: most members are scalars of the right type. */
function checkMember(type: Schema, member: JsonValue, { path, name, found }: At): JsonValue {
  if (type.kind === 'any' && !isOwnership(type)) return member
  if (typeof member !== 'object' && shapeOf(type, member) === 'scalar') {
    if (scalarError(type as ScalarSchema, member) === undefined) return member
  }
  return checkValue(type, member, [...path, fieldElement(name)], found)
}

function copyOf(value: JsonObject, names: readonly string[]): JsonObject {
  const out: JsonObject = {}
  for (const name of names) setKey(out, name, memberOf(value, name))
  return out
}

function checkList(schema: Schema, value: JsonValue[], path: FieldPathElements, found: Findings): JsonValue {
  if (schema.kind !== 'list') return value
  return schema.topology === 'atomic'
    ? mapItems(value, (item, i) => checkValue(schema.items, item, [...path, indexElement(i)], found))
    : checkKeyedList(schema, value, path, found)
}

/** Mirrors structured-merge-diff/typed: visitListItems. An element without a name ends the check of its list. */
function checkKeyedList(schema: ListSchema, value: JsonValue[], path: FieldPathElements, found: Findings): JsonValue {
  const seen = new Set<string>()
  let isNamed = true
  return mapItems(value, (item, i) => {
    const element = isNamed
      ? namedElement(schema, item, (why) => report(found, path, `element ${i}: ${why}`))
      : undefined
    isNamed = element !== undefined
    if (element === undefined) return item
    if (seen.has(element.text)) report(found, path, duplicateEntries + formatElement(element))
    seen.add(element.text)
    return checkValue(schema.items, item, [...path, element], found)
  })
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

function mapItems(value: JsonValue[], check: (item: JsonValue, index: number) => JsonValue): JsonValue[] {
  let out: JsonValue[] | undefined
  for (let i = 0; i < value.length; i++) {
    const item = check(value[i]!, i)
    if (item === value[i] && out === undefined) continue
    out ??= value.slice(0, i)
    out.push(item)
  }
  return out ?? value
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
