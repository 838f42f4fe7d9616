/** Which rules apply: those that an old definition broke already are not held against its update. */

import { equalInSteps } from '../../api/equal-in-steps.ts'
import { FieldPath } from '../../api/field-path.ts'
import type { JsonObject, JsonValue } from '../../api/json.ts'
import { equalJson } from '../../api/json.ts'
import { hasChange } from '../../api/release-changes.ts'
import type { CustomResourceDefinitionSpec, JSONSchemaProps } from '../../catalog/types/apiextensions-v1.ts'
import { type Environment, type ExpressionScope, newExpressionsAt, storedExpressions } from '../../cel/environment.ts'
import type { Steps } from '../../lib/in-turns.ts'
import { schemaFromOpenApi } from '../../schema/from-openapi.ts'
import { pruneValueInSteps } from '../../schema/prune.ts'
import type { RuleEnvironments } from '../custom/compiled-rule.ts'
import { collectSchemas, schemasIn, schemasOfSpec } from './definition.ts'
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
  /** The minor number of the release that is served. */
  readonly release: number
  /** Names what decides which expressions are taken. */
  readonly scope: string
  /** Nothing is let pass. */
  readonly strict?: true
  /** The versions whose schema is as it was: their rules may cost what they cost before. */
  readonly unchangedSchemas: ReadonlySet<string>
  /** The versions whose selectable fields are as they were: there may be too many of them. */
  readonly keptSelectableFields: ReadonlySet<string>
}

interface ReleaseOptions {
  readonly fresh: () => Environment
  readonly stored: () => Environment
  readonly strict: SchemaOptions
}

const once = (make: () => Environment): (() => Environment) => {
  let made: Environment | undefined
  return () => {
    made ??= make()
    return made
  }
}

const byScope = new Map<string, ReleaseOptions>()

function releaseOptions(expressions: ExpressionScope): ReleaseOptions {
  const { release, oldest = '', selectors = '' } = expressions
  const scope = `${release} ${oldest} ${selectors}`
  const known = byScope.get(scope)
  if (known !== undefined) return known
  const fresh = once(() => newExpressionsAt(expressions))
  const strict: SchemaOptions = {
    requireSchema: true,
    requireValidTypes: true,
    requireStructural: true,
    requirePrunedDefaults: true,
    requireAtomicSets: true,
    requireListKeys: true,
    environments: { forRule: fresh, forMessage: fresh },
    release,
    scope,
    strict: true,
    unchangedSchemas: new Set(),
    keptSelectableFields: new Set(),
  }
  const made = { fresh, stored: once(() => storedExpressions(release)), strict }
  byScope.set(scope, made)
  return made
}

export const strictOptions = (expressions: ExpressionScope): SchemaOptions => releaseOptions(expressions).strict

export function* optionsForUpdate(
  spec: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec,
  expressions: ExpressionScope,
): Steps<SchemaOptions> {
  const { release } = expressions
  const { fresh, stored, strict } = releaseOptions(expressions)
  const roots = (old.versions ?? []).map((version) => version.schema?.openAPIV3Schema)
  const present = roots.filter((root) => root !== undefined)
  yield* collectSchemas(old)
  yield* collectSchemas(spec)
  const all = schemasOfSpec(old)
  const rules = new Set(all.flatMap((schema) => (schema['x-kubernetes-validations'] ?? []).map(({ rule }) => rule)))
  const messages = new Set(
    all.flatMap((schema) => (schema['x-kubernetes-validations'] ?? []).map((rule) => rule.messageExpression ?? '')),
  )
  yield
  const structural: JSONSchemaProps[] = []
  for (const root of present) if (yield* isStructural(root)) structural.push(root)
  return {
    requireSchema: roots.every((root) => root !== undefined),
    requireValidTypes: all.every(({ type = '' }) => type === '' || openApiTypes.includes(type)),
    requireStructural: structural.length === present.length,
    requirePrunedDefaults: yield* havePrunedDefaults(structural),
    requireAtomicSets: all.every((schema) => !isNonAtomicSet(schema)),
    requireListKeys: all.every((schema) => validateListKeys(schema, FieldPath.root).length === 0),
    environments: {
      forRule: (text) => (rules.has(text) ? stored() : fresh()),
      forMessage: (text) => (messages.has(text) ? stored() : fresh()),
    },
    release,
    scope: strict.scope,
    unchangedSchemas: unchangedVersions(spec, old, 'schema'),
    keptSelectableFields: hasChange(release, 'keptSelectableFields')
      ? unchangedVersions(spec, old, 'selectableFields')
      : new Set(),
  }
}

/** The versions that have the same under the name as before. */
function unchangedVersions(
  spec: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec,
  name: 'schema' | 'selectableFields',
): Set<string> {
  const before = new Map((old.versions ?? []).map((version) => [version.name, version[name]]))
  const same = (spec.versions ?? []).filter(
    (version) =>
      before.has(version.name) && equalJson(version[name] as JsonValue, before.get(version.name) as JsonValue),
  )
  return new Set(same.map((version) => version.name))
}

function* isStructural(root: JSONSchemaProps): Steps<boolean> {
  return unsupportedKeyword(root) === undefined && (yield* validateStructural(root, FieldPath.root)).length === 0
}

function* havePrunedDefaults(roots: readonly JSONSchemaProps[]): Steps<boolean> {
  for (const root of roots) {
    for (const schema of schemasIn(root)) {
      const value = schema.default
      if (value === undefined || value === null) continue
      yield
      const pruned = yield* pruneValueInSteps(value, schemaFromOpenApi(schema as JsonObject))
      if (!(yield* equalInSteps(pruned, value))) return false
    }
  }
  return true
}

/** An element of a set must be atomic: scalars are, lists are unless they say otherwise, objects only if they say so. */
function isNonAtomicSet(schema: JSONSchemaProps): boolean {
  const { items } = schema
  if (schema['x-kubernetes-list-type'] !== 'set' || items == null || Array.isArray(items)) return false
  if (items.type === 'array') return (items['x-kubernetes-list-type'] ?? 'atomic') !== 'atomic'
  return items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic'
}
