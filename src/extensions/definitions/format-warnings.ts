/**
 * Warnings about formats of texts that nothing checks. An update warns of those that the old definition did not have.
 * Mirrors apiextensions-apiserver/pkg/registry/customresourcedefinition: strategy.WarningsOnCreate, strategy.WarningsOnUpdate.
 */
import { quote } from '../../api/field-error.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import { keysOf } from '../../api/key-lists.ts'
import { hasChange } from '../../api/release-changes.ts'
import type { CustomResourceDefinitionSpec } from '../../catalog/types/apiextensions-v1.ts'
import { isKnownFormat } from '../../schema/formats.ts'

/** Keywords whose value is a schema or schemas, in a list or by name. */
const holders = 'items allOf anyOf oneOf not additionalProperties additionalItems'.split(' ')
const namedHolders = 'properties patternProperties definitions dependencies'.split(' ')

function unknownFormats(spec: CustomResourceDefinitionSpec, release: number): string[] {
  const found: string[] = []
  const visit = (schema: JsonObject): void => {
    const { type, format } = schema
    if (typeof format === 'string' && format !== '' && isLookedAt(type, release)) {
      const types = typeof type === 'string' && type !== '' ? [type] : []
      if (!isKnownFormat({ types, format }, release)) found.push(format)
    }
    for (const holder of holders) visitAll(schema[holder], false)
    for (const holder of namedHolders) visitAll(schema[holder], true)
  }
  const visitAll = (held: JsonValue | undefined, isByName: boolean): void => {
    if (Array.isArray(held)) for (const each of held) visitAll(each as JsonValue, false)
    else if (isJsonObject(held)) {
      if (isByName) for (const key of keysOf(held)) visitAll(held[key], false)
      else visit(held)
    }
  }
  for (const version of spec.versions ?? []) visitAll(version.schema?.openAPIV3Schema as JsonValue | undefined, false)
  return found
}

/** Warnings beyond this many say no more. */
const maxWarnings = 100

/** Later releases look at the formats of all types. */
const isLookedAt = (type: JsonValue | undefined, release: number): boolean =>
  type === 'string' || hasChange(release, 'numberFormats')

interface DefinitionChange {
  readonly spec: CustomResourceDefinitionSpec
  readonly old?: CustomResourceDefinitionSpec
}

export function formatWarnings({ spec, old }: DefinitionChange, release: number): string[] {
  const before = new Set(old === undefined ? [] : unknownFormats(old, release))
  const added = unknownFormats(spec, release).filter((format) => !before.has(format))
  return added.slice(0, maxWarnings).map((format) => `unrecognized format ${quote(format)}`)
}
