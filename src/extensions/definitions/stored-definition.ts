/**
 * Definitions as the reference keeps them in etcd: in the old version v1beta1, which holds what all versions have in
 * common only once and therefore takes less room. What is read back may also be older than any server that wrote v1.
 *
 * Kept true: what was stored and read back is what it was.
 */
import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'

const storedVersion = 'apiextensions.k8s.io/v1beta1'
const hubVersion = 'apiextensions.k8s.io/v1'

/** Members of a version that move to the spec when all versions have the same, by their names there. */
const common = {
  schema: 'validation',
  subresources: 'subresources',
  additionalPrinterColumns: 'additionalPrinterColumns',
  selectableFields: 'selectableFields',
} as const
type CommonMember = keyof typeof common
const commonMembers = Object.keys(common) as CommonMember[]

export function toStoredDefinition(definition: KubeObject): KubeObject {
  const spec = objectAt(definition, 'spec')
  const versions = listAt(spec, 'versions').map(withColumns('jsonPath', 'JSONPath'))
  const [first] = versions
  const moved = commonMembers.filter((member) => versions.every((each) => equalJson(each[member], first?.[member])))
  const shared = (member: CommonMember): JsonValue | undefined => (moved.includes(member) ? first?.[member] : undefined)
  const { group, names, scope, conversion, preserveUnknownFields } = spec
  const stored = present({
    group,
    version: first?.['name'],
    names,
    scope,
    validation: shared('schema'),
    subresources: shared('subresources'),
    versions: versions.map((version) => without(version, moved)),
    additionalPrinterColumns: shared('additionalPrinterColumns'),
    conversion: isJsonObject(conversion) ? storedConversion(conversion) : conversion,
    preserveUnknownFields: preserveUnknownFields ?? false,
    selectableFields: shared('selectableFields'),
  })
  return { ...definition, apiVersion: storedVersion, spec: stored }
}

export function fromStoredDefinition(stored: KubeObject): KubeObject {
  if (stored.apiVersion !== storedVersion) return stored
  const spec = objectAt(stored, 'spec')
  const { group, version, names, scope, conversion } = spec
  const named = listAt(spec, 'versions')
  const versions = named.length === 0 ? [{ name: version ?? '', served: true, storage: true }] : named
  const hub = present({
    group,
    names,
    scope,
    versions: versions.map((each) => hubOfVersion(each, spec)),
    conversion: isJsonObject(conversion) ? hubConversion(conversion) : { strategy: 'None' },
    // The old version kept unknown fields unless configured not to.
    preserveUnknownFields: spec['preserveUnknownFields'] === false ? undefined : true,
  })
  return { ...stored, apiVersion: hubVersion, spec: hub }
}

function hubOfVersion(version: JsonObject, spec: JsonObject): JsonObject {
  const filled: JsonObject = present({
    name: version['name'],
    served: version['served'],
    storage: version['storage'],
    deprecated: version['deprecated'],
    deprecationWarning: version['deprecationWarning'],
    ...Object.fromEntries(commonMembers.map((member) => [member, spec[common[member]] ?? version[member]])),
  })
  return withColumns('JSONPath', 'jsonPath')(filled)
}

function storedConversion({ strategy, webhook }: JsonObject): JsonObject {
  if (!isJsonObject(webhook)) return present({ strategy })
  const { clientConfig, conversionReviewVersions } = webhook
  return present({ strategy, webhookClientConfig: clientConfig, conversionReviewVersions })
}

function hubConversion({ strategy, webhookClientConfig, conversionReviewVersions }: JsonObject): JsonObject {
  if (webhookClientConfig === undefined && conversionReviewVersions === undefined) return present({ strategy })
  return present({
    strategy,
    webhook: present({ clientConfig: webhookClientConfig, conversionReviewVersions: conversionReviewVersions ?? null }),
  })
}

/** A version whose columns name their path by another key. */
function withColumns(from: string, to: string): (version: JsonObject) => JsonObject {
  return (version) => {
    const columns = version['additionalPrinterColumns']
    if (!Array.isArray(columns)) return version
    const renamed = columns.map((column) => {
      if (!isJsonObject(column)) return column
      const { [from]: path, ...others } = column
      return path === undefined ? column : { ...others, [to]: path }
    })
    return { ...version, additionalPrinterColumns: renamed }
  }
}

function without(version: JsonObject, members: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(version).filter(([key]) => !members.includes(key)))
}

function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key]
  return isJsonObject(value) ? value : {}
}

function listAt(object: JsonObject, key: string): JsonObject[] {
  const value = object[key]
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}
