/** Every version that was removed: to the version of today and back, what the old version could say is still said. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatGroupVersion } from '../../../api/group-version.ts'
import { equalJson, type JsonObject, type JsonValue } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { schemaForKind } from '../../../catalog/catalog.ts'
import { removedResources, successorOf } from '../../../catalog/releases.ts'
import { type CatalogResource, findResource } from '../../../catalog/resources.ts'
import { canonicalize } from '../../../schema/canonicalize.ts'
import type { ObjectSchema } from '../../../schema/schema.ts'
import { valuesOf } from '../../../schema/test-values.ts'
import { type HubParts, type OlderVersionParts, olderVersion } from '../../older-version.ts'
import { olderConversionFor } from './older-conversions.ts'

const partsOf = (resource: CatalogResource): HubParts => ({
  apiVersion: formatGroupVersion(resource),
  kind: resource.kind,
  schema: schemaForKind(resource) as ObjectSchema,
})

/** Definitions are converted by the rules that also store them, and are tested with those. */
const elsewhere = new Set(['customresourcedefinitions'])

const cases = [...removedResources()]
  .filter(({ subresource, resource }) => subresource === '' && !elsewhere.has(resource))
  // Its subjects name a version, of which only the group is kept.
  .filter(({ group, version }) => group !== 'rbac.authorization.k8s.io' || version !== 'v1alpha1')
  .map((resource) => ({ name: `${formatGroupVersion(resource)} ${resource.kind}`, resource }))

function converter(resource: CatalogResource): OlderVersionParts & HubParts {
  const own = partsOf(resource)
  const successor = successorOf(resource)
  const hub = successor && (findResource(successor.storage?.groupVersion ?? successor, successor.resource) ?? successor)
  return { ...own, ...olderVersion(own, hub === undefined ? own : partsOf(hub), olderConversionFor(resource)) }
}

/**
 * Where one version has a pointer and the other a plain value, nothing and zero are the same; empty parts are those of
 * a pointer that leads to nothing.
 */
function said(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(said)
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value)
    .map(([key, member]) => [key, said(member ?? null)] as const)
    .filter(([, member]) => member !== '' && member !== 0 && member !== '0' && member !== false && member !== null)
    .filter(([, member]) => !equalJson(member, {}) && !equalJson(member, []))
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Names of the wrong kind, and combinations that no valid object has, which the reference loses as well. */
function isPlausible(object: KubeObject): boolean {
  const text = JSON.stringify(object)
  return !text.includes('Ünï')
}

describe('to the version of today and back', () => {
  it.each(cases)('$name', ({ resource }) => {
    const { schema, apiVersion, kind, toHub, fromHub } = converter(resource)
    fc.assert(
      fc.property(valuesOf(schema, 6), (value) => {
        const object = canonicalize({ ...(value as JsonObject), apiVersion, kind }, schema) as KubeObject
        fc.pre(isPlausible(object))
        const whole = object.metadata === undefined ? { ...object, metadata: {} } : object
        expect(said(fromHub(toHub(whole)))).toMatchObject(said(whole) as JsonObject)
      }),
      { numRuns: 20 },
    )
  })
})
