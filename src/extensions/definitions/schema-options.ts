/** Which rules apply: those that an old definition broke already are not held against its update. */

import { FieldPath } from '../../api/field-path.ts'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { equalJson } from '../../api/json.ts'
import type { CustomResourceDefinitionSpec, JSONSchemaProps } from '../../catalog/types/apiextensions-v1.ts'
import { type Environment, newExpressions, storedExpressions } from '../../cel/environment.ts'
import type { Steps } from '../../lib/in-turns.ts'
import { schemaFromOpenApi } from '../../schema/from-openapi.ts'
import { pruneValue } from '../../schema/prune.ts'
import type { RuleEnvironments } from '../custom/compiled-rule.ts'
import { schemasIn, schemasOfSpec } from './definition.ts'
import { openApiTypes, validateListKeys } from './validate-lists.ts'
import { unsupportedKeyword, validateStructural } from './validate-structural.ts'

export interface SchemaOptions {
  readonly requireSchema: boolean
  readonly requireValidTypes: boolean
  readonly requireStructural: boolean
  readonly requirePrunedDefaults: boolean
  readonly requireAtomicSets: boolean
  readonly requireListKeys: boolean
  readonly environments: RuleEnvironments
  /** The versions whose schema is as it was: their rules may cost what they cost before. */
  readonly unchangedSchemas: ReadonlySet<string>
}

let fresh: Environment | undefined
let lenient: Environment | undefined

const newEnvironment = (): Environment => {
  fresh ??= newExpressions()
  return fresh
}

const storedEnvironment = (): Environment => {
  lenient ??= storedExpressions()
  return lenient
}

export const strictOptions: SchemaOptions = {
  requireSchema: true,
  requireValidTypes: true,
  requireStructural: true,
  requirePrunedDefaults: true,
  requireAtomicSets: true,
  requireListKeys: true,
  environments: { forRule: newEnvironment, forMessage: newEnvironment },
  unchangedSchemas: new Set(),
}

export function* optionsForUpdate(
  spec: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec,
): Steps<SchemaOptions> {
  const roots = (old.versions ?? []).map((version) => version.schema?.openAPIV3Schema)
  const present = roots.filter((root) => root !== undefined)
  const all = schemasOfSpec(old)
  const rules = new Set(all.flatMap((schema) => (schema['x-kubernetes-validations'] ?? []).map(({ rule }) => rule)))
  const messages = new Set(
    all.flatMap((schema) => (schema['x-kubernetes-validations'] ?? []).map((rule) => rule.messageExpression ?? '')),
  )
  const structural: JSONSchemaProps[] = []
  for (const root of present) if (yield* isStructural(root)) structural.push(root)
  return {
    requireSchema: roots.every((root) => root !== undefined),
    requireValidTypes: all.every(({ type = '' }) => type === '' || openApiTypes.includes(type)),
    requireStructural: structural.length === present.length,
    requirePrunedDefaults: structural.every((root) => !hasUnprunedDefaults(root)),
    requireAtomicSets: all.every((schema) => !isNonAtomicSet(schema)),
    requireListKeys: all.every((schema) => validateListKeys(schema, FieldPath.root).length === 0),
    environments: {
      forRule: (text) => (rules.has(text) ? storedEnvironment() : newEnvironment()),
      forMessage: (text) => (messages.has(text) ? storedEnvironment() : newEnvironment()),
    },
    unchangedSchemas: unchanged(spec, old),
  }
}

function unchanged(spec: CustomResourceDefinitionSpec, old: CustomResourceDefinitionSpec): Set<string> {
  const before = new Map((old.versions ?? []).map(({ name, schema }) => [name, schema]))
  const same = (spec.versions ?? []).filter(
    ({ name, schema }) => before.has(name) && equalJson(schema as JsonValue, before.get(name) as JsonValue),
  )
  return new Set(same.map(({ name }) => name))
}

function* isStructural(root: JSONSchemaProps): Steps<boolean> {
  return unsupportedKeyword(root) === undefined && (yield* validateStructural(root, FieldPath.root)).length === 0
}

function hasUnprunedDefaults(root: JSONSchemaProps): boolean {
  return schemasIn(root).some((schema) => {
    const value = schema.default
    if (value === undefined || value === null) return false
    return !equalJson(pruneValue(value, schemaFromOpenApi(schema as JsonObject)), value)
  })
}

/** An element of a set must be atomic: scalars are, lists are unless they say otherwise, objects only if they say so. */
function isNonAtomicSet(schema: JSONSchemaProps): boolean {
  const { items } = schema
  if (schema['x-kubernetes-list-type'] !== 'set' || items == null || Array.isArray(items)) return false
  if (items.type === 'array') return (items['x-kubernetes-list-type'] ?? 'atomic') !== 'atomic'
  return items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic'
}
