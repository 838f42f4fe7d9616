/** The rules of one `openAPIV3Schema`: keywords, structure, defaults, list types, expressions and their costs. */

import { type FieldError, forbidden, invalid, invalidAs, notSupported, required } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import { entriesOf, keysOf } from '../../api/key-lists.ts'
import { goSchema, keywordsOf } from '../../catalog/golang/schema.ts'
import type { CustomResourceValidation, JSONSchemaProps } from '../../catalog/types/apiextensions-v1.ts'
import type { Steps } from '../../lib/in-turns.ts'
import { pushAll } from '../../lib/push-all.ts'
import { isPlain, schemasIn } from './definition.ts'
import { RuleChecker, type RulePlace, type RuleScope } from './rule-checker.ts'
import { validateRuleTexts } from './rule-texts.ts'
import type { SchemaOptions } from './schema-options.ts'
import { validateDefaults } from './validate-defaults.ts'
import { isMapType, openApiTypes, validateListKeys, validateTopology } from './validate-lists.ts'
import { unsupportedKeyword, validateStructural } from './validate-structural.ts'

export interface SchemaFacts {
  readonly hasStatus: boolean
  readonly suppressRuleCost: boolean
}

export function* validateSchema(
  validation: CustomResourceValidation | undefined,
  facts: SchemaFacts,
  options: SchemaOptions,
  path: FieldPath,
): Steps<FieldError[]> {
  const root = validation?.openAPIV3Schema
  if (root === undefined) return []
  const at = path.child('openAPIV3Schema')
  const errors = facts.hasStatus ? rootErrors(root, path) : []
  if (root.nullable === true) {
    errors.push(forbidden(path.child('openAPIV3Schema.nullable'), 'nullable cannot be true at the root'))
  }
  const unsupported = options.requireStructural ? unsupportedKeyword(root) : undefined
  const isStructural = options.requireStructural && unsupported === undefined
  const structural = isStructural ? yield* structureErrors(root, at, options) : []
  pushAll(errors, structural)
  const checksRules = isStructural && structural.length === 0
  const rules = checksRules && hasRules(root) ? new RuleChecker(root, options, facts.suppressRuleCost) : undefined
  const visit = new SchemaVisit(options, rules)
  const place: SchemaPosition = { at, isRoot: true, defaults: 'allowed', insideMeta: false, uncorrelated: undefined }
  yield* visit.schema(root, place, rules?.root)
  pushAll(errors, visit.errors)
  if (rules !== undefined) for (const place of visit.rulePlaces) pushAll(errors, yield* rules.check(place))
  if (errors.length === 0 && unsupported !== undefined) errors.push(invalid(at, '', unsupported))
  if (rules !== undefined) pushAll(errors, rules.totalErrors(at))
  return errors
}

const hasRules = (root: JSONSchemaProps): boolean => {
  for (const schema of schemasIn(root)) if ((schema['x-kubernetes-validations']?.length ?? 0) > 0) return true
  return false
}

function* structureErrors(root: JSONSchemaProps, at: FieldPath, options: SchemaOptions): Steps<FieldError[]> {
  const errors = yield* validateStructural(root, at)
  return errors.length > 0 ? errors : yield* validateDefaults(root, at, options)
}

const allowedAtRoot: Readonly<Record<string, string>> = {
  description: 'Description',
  type: 'Type',
  format: 'Format',
  title: 'Title',
  maximum: 'Maximum',
  exclusiveMaximum: 'ExclusiveMaximum',
  minimum: 'Minimum',
  exclusiveMinimum: 'ExclusiveMinimum',
  maxLength: 'MaxLength',
  minLength: 'MinLength',
  pattern: 'Pattern',
  maxItems: 'MaxItems',
  minItems: 'MinItems',
  uniqueItems: 'UniqueItems',
  multipleOf: 'MultipleOf',
  required: 'Required',
  items: 'Items',
  properties: 'Properties',
  externalDocs: 'ExternalDocs',
  example: 'Example',
  'x-kubernetes-preserve-unknown-fields': 'XPreserveUnknownFields',
  'x-kubernetes-validations': 'XValidations',
}

