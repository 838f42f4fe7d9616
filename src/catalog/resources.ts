/**
 * The built-in resources and API groups as facts: what the reference serves, how it stores it and how it treats it.
 * Read on first use.
 */
import { formatGroupVersion, type GroupVersion, parseGroupVersion } from '../api/group-version.ts'
import { defaultRelease, factText, isLaterRelease } from '../api/release-facts.ts'
import { fieldSelectorsJson } from './data/field-selectors.ts'
import { groupsJson, resourcesJson } from './data/resources.ts'

export interface CatalogGroup {
  readonly group: string
  readonly preferred: string
  /** The preferred one first, as discovery lists them. */
  readonly versions: readonly CatalogVersion[]
}

export interface CatalogVersion {
  readonly version: string
  /** Served with default flags. */
  readonly served: boolean
  /** `groupPriorityMinimum` and `versionPriority` of its APIService. */
  readonly priority?: readonly [number, number]
}

/** One resource or subresource of one group version. */
export interface CatalogResource extends GroupVersion {
  readonly resource: string
  /** Empty for the resource itself. */
  readonly subresource: string
  readonly kind: string
  /** The group version of `kind`: the resource's own, except for subresources such as `scale`. */
  readonly kindVersion: GroupVersion
  readonly namespaced: boolean
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly verbs: readonly string[]
  /** Served with default flags. */
  readonly served: boolean
  /** The feature gate that it needs besides being enabled. */
  readonly gate: string | undefined
  /** Undefined for what is not stored: reviews, bindings, subresources. */
  readonly storage: CatalogStorage | undefined
  readonly lifecycle: ApiLifecycle
  /** PUT to a missing name creates. */
  readonly createOnUpdate: boolean
  /** PUT without a resourceVersion is accepted. */
  readonly unconditionalUpdate: boolean
  /** Fields that a write to an endpoint (`main`, `status`, …) ignores, by endpoint. */
  readonly resetFields: Readonly<Record<string, readonly string[]>>
  /** What deletion does with dependents when the request does not say. */
  readonly garbageCollection: 'Background' | 'Orphan' | 'Unsupported'
  /** Labels that a field selector may name. */
  readonly fieldSelectors: readonly string[]
  /** The label that an accepted one stands for, where they differ. */
  readonly fieldSelectorAliases: Readonly<Record<string, string>>
}

export interface CatalogStorage {
  readonly groupVersion: GroupVersion
  /** `/registry/pods`; namespace and name follow. */
  readonly keyPrefix: string
  readonly hash: string
  /** Stored in this version whatever other servers know. */
  readonly pinned: boolean
}

/** Releases such as `1.19`. */
export interface ApiLifecycle {
  readonly introduced: string | undefined
  readonly deprecated: string | undefined
  readonly removed: string | undefined
  /** `discovery.k8s.io/v1/EndpointSlice`. */
  readonly replacement: string | undefined
}

interface ResourceRow extends GroupVersion {
  resource: string
  subresource?: string
  kind: string
  kindVersion?: string
  namespaced?: boolean
  singular?: string
  shortNames?: string[]
  categories?: string[]
  verbs?: string[]
  served?: boolean
  gate?: string
  storedAs?: string
  pinned?: boolean
  hash?: string
  keyPrefix?: string
  introduced?: string
  deprecated?: string
  removed?: string
  replacement?: string
  createOnUpdate?: boolean
  conditionalUpdate?: boolean
  resetFields?: Record<string, string[]>
  gc?: 'Orphan' | 'Unsupported'
}

interface SelectorRow extends GroupVersion {
  resource: string
  labels: string[]
  alias?: Record<string, string>
}

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
const plainSelectors = ['metadata.name', 'metadata.namespace']

/** The groups and resources of one release, as its facts have them. */
interface ResourceTable {
  readonly groups: readonly CatalogGroup[]
  readonly resources: ReadonlyMap<string, CatalogResource>
}

let defaultTable: ResourceTable | undefined
const laterTables = new Map<number, ResourceTable>()

function tableAt(release: number): ResourceTable {
  if (!isLaterRelease(release)) {
    defaultTable ??= readTable(release)
    return defaultTable
  }
  const known = laterTables.get(release)
  if (known !== undefined) return known
  const table = readTable(release)
  laterTables.set(release, table)
  return table
}

/** All groups in the order in which discovery lists them. Releases before the default one have its facts. */
export const groups = (release = defaultRelease): readonly CatalogGroup[] => tableAt(release).groups

/** All resources and subresources, group by group, version by version, in alphabetical order within. */
export const resources = (release = defaultRelease): Iterable<CatalogResource> => tableAt(release).resources.values()

/** `resource` may name a subresource: `pods/status`. */
export function findResource(
  { group, version }: GroupVersion,
  resource: string,
  release = defaultRelease,
): CatalogResource | undefined {
  return tableAt(release).resources.get(resourceKey({ group, version }, resource))
}

const resourceKey = (version: GroupVersion, resource: string): string => `${formatGroupVersion(version)}/${resource}`

function readTable(release: number): ResourceTable {
  const read = <T>(name: string, base: string): T => JSON.parse(factText(release, name, base)) as T
  const selectors = new Map<string, SelectorRow>()
  for (const row of read<SelectorRow[]>('field-selectors.json', fieldSelectorsJson)) {
    selectors.set(resourceKey(row, row.resource), row)
  }
  const map = new Map<string, CatalogResource>()
  for (const row of read<ResourceRow[]>('resources.json', resourcesJson)) {
    const path = row.subresource === undefined ? row.resource : `${row.resource}/${row.subresource}`
    map.set(resourceKey(row, path), toResource(row, selectors.get(resourceKey(row, row.resource))))
  }
  return { groups: read<CatalogGroup[]>('groups.json', groupsJson), resources: map }
}

function toResource(row: ResourceRow, selectors: SelectorRow | undefined): CatalogResource {
  const { group, version } = row
  return {
    group,
    version,
    resource: row.resource,
    subresource: row.subresource ?? '',
    kind: row.kind,
    kindVersion: row.kindVersion === undefined ? { group, version } : groupVersion(row.kindVersion),
    namespaced: row.namespaced ?? false,
    singular: row.singular ?? (row.subresource === undefined ? row.kind.toLowerCase() : ''),
    shortNames: row.shortNames ?? [],
    categories: row.categories ?? [],
    verbs: row.verbs ?? allVerbs,
    served: row.served ?? true,
    gate: row.gate,
    storage: toStorage(row),
    lifecycle: {
      introduced: row.introduced,
      deprecated: row.deprecated,
      removed: row.removed,
      replacement: row.replacement,
    },
    createOnUpdate: row.createOnUpdate ?? false,
    unconditionalUpdate: row.conditionalUpdate !== true,
    resetFields: row.resetFields ?? {},
    garbageCollection: row.gc ?? 'Background',
    fieldSelectors: selectors?.labels ?? plainSelectors,
    fieldSelectorAliases: selectors?.alias ?? {},
  }
}

function toStorage({ storedAs, keyPrefix, hash, pinned = false }: ResourceRow): CatalogStorage | undefined {
  if (storedAs === undefined || keyPrefix === undefined || hash === undefined) return undefined
  return { groupVersion: groupVersion(storedAs), keyPrefix, hash, pinned }
}

function groupVersion(text: string): GroupVersion {
  const parsed = parseGroupVersion(text)
  if (parsed === undefined) throw new Error(`the catalogue has the group version ${text}`)
  return parsed
}
