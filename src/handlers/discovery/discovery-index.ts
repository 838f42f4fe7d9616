/**
 * What discovery shows: groups, their versions and resources. The built-in part never changes; custom and aggregated
 * groups come and go, and every change makes new documents.
 */
import { formatGroupVersion, type GroupVersion } from '../../api/group-version.ts'
import type { JsonObject } from '../../api/json.ts'
import { catalogAt, defaultRelease } from '../../catalog/releases.ts'
import type { CatalogResource } from '../../catalog/resources.ts'

export interface DiscoveredResource {
  /** `pods`, `pods/status`. */
  readonly name: string
  readonly singularName: string
  readonly namespaced: boolean
  readonly kind: string
  /** Where the kind is not of the resource's own group version. */
  readonly kindVersion?: GroupVersion
  /** The group version of the kind, where aggregated discovery spells it out even if it is the resource's own. */
  readonly ownKindVersion?: GroupVersion
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly storageVersionHash?: string
}

export interface DiscoveredVersion {
  readonly version: string
  readonly resources: readonly DiscoveredResource[]
  /** `Stale` when a server that stands behind an aggregated version does not answer. */
  readonly freshness: 'Current' | 'Stale'
  /** Where another server serves it: what that says of it, if anything. */
  readonly elsewhere?: { readonly openApi: RemoteOpenApi | undefined }
}

/** The OpenAPI documents of a version that another server serves. */
export interface RemoteOpenApi {
  /** Of version 3. */
  readonly hash: string
  readonly versionThree: Buffer
  /** Of the group as a whole, where the server has such a document. */
  readonly ofGroup?: { readonly hash: string; readonly versionThree: Buffer } | undefined
  /** The part of the document of version 2 that is about this version; undefined when there is none. */
  readonly versionTwo:
    | { readonly paths: JsonObject; readonly definitions: JsonObject; readonly parameters: JsonObject }
    | undefined
}

export interface DiscoveredGroup {
  readonly name: string
  /** The preferred one first. */
  readonly versions: readonly DiscoveredVersion[]
}

/** Minor numbers. */
export interface DiscoveredReleases {
  /** The release that is emulated. */
  readonly release?: number
  /** That of the oldest server that must read what is stored. */
  readonly oldest?: number
}

export class DiscoveryIndex {
  readonly #builtIn: readonly DiscoveredGroup[]
  #custom: readonly DiscoveredGroup[] = []
  #makeCustom: (() => readonly DiscoveredGroup[]) | undefined
  #revision = 0

  constructor(isServed: (resource: CatalogResource) => boolean, releases: DiscoveredReleases = {}) {
    this.#builtIn = builtInGroups(isServed, releases)
  }

  /** Changes whenever the documents do. */
  get revision(): number {
    return this.#revision
  }

  /** In the order in which discovery lists them: built-in groups, then the others by name. */
  groups(): readonly DiscoveredGroup[] {
    if (this.#makeCustom !== undefined) {
      this.#custom = this.#makeCustom()
      this.#makeCustom = undefined
    }
    return [...this.#builtIn, ...this.#custom]
  }

  find(name: string): DiscoveredGroup | undefined {
    return this.groups().find((group) => group.name === name)
  }

  isBuiltIn(name: string): boolean {
    return this.#builtIn.some((group) => group.name === name)
  }

  /** Replaces everything that is not built in; the new groups are made lazily, on request. */
  setCustom(custom: readonly DiscoveredGroup[] | (() => readonly DiscoveredGroup[])): void {
    this.#makeCustom = typeof custom === 'function' ? custom : () => custom
    this.#revision++
  }
}

function builtInGroups(
  isServed: (resource: CatalogResource) => boolean,
  { release = defaultRelease, oldest }: DiscoveredReleases,
): DiscoveredGroup[] {
  const { groups, resources } = catalogAt(release, oldest)
  const byVersion = new Map<string, DiscoveredResource[]>()
  for (const resource of resources) {
    if (!isServed(resource)) continue
    const key = formatGroupVersion(resource)
    byVersion.set(key, [...(byVersion.get(key) ?? []), discovered(resource)])
  }
  return groups.flatMap(({ group, versions }) => {
    const served = versions.flatMap(({ version }) => {
      const found = byVersion.get(formatGroupVersion({ group, version }))
      return found === undefined ? [] : [{ version, resources: found, freshness: 'Current' } as const]
    })
    return served.length === 0 ? [] : [{ name: group, versions: served }]
  })
}

function discovered(resource: CatalogResource): DiscoveredResource {
  const { kindVersion, shortNames, categories, storage } = resource
  const foreign = kindVersion.group !== resource.group || kindVersion.version !== resource.version
  return {
    name: resource.subresource === '' ? resource.resource : `${resource.resource}/${resource.subresource}`,
    singularName: resource.subresource === '' ? resource.singular : '',
    namespaced: resource.namespaced,
    kind: resource.kind,
    ...(foreign ? { kindVersion } : {}),
    verbs: resource.verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(storage === undefined || resource.subresource !== '' ? {} : { storageVersionHash: storage.hash }),
  }
}
