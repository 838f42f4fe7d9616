/** What discovery shows of custom resources. */

import type { GroupVersion } from '../api/group-version.ts'
import { pushAll } from '../lib/push-all.ts'
import { compareVersions } from './custom/version-order.ts'
import type { ServedCustomResource } from './custom-resources.ts'

export interface CustomEntry {
  readonly name: string
  readonly singularName: string
  readonly namespaced: boolean
  readonly kind: string
  readonly kindVersion?: GroupVersion
  readonly ownKindVersion?: GroupVersion
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly storageVersionHash?: string
}

export interface CustomGroup {
  readonly name: string
  readonly versions: readonly {
    readonly version: string
    readonly resources: readonly CustomEntry[]
    readonly freshness: 'Current' | 'Stale'
  }[]
}

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
const partVerbs = ['get', 'patch', 'update']
const scaleVersion = { group: 'autoscaling', version: 'v1' }

/** Groups by name, their versions by preference. */
export function customGroups(served: Iterable<ServedCustomResource>): CustomGroup[] {
  const groups = new Map<string, Map<string, CustomEntry[]>>()
  for (const resource of served) {
    const versions = groups.get(resource.group) ?? new Map<string, CustomEntry[]>()
    for (const version of resource.versions) {
      if (!version.served) continue
      const entries = versions.get(version.name) ?? []
      pushAll(entries, entriesOf(resource, version))
      versions.set(version.name, entries)
    }
    if (versions.size > 0) groups.set(resource.group, versions)
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, versions]) => ({
      name,
      versions: [...versions]
        .sort(([a], [b]) => compareVersions(a, b))
        .map(([version, resources]) => ({ version, resources, freshness: 'Current' as const })),
    }))
}

function entriesOf(resource: ServedCustomResource, version: ServedCustomResource['versions'][number]): CustomEntry[] {
  const { group, names, namespaced, storageVersionHash } = resource
  const ownKindVersion = { group, version: version.name }
  const { plural, singular = '', kind, shortNames = [], categories = [] } = names
  const part = { singularName: '', namespaced, verbs: partVerbs }
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      ownKindVersion,
      verbs,
      ...(shortNames.length > 0 ? { shortNames } : {}),
      ...(categories.length > 0 ? { categories } : {}),
      storageVersionHash,
    },
    ...(version.subresources?.status === undefined
      ? []
      : [{ ...part, name: `${plural}/status`, kind, ownKindVersion }]),
    ...(version.subresources?.scale === undefined
      ? []
      : [{ ...part, name: `${plural}/scale`, kind: 'Scale', kindVersion: scaleVersion }]),
  ]
}