/** A status endpoint needs a root that says nothing that spans spec and status. */
function rootErrors(root: JSONSchemaProps, path: FieldPath): FieldError[] {
  for (const { key } of keywordsOf(root)) {
    if (key === 'type') {
      if (root.type === 'object') continue
      const text = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
      return [invalid(path.child('openAPIV3Schema.type'), root.type ?? '', text)]
    }
    if (Object.hasOwn(allowedAtRoot, key)) continue
    const names = Object.values(allowedAtRoot).join(' ')
    const text = `only [${names}] fields are allowed at the root of the schema if the status subresource is enabled`
    return [invalidAs(path.child('openAPIV3Schema'), () => goSchema(root), text)]
  }
  return []
}

interface SchemaPosition {
  readonly at: FieldPath
  readonly isRoot: boolean
  /** `allowed`, or why defaults are forbidden here. */
  readonly defaults: string
  readonly insideMeta: boolean
  /** The part around this place whose elements cannot be matched with their old selves. */
  readonly uncorrelated: FieldPath | undefined
}

/** There may be a hundred thousand in a definition. */
const schemasOfStep = 64

const metaFields = new Set(['metadata', 'kind', 'apiVersion'])

class SchemaVisit {
  readonly errors: FieldError[] = []
  /** Where there are rules to compile, which takes long: not while walking. */
  readonly rulePlaces: RulePlace[] = []
  readonly #options: SchemaOptions
  readonly #checker: RuleChecker | undefined
  #visited = 0

  constructor(options: SchemaOptions, checker: RuleChecker | undefined) {
    this.#options = options
    this.#checker = checker
  }

