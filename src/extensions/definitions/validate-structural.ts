/**
 * What makes a schema structural: every part has a type, and what stands inside of alternatives only restricts values.
 * Errors are sorted by their text, as the reference sorts them.
 */
import { type FieldError, forbidden, invalid, required } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import { equalJson, type JsonValue } from '../../api/json.ts'
import { entriesOf, keysOf } from '../../api/key-lists.ts'
import { keywordsOf } from '../../catalog/golang/schema.ts'
import type { JSONSchemaProps } from '../../catalog/types/apiextensions-v1.ts'
import type { Steps } from '../../lib/in-turns.ts'
import { Pattern, patternOf } from '../../lib/regexp/pattern.ts'
import { isPlain, propertyOf, schemasIn } from './definition.ts'

type Level = 'root' | 'item' | 'field'

/** Keywords that the structural form has no place for: undefined when there is none of them. */
export function unsupportedKeyword(schema: JSONSchemaProps): string | undefined {
  for (const part of schemasIn(schema)) {
    const problem = unsupportedHere(part)
    if (problem !== undefined) return problem
  }
  return undefined
}

function unsupportedHere(schema: JSONSchemaProps): string | undefined {
  const unsupported = (name: string): string => `OpenAPIV3Schema '${name}' is not supported`
  if ((schema.id ?? '') !== '') return unsupported('id')
  if ((schema.$schema ?? '') !== '') return unsupported('schema')
  if ((schema.$ref ?? '') !== '') return unsupported('$ref')
  for (const key of ['patternProperties', 'dependencies', 'definitions'] as const) {
    if (keysOf(schema[key] ?? {}).length > 0) return unsupported(key)
  }
  if (schema.additionalItems !== undefined) return unsupported('additionalItems')
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    return "OpenAPIV3Schema 'items' must be a schema, but is an array"
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
  }
  return undefined
}

/** What has been found to be wrong, and what is wrong with patterns. */
interface Errors {
  push(error: FieldError): void
  readonly patterns: ReadonlyMap<string, string>
}

/** A definition may have tens of thousands of patterns, and one may be long. */
function* patternProblems(root: JSONSchemaProps): Steps<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>()
  for (const { pattern = '' } of schemasIn(root)) {
    if (pattern === '' || problems.has(pattern)) continue
    const parsed = yield* patternOf(pattern)
    if (!(parsed instanceof Pattern)) problems.set(pattern, parsed.message)
    yield
  }
  return problems
}

/** The schema has no unsupported keyword. */
export function* validateStructural(schema: JSONSchemaProps, at: FieldPath): Steps<FieldError[]> {
  const found: FieldError[] = []
  const errors: Errors = { push: (error) => found.push(error), patterns: yield* patternProblems(schema) }
  yield* invariants(schema, 'root', at, errors)
  completeness(schema, at, errors)
  const text = ({ field, message }: FieldError): string => `${field}: ${message}`
  return found.sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0))
}

export const propertiesOf = (schema: JSONSchemaProps): Iterable<[string, JSONSchemaProps]> =>
  entriesOf(schema.properties ?? {})

/** The one schema of a list's items. */
export const itemsOf = (schema: JSONSchemaProps): JSONSchemaProps | undefined =>
  Array.isArray(schema.items) ? undefined : (schema.items ?? undefined)

function* invariants(schema: JSONSchemaProps, level: Level, at: FieldPath, errors: Errors): Steps<void> {
  yield
  const { type = '', additionalProperties } = schema
  const items = itemsOf(schema)
  if (type === 'array' && items === undefined) errors.push(required(at.child('items'), 'must be specified'))
  if (items !== undefined) yield* invariants(items, 'item', at.child('items'), errors)
  for (const [name, inner] of propertiesOf(schema)) {
    if (!isPlain(inner)) yield* invariants(inner, 'field', at.child('properties').key(name), errors)
  }
  if (additionalProperties !== undefined) {
    if (level === 'root') errors.push(forbidden(at.child('additionalProperties'), 'must not be used at the root'))
    if (typeof additionalProperties === 'object') {
      yield* invariants(additionalProperties, 'field', at.child('additionalProperties'), errors)
    }
  }
  extensionRules(schema, at, errors)
  const skips = { anyOf: isIntOrString(schema.anyOf), firstAllOf: isIntOrString(schema.allOf?.[0]?.anyOf) }
  valueRules(schema, skips, level, at, errors)
  typeRules(schema, level, at, errors)
  metaRules(schema, level, at, errors)
}

const intOrString: JsonValue = [{ type: 'integer' }, { type: 'string' }]

const isIntOrString = (anyOf: JSONSchemaProps[] | undefined): boolean =>
  anyOf?.length === 2 && equalJson(anyOf as JsonValue, intOrString)

function extensionRules(schema: JSONSchemaProps, at: FieldPath, errors: Errors): void {
  if (schema['x-kubernetes-int-or-string'] !== true) return
  for (const key of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const) {
    if (schema[key] !== true) continue
    errors.push(invalid(at.child(key), true, 'must be false if x-kubernetes-int-or-string is true'))
  }
}

const emptyTypeTexts: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

function typeRules(schema: JSONSchemaProps, level: Level, at: FieldPath, errors: Errors): void {
  const { type = '', additionalProperties } = schema
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true
  const keepsAll = schema['x-kubernetes-preserve-unknown-fields'] === true
  if (isEmbedded && type !== 'object') {
    const text = 'must be object if x-kubernetes-embedded-resource is true'
    errors.push(type === '' ? required(at.child('type'), text) : invalid(at.child('type'), type, text))
  } else if (type === '' && schema['x-kubernetes-int-or-string'] !== true && !keepsAll) {
    errors.push(required(at.child('type'), emptyTypeTexts[level]))
  }
  if (isEmbedded && additionalProperties !== undefined) {
    errors.push(
      forbidden(at.child('additionalProperties'), 'must not be used if x-kubernetes-embedded-resource is set'),
    )
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalid(at.child('type'), type, 'must be object at the root'))
  }
  if (isEmbedded && !keepsAll && keysOf(schema.properties ?? {}).length === 0) {
    const text =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields'
    errors.push(required(at.child('properties'), text))
  }
}

