/** The discovery documents: plain ones a path, and the aggregated one for everything. */
import { formatGroupVersion } from '../../api/group-version.ts'
import type { JsonObject } from '../../api/json.ts'
import type { DiscoveredGroup, DiscoveredResource, DiscoveredVersion } from './discovery-index.ts'

/** `/api` */
export const apiVersions = (serverAddress: string): JsonObject => ({
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
})

/** `/apis` */
export const apiGroupList = (groups: readonly DiscoveredGroup[]): JsonObject => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: groups.filter(({ name }) => name !== '').map(groupBody),
})

/** `/apis/<group>` */
export const apiGroup = (group: DiscoveredGroup): JsonObject => ({
  kind: 'APIGroup',
  apiVersion: 'v1',
  ...groupBody(group),
})

function groupBody({ name, versions }: DiscoveredGroup): JsonObject {
  const listed = versions.map(({ version }) => ({
    groupVersion: formatGroupVersion({ group: name, version }),
    version,
  }))
  return { name, versions: listed, preferredVersion: listed[0] }
}

/** `/api/v1`, `/apis/<group>/<version>` */
export function apiResourceList(group: string, { version, resources }: DiscoveredVersion): JsonObject {
  return {
    kind: 'APIResourceList',
    // The core group's list is older than the field.
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: formatGroupVersion({ group, version }),
    resources: resources.map(resourceBody),
  }
}

function resourceBody(resource: DiscoveredResource): JsonObject {
  const { kindVersion, shortNames, categories, storageVersionHash } = resource
  return {
    name: resource.name,
    singularName: resource.singularName,
    namespaced: resource.namespaced,
    ...(kindVersion === undefined ? {} : { group: kindVersion.group, version: kindVersion.version }),
    kind: resource.kind,
    verbs: [...resource.verbs],
    ...(shortNames === undefined ? {} : { shortNames: [...shortNames] }),
    ...(categories === undefined ? {} : { categories: [...categories] }),
    ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
  }
}

/** Everything at once, as `apidiscovery.k8s.io/v2`. */
export const aggregatedDiscovery = (groups: readonly DiscoveredGroup[], omitsZeroTime = false): JsonObject => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  metadata: {},
  items: groups.map(({ name, versions }) => ({
    metadata: { ...(name === '' ? {} : { name }), ...(omitsZeroTime ? {} : { creationTimestamp: null }) },
    versions: versions.map(({ version, resources, freshness }) => ({
      version,
      resources: aggregatedResources(resources),
      freshness,
    })),
  })),
})

function aggregatedResources(resources: readonly DiscoveredResource[]): JsonObject[] {
  const nested = new Map<string, JsonObject[]>()
  for (const resource of resources) {
    const slash = resource.name.indexOf('/')
    if (slash < 0) continue
    const parent = resource.name.slice(0, slash)
    const part = {
      subresource: resource.name.slice(slash + 1),
      responseKind: responseKind(resource),
      verbs: [...resource.verbs],
    }
    nested.set(parent, [...(nested.get(parent) ?? []), part])
  }
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map((resource) => {
      const { shortNames, categories } = resource
      const subresources = nested.get(resource.name)
      return {
        resource: resource.name,
        responseKind: responseKind(resource),
        scope: resource.namespaced ? 'Namespaced' : 'Cluster',
        singularResource: resource.singularName,
        verbs: [...resource.verbs],
        ...(shortNames === undefined ? {} : { shortNames: [...shortNames] }),
        ...(categories === undefined ? {} : { categories: [...categories] }),
        ...(subresources === undefined ? {} : { subresources }),
      }
    })
}

/** A kind of the resource's own group version is named without them. */
const responseKind = ({ kind, ownKindVersion, kindVersion = ownKindVersion }: DiscoveredResource): JsonObject => ({
  group: kindVersion?.group ?? '',
  version: kindVersion?.version ?? '',
  kind,
})