  *schema(schema: JSONSchemaProps, place: SchemaPosition, scope: RuleScope | undefined): Steps<void> {
    if (++this.#visited % schemasOfStep === 0) yield
    const before = this.errors.length
    this.#keywords(schema, place)
    yield* this.#inner(schema, place, scope)
    const { at } = place
    if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
      const key = at.child('x-kubernetes-preserve-unknown-fields')
      this.errors.push(invalid(key, false, 'must be true or undefined'))
    }
    pushAll(this.errors, validateTopology(schema, at, this.#options.requireAtomicSets))
    if (this.#options.requireListKeys) pushAll(this.errors, validateListKeys(schema, at))
    const rules = schema['x-kubernetes-validations'] ?? []
    if (rules.length === 0) return
    pushAll(this.errors, validateRuleTexts(rules, schema, at.child('x-kubernetes-validations')))
    if (this.errors.length > before || scope === undefined || this.#checker === undefined) return
    this.rulePlaces.push({ schema, scope, at, uncorrelated: place.uncorrelated })
  }

  #keywords(schema: JSONSchemaProps, { at, defaults, insideMeta }: SchemaPosition): void {
    const { type = '' } = schema
    const forbid = (key: string, text: string): number => this.errors.push(forbidden(at.child(key), text))
    if (this.#options.requireValidTypes && type !== '' && !openApiTypes.includes(type)) {
      this.errors.push(notSupported(at.child('type'), type, openApiTypes))
    }
    if (schema.default !== undefined && schema.default !== null && defaults !== 'allowed') {
      forbid('default', `must not be set ${defaults}`)
    }
    if ((schema.id ?? '') !== '') forbid('id', 'id is not supported')
    if (schema.additionalItems !== undefined) forbid('additionalItems', 'additionalItems is not supported')
    for (const key of ['patternProperties', 'definitions'] as const) {
      if (keysOf(schema[key] ?? {}).length > 0) forbid(key, `${key} is not supported`)
    }
    for (const key of ['dependencies', '$ref'] as const) {
      if (schema[key] !== undefined) forbid(key, `${key} is not supported`)
    }
    if (type === 'null') forbid('type', 'type cannot be set to null, use nullable as an alternative')
    if (Array.isArray(schema.items) && schema.items.length > 0) {
      forbid('items', 'items must be a schema object and not an array')
    }
    if (insideMeta && schema['x-kubernetes-embedded-resource'] === true) {
      forbid('x-kubernetes-embedded-resource', 'must not be used inside of resource meta')
    }
    if (schema.uniqueItems === true) {
      forbid('uniqueItems', 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic')
    }
  }

  *#inner(schema: JSONSchemaProps, place: SchemaPosition, scope: RuleScope | undefined): Steps<void> {
    const { additionalProperties, properties = {} } = schema
    const { at } = place
    const child: SchemaPosition = { ...place, isRoot: false }
    if (additionalProperties !== undefined) {
      if (keysOf(properties).length > 0 && additionalProperties !== true) {
        const text = 'additionalProperties and properties are mutual exclusive'
        this.errors.push(forbidden(at.child('additionalProperties'), text))
      }
      if (typeof additionalProperties === 'object') {
        const defaults = place.insideMeta ? 'inside additionalProperties applying to object metadata' : place.defaults
        const inner = { ...child, at: at.child('additionalProperties'), defaults }
        yield* this.schema(additionalProperties, inner, this.#checker?.values(scope, additionalProperties))
      }
    }
    for (const [name, inner] of entriesOf(properties)) {
      if (!isPlain(inner))
        yield* this.schema(inner, this.#property(name, schema, place), this.#checker?.property(scope, name, inner))
    }
    yield* this.#alternatives(schema, child)
    yield* this.#items(schema, child, scope)
  }

  #property(name: string, schema: JSONSchemaProps, place: SchemaPosition): SchemaPosition {
    const { at, isRoot } = place
    const isMeta = (isRoot || schema['x-kubernetes-embedded-resource'] === true) && metaFields.has(name)
    return {
      at: at.child('properties').key(name),
      isRoot: false,
      insideMeta: place.insideMeta || isMeta,
      defaults: isMeta && isRoot ? `in top-level ${name}` : place.defaults,
      // Unknown map types have no rules.
      uncorrelated: place.uncorrelated ?? (isMapType(schema['x-kubernetes-map-type'] ?? 'granular') ? undefined : at),
    }
  }

  *#alternatives(schema: JSONSchemaProps, place: SchemaPosition): Steps<void> {
    const { at } = place
    if (schema.not !== undefined) yield* this.schema(schema.not, { ...place, at: at.child('not') }, undefined)
    for (const key of ['allOf', 'oneOf', 'anyOf'] as const) {
      for (const [i, inner] of (schema[key] ?? []).entries()) {
        yield* this.schema(inner, { ...place, at: at.child(key).index(i) }, undefined)
      }
    }
    for (const [name, inner] of entriesOf(schema.definitions ?? {})) {
      yield* this.schema(inner, { ...place, at: at.child('definitions').key(name) }, undefined)
    }
    for (const [name, inner] of entriesOf(schema.dependencies ?? {})) {
      if (inner === null || Array.isArray(inner)) continue
      yield* this.schema(inner, { ...place, at: at.child('dependencies').key(name) }, undefined)
    }
  }

  *#items(schema: JSONSchemaProps, place: SchemaPosition, scope: RuleScope | undefined): Steps<void> {
    const { items } = schema
    if (items == null) return
    const isMap = schema['x-kubernetes-list-type'] === 'map'
    const uncorrelated = place.uncorrelated ?? (isMap ? undefined : place.at)
    const at = place.at.child('items')
    if (!Array.isArray(items)) {
      yield* this.schema(items, { ...place, at, uncorrelated }, this.#checker?.items(scope, items))
      return
    }
    for (const [i, inner] of items.entries())
      yield* this.schema(inner, { ...place, at: at.index(i), uncorrelated }, undefined)
  }
}

export const missingSchema = (at: FieldPath): FieldError => required(at, 'schemas are required')
