/** Every version of every kind that has several: to the stored version and back nothing is lost, and nothing is added. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatGroupVersion } from '../../api/group-version.ts'
import { equalJson, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { schemaForKind } from '../../catalog/catalog.ts'
import { type CatalogResource, resources } from '../../catalog/resources.ts'
import { canonicalize } from '../../schema/canonicalize.ts'
import { valuesOf } from '../../schema/test-values.ts'
import { type Conversion, conversionFor } from '../conversions.ts'

interface Pair {
  readonly name: string
  readonly version: CatalogResource
  readonly hub: CatalogResource
}

/** Autoscalers keep what v1 lacks in annotations, and only what makes sense: they have a property of their own. */
const special = new Set(['horizontalpodautoscalers'])

function pairs(): Pair[] {
  const stored = [...resources()].filter(({ storage, subresource }) => storage !== undefined && subresource === '')
  return stored.flatMap((version) => {
    const hub = stored.find(
      (other) =>
        other.storage?.keyPrefix === version.storage?.keyPrefix &&
        formatGroupVersion(other) === formatGroupVersion(version.storage?.groupVersion ?? version),
    )
    if (hub === undefined || hub === version || special.has(version.resource)) return []
    return [{ name: `${formatGroupVersion(version)} ${version.kind}`, version, hub }]
  })
}

const renaming = (to: CatalogResource, from: CatalogResource): Conversion => ({
  toHub: (object) => ({ ...object, apiVersion: formatGroupVersion(to) }),
  fromHub: (object) => ({ ...object, apiVersion: formatGroupVersion(from) }),
})

/**
 * Devices have fields that only one version tells from empty ones (a node's name, all nodes, a request for exactly nothing): there
 * empty means absent, and valid objects have neither.
 */
function withoutEmpty(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutEmpty)
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value)
    .map(([key, member]) => [key, withoutEmpty(member ?? null)] as const)
    .filter(([, member]) => member !== '' && member !== false && !equalJson(member, {}))
  return Object.fromEntries(members)
}

describe('to the stored version and back', () => {
  it.each(pairs())('$name', ({ version, hub }) => {
    const schema = schemaForKind(version)
    const hubSchema = schemaForKind(hub)
    if (schema === undefined || hubSchema === undefined) throw new Error('a version has no type')
    const { toHub, fromHub } = conversionFor(version) ?? renaming(hub, version)
    const comparable = version.group === 'resource.k8s.io' ? withoutEmpty : (value: JsonValue) => value
    const meta = { kind: version.kind, apiVersion: formatGroupVersion(version) }
    fc.assert(
      fc.property(valuesOf(schema, 6), (value) => {
        const object = canonicalize({ ...(value as JsonObject), ...meta }, schema) as KubeObject
        const stored = canonicalize(toHub(object), hubSchema) as KubeObject
        const back = canonicalize(fromHub(stored), schema)
        expect(JSON.stringify(comparable(back))).toBe(JSON.stringify(comparable(object)))
      }),
      { numRuns: 100 },
    )
  })
})
