/** A CustomResourceDefinition, and the view of it that its rules are worded in. */

import { equalJson, type JsonObject, type JsonValue, ownValue } from '../../api/json.ts'
import { entriesOf, keysOf } from '../../api/key-lists.ts'
import type { KubeObject } from '../../api/object.ts'
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
  JSONSchemaProps,
  SelectableField,
} from '../../catalog/types/apiextensions-v1.ts'
import { runToEnd, type Steps } from '../../lib/in-turns.ts'
import { memoize, SideTable } from '../../lib/memo.ts'

export type Definition = KubeObject & {
  spec: CustomResourceDefinitionSpec
  status: CustomResourceDefinitionStatus
}

export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

/** What a version has of its own, or all versions have together. */
export interface VersionDetails {
  readonly schema?: CustomResourceValidation | undefined
  readonly subresources?: CustomResourceSubresources | undefined
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[] | undefined
  readonly selectableFields?: readonly SelectableField[] | undefined
}

/**
 * The spec as the reference looks at it: what is the same in every version is moved out of the versions, and errors in
 * it are reported once, at the top.
 */
export interface HoistedSpec extends VersionDetails {
  readonly spec: CustomResourceDefinitionSpec
  readonly versions: readonly (VersionDetails & CustomResourceDefinitionVersion)[]
}

const sharedKeys = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const

export function hoist(spec: CustomResourceDefinitionSpec): HoistedSpec {
  const versions = spec.versions ?? []
  const [first] = versions
  const top: Record<string, unknown> = {}
  const moved = new Set<string>()
  for (const key of sharedKeys) {
    if (first === undefined || !versions.every((version) => sameJson(version[key], first[key]))) continue
    moved.add(key)
    if (first[key] !== undefined) top[key] = first[key]
  }
  const rest = versions.map(
    (version) =>
      Object.fromEntries(Object.entries(version).filter(([key]) => !moved.has(key))) as CustomResourceDefinitionVersion,
  )
  return { ...top, spec, versions: rest }
}

/** An explicit empty list is none. */
const sameJson = (a: unknown, b: unknown): boolean =>
  a === b || (isNone(a) && isNone(b)) || equalJson(a as JsonValue, b as JsonValue)

const isNone = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0)

export const rootSchema = (shared: VersionDetails): JSONSchemaProps | undefined => shared.schema?.openAPIV3Schema

export const propertyOf = ({ properties }: JSONSchemaProps, name: string): JSONSchemaProps | undefined =>
  ownValue((properties ?? {}) as JsonObject, name) as JSONSchemaProps | undefined

/** Types that need no other keyword. */
const scalarTypes = new Set(['boolean', 'integer', 'number', 'object', 'string'])

/** Keywords that are right wherever there is a type, and hold no other schema. */
const plainKeywords = new Set([
  'description',
  'enum',
  'example',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'externalDocs',
  'format',
  'maximum',
  'maxItems',
  'maxLength',
  'maxProperties',
  'minimum',
  'minItems',
  'minLength',
  'minProperties',
  'multipleOf',
  'nullable',
  'required',
  'title',
  'type',
])

/**
 * Most schemas are just a type and some bounds, all the way down: no rule about schemas finds anything wrong with those,
 * unless it is one about the schema around them.
 */
export function isPlain(schema: JSONSchemaProps): boolean {
  const { type = '' } = schema
  let holder: string | undefined
  for (const key in schema) {
    if (plainKeywords.has(key)) continue
    if (holder !== undefined || holders.get(type)?.has(key) !== true) return false
    holder = key
  }
  return holder === undefined ? scalarTypes.has(type) : holdsPlain(schema)
}

/** Keywords that hold other schemas, by type: one of them at a time is right. */
const holders: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['object', new Set(['properties', 'additionalProperties'])],
  ['array', new Set(['items'])],
])

/** Of schemas that hold others. Memoized, because every rule asks, on every level. */
const holdsPlain = memoize('plain-schema', ({ properties, items, additionalProperties }: JSONSchemaProps): boolean => {
  const isPlainSchema = (each: JSONSchemaProps | JSONSchemaProps[] | boolean | null | undefined): boolean =>
    typeof each === 'object' && each !== null && !Array.isArray(each) && isPlain(each)
  if (properties === undefined) return isPlainSchema(items ?? additionalProperties)
  return keysOf(properties).every((key) => isPlainSchema(properties[key]))
})

/** Every schema inside of a schema that is not plain, itself first. */
export const schemasIn = (schema: JSONSchemaProps | undefined): readonly JSONSchemaProps[] =>
  schema === undefined ? [] : collected.getOrMake(schema, () => runToEnd(collectInSteps(schema)))

/** Kept, because many rules ask for those of a whole definition, which may have tens of thousands. */
const collected = new SideTable<JSONSchemaProps, readonly JSONSchemaProps[]>()

/** Before rules ask for them. */
export function* collectSchemas(spec: CustomResourceDefinitionSpec): Steps<void> {
  for (const { schema } of spec.versions ?? []) {
    const root = schema?.openAPIV3Schema
    if (root !== undefined && !collected.has(root)) collected.set(root, yield* collectInSteps(root))
  }
}

const schemasOfStep = 256

function* collectInSteps(schema: JSONSchemaProps): Steps<readonly JSONSchemaProps[]> {
  const found: JSONSchemaProps[] = []
  for (const each of within(schema)) if (found.push(each) % schemasOfStep === 0) yield
  return found
}

function* within(schema: JSONSchemaProps): Generator<JSONSchemaProps> {
  if (isPlain(schema)) return
  yield schema
  const { items, not, properties, additionalProperties, additionalItems } = schema
  if (Array.isArray(items)) yield* withinAll(items)
  else if (items != null) yield* within(items)
  yield* withinAll(schema.allOf)
  yield* withinAll(schema.anyOf)
  yield* withinAll(schema.oneOf)
  if (not !== undefined) yield* within(not)
  yield* withinMembers(properties)
  if (typeof additionalProperties === 'object') yield* within(additionalProperties)
  yield* withinMembers(schema.patternProperties)
  if (typeof additionalItems === 'object') yield* within(additionalItems)
  yield* withinMembers(schema.definitions)
  for (const [, dependency] of entriesOf(schema.dependencies ?? {})) {
    if (dependency !== null && !Array.isArray(dependency)) yield* within(dependency)
  }
}

function* withinAll(schemas: readonly JSONSchemaProps[] | undefined): Generator<JSONSchemaProps> {
  for (const schema of schemas ?? []) if (!isPlain(schema)) yield* within(schema)
}

function* withinMembers(schemas: Readonly<Record<string, JSONSchemaProps>> | undefined): Generator<JSONSchemaProps> {
  if (schemas === undefined) return
  for (const key of keysOf(schemas)) {
    const schema = schemas[key] as JSONSchemaProps
    if (!isPlain(schema)) yield* within(schema)
  }
}

export function schemasOfSpec(spec: CustomResourceDefinitionSpec): JSONSchemaProps[] {
  return (spec.versions ?? []).flatMap((version) => schemasIn(version.schema?.openAPIV3Schema))
}

export const isConditionTrue = (definition: Definition, type: string): boolean =>
  (definition.status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True')