function metaRules(schema: JSONSchemaProps, level: Level, at: FieldPath, errors: Errors): void {
  const isWhole = level === 'root' || schema['x-kubernetes-embedded-resource'] === true
  if (!isWhole) return
  for (const name of ['kind', 'apiVersion']) {
    const inner = propertyOf(schema, name)
    if (inner === undefined || inner.type === 'string') continue
    errors.push(invalid(at.child('properties').key(name).child('type'), inner.type ?? '', 'must be string'))
  }
  const metadata = propertyOf(schema, 'metadata')
  if (metadata === undefined) return
  const place = at.child('properties').key('metadata')
  if (metadata.type !== 'object') {
    errors.push(invalid(place.child('type'), metadata.type ?? '', 'must be object'))
  }
  if (level === 'root' && !onlyNames(metadata)) {
    const text = 'must not specify anything other than name and generateName, but metadata is implicitly specified'
    errors.push(forbidden(place, text))
  }
}

/** Keywords that are checked elsewhere, or have no place in a structure. */
const ignoredInMeta = new Set(['type', 'default', 'properties', 'externalDocs', 'example'])

function onlyNames(schema: JSONSchemaProps): boolean {
  const names = Object.keys(schema.properties ?? {})
  const isNamed = names.every((name) => name === 'name' || name === 'generateName')
  return isNamed && keywordsOf(schema).every(({ key }) => ignoredInMeta.has(key))
}

interface Skips {
  readonly anyOf: boolean
  readonly firstAllOf: boolean
}

const noSkips: Skips = { anyOf: false, firstAllOf: false }

function valueRules(schema: JSONSchemaProps, skips: Skips, level: Level, at: FieldPath, errors: Errors): void {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern = '' } = schema
  if (!skips.anyOf)
    for (const [i, inner] of anyOf.entries()) nested(inner, noSkips, level, at.child('anyOf').index(i), errors)
  for (const [i, inner] of allOf.entries()) {
    const innerSkips = { anyOf: skips.firstAllOf && i === 0, firstAllOf: false }
    nested(inner, innerSkips, level, at.child('allOf').index(i), errors)
  }
  for (const [i, inner] of oneOf.entries()) nested(inner, noSkips, level, at.child('oneOf').index(i), errors)
  if (not !== undefined) nested(not, noSkips, level, at.child('not'), errors)
  const problem = errors.patterns.get(pattern)
  if (problem !== undefined) {
    errors.push(invalid(at.child('pattern'), pattern, `must be a valid regular expression, but isn't: ${problem}`))
  }
}

/** What must not stand in a schema that only restricts values, with the word for its absence. */
const forbiddenInside = [
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
] as const

function nested(schema: JSONSchemaProps, skips: Skips, level: Level, at: FieldPath, errors: Errors): void {
  valueRules(schema, skips, level, at, errors)
  const items = itemsOf(schema)
  if (items !== undefined) nested(items, noSkips, level, at.child('items'), errors)
  for (const [name, inner] of propertiesOf(schema)) {
    nested(inner, noSkips, 'field', at.child('properties').key(name), errors)
  }
  const forbid = (key: string, absence: string): void =>
    errors.push(forbidden(at.child(key), `must be ${absence} to be structural`))
  if ((schema.type ?? '') !== '') forbid('type', 'empty')
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== false) {
    forbid('additionalProperties', 'undefined')
  }
  for (const [key, absence] of forbiddenInside) {
    const value = schema[key]
    const isEmpty = value === '' || value === false || (Array.isArray(value) && value.length === 0)
    if (value !== undefined && value !== null && !(isEmpty && absence !== 'undefined')) forbid(key, absence)
  }
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, 'metadata')) {
    errors.push(forbidden(at.child('properties').key('metadata'), 'must not be specified in a nested context'))
  }
}

/** What the alternatives at the root speak of must be described by the structure itself. */
function completeness(schema: JSONSchemaProps, at: FieldPath, errors: Errors): void {
  complete(schema, { schema, at }, at, errors)
}

interface Structure {
  readonly schema: JSONSchemaProps
  readonly at: FieldPath
}

function complete(schema: JSONSchemaProps, structure: Structure, at: FieldPath, errors: Errors): void {
  if (schema.not !== undefined) describe(schema.not, structure, at.child('not'), errors)
  for (const key of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [i, inner] of (schema[key] ?? []).entries()) describe(inner, structure, at.child(key).index(i), errors)
  }
}

function describe(alternative: JSONSchemaProps, structure: Structure, at: FieldPath, errors: Errors): void {
  complete(alternative, structure, at, errors)
  const follow = (
    inner: JSONSchemaProps,
    own: JSONSchemaProps | undefined,
    step: (path: FieldPath) => FieldPath,
  ): void => {
    if (own === undefined) errors.push(required(step(structure.at), `because it is defined in ${step(at)}`))
    else describe(inner, { schema: own, at: step(structure.at) }, step(at), errors)
  }
  const items = itemsOf(alternative)
  if (items !== undefined) follow(items, itemsOf(structure.schema), (path) => path.child('items'))
  for (const [name, inner] of propertiesOf(alternative)) {
    follow(inner, propertyOf(structure.schema, name), (path) => path.child('properties').key(name))
  }
}
