/**
 * The API of a release. An earlier one has the resources of the default release together with those that were removed since, each
 * with its life. What it serves is decided from that (see `isIntroduced`); a resource that a release no longer knows
 * is not in its catalogue at all. A later one has what its own facts say.
 */
import { createHash } from 'node:crypto'
import { formatGroupVersion, type GroupVersion, parseGroupVersion } from '../api/group-version.ts'
import { defaultRelease } from '../api/release-facts.ts'
import { type TypeCatalog, typesAt } from './catalog.ts'
import { introducedOtherwise, olderKindVersions, olderLifecycle, olderPriorities } from './older/lifecycle.ts'
import {
  type ApiLifecycle,
  type CatalogGroup,
  type CatalogResource,
  type CatalogStorage,
  type CatalogVersion,
  findResource,
  groups,
  resources,
} from './resources.ts'

export { defaultRelease } from '../api/release-facts.ts'

export interface ApiCatalog {
  /** The minor number of the release. */
  readonly release: number
  readonly types: TypeCatalog
  /** In the order of discovery. */
  readonly groups: readonly CatalogGroup[]
  readonly resources: readonly CatalogResource[]
}

const catalogs = new Map<string, ApiCatalog>()

/**
 * Everything that a release knows, served or not; also what came after it, which can be asked for. What is stored is stored for servers
 * from the oldest one on that is said; that is the release before.
 */
export function catalogAt(release: number, oldest = release - 1): ApiCatalog {
  const isUsual = oldest === release - 1 || release <= defaultRelease
  const key = isUsual ? `${release}` : `${release}/${oldest}`
  const known = catalogs.get(key)
  if (known !== undefined) return known
  const made = isUsual ? makeCatalog(release) : storedFor(catalogAt(release), oldest)
  catalogs.set(key, made)
  return made
}

const makeCatalog = (release: number): ApiCatalog =>
  release >= defaultRelease
    ? { release, types: typesAt(release), groups: groups(release), resources: [...resources(release)] }
    : catalogOfEarlier(release)

/** The first version of a kind that the oldest server knows, too. Mirrors apiserver/pkg/server/storage: emulatedStorageVersion. */
function storedFor(catalog: ApiCatalog, oldest: number): ApiCatalog {
  const mains = catalog.resources.filter(({ subresource }) => subresource === '')
  const storage = ({ group, resource, kind, storage: usual }: CatalogResource): CatalogStorage | undefined => {
    if (usual === undefined || usual.pinned || usual.groupVersion.group !== group) return usual
    const known = mains.find(
      (each) =>
        each.group === group && each.resource === resource && (minorOf(each.lifecycle.introduced) ?? 0) <= oldest,
    )
    return known === undefined ? usual : { ...usual, ...storageOf(known, kind), keyPrefix: usual.keyPrefix }
  }
  return { ...catalog, resources: catalog.resources.map((each) => ({ ...each, storage: storage(each) })) }
}

/** The minor number of `1.22`; undefined stays undefined. */
export const minorOf = (release: string | undefined): number | undefined =>
  release === undefined ? undefined : Number(release.split('.')[1])

export function isIntroduced(resource: CatalogResource, release: number): boolean {
  return (minorOf(lifecycleOf(resource, release).introduced) ?? 0) <= release
}

/** The life of a resource; that of a subresource is its resource's. */
export function lifecycleOf(resource: CatalogResource, release = defaultRelease): ApiLifecycle {
  const main =
    resource.subresource === '' ? resource : (findKnownResource(resource, resource.resource, release) ?? resource)
  const introduced = introducedOtherwise[`${formatGroupVersion(main)}/${main.resource}`]
  return introduced === undefined ? main.lifecycle : { ...main.lifecycle, introduced }
}

/** A resource or subresource of a release or any earlier one. */
export function findKnownResource(
  version: GroupVersion,
  path: string,
  release = defaultRelease,
): CatalogResource | undefined {
  return isPresent(version, path, release)
    ? findResource(version, path, release)
    : olderResources().get(`${formatGroupVersion(version)}/${path}`)?.resource
}

/** What there is in a release is not looked for among the removed ones, so that these are read only when they are needed. */
const isPresent = (version: GroupVersion, path: string, release: number): boolean =>
  findResource(version, path.split('/', 1)[0] ?? '', release) !== undefined

/** All resources that were removed, of all releases. */
export function* removedResources(): Generator<CatalogResource> {
  for (const { resource } of olderResources().values()) yield resource
}

/** The version that has the objects of a removed one in a release. */
export function successorOf(resource: CatalogResource, release = defaultRelease): CatalogResource | undefined {
  if (isPresent(resource, resource.resource, release)) return undefined
  return olderResources().get(`${formatGroupVersion(resource)}/${resource.resource}`)?.successor
}

// ---- the resources that were removed -----------------------------------------------------------------------------

interface OlderResource {
  readonly resource: CatalogResource
  readonly successor: CatalogResource | undefined
  /** From this release on it cannot be had at all. */
  readonly until: number
  readonly off: boolean
}

let older: ReadonlyMap<string, OlderResource> | undefined

function olderResources(): ReadonlyMap<string, OlderResource> {
  older ??= new Map(olderLifecycle.trim().split('\n').flatMap(readLine))
  return older
}

function readLine(line: string): [string, OlderResource][] {
  const [name = '', resource = '', from = '', introduced = '', deprecated = '', removed = '', ...marks] =
    line.split(' ')
  const mark = (key: string): string | undefined =>
    marks.find((each) => each.startsWith(`${key}=`))?.slice(key.length + 1)
  const version = parseGroupVersion(name) as GroupVersion
  const successor = from === '-' ? undefined : findResource(parseGroupVersion(from) as GroupVersion, resource)
  const kind = successor?.kind ?? mark('kind') ?? ''
  const use = mark('use') ?? from
  const lifecycle = { introduced, deprecated, removed, replacement: use === '-' ? undefined : `${use}/${kind}` }
  const own = successor ?? withoutSuccessor(resource, kind, [mark('short') ?? ''])
  const main: CatalogResource = { ...own, ...version, kindVersion: version, lifecycle, served: true }
  const shared = { successor, until: minorOf(mark('until') ?? removed) ?? 0, off: marks.includes('off') }
  const parts = successor === undefined || marks.includes('alone') ? [] : [...subresourcesOf(successor)]
  const all = [main, ...parts.map((part) => olderPart(part, version)), ...actionOf(main, mark('action'))]
  return all.map((each) => {
    const path = each.subresource === '' ? each.resource : `${each.resource}/${each.subresource}`
    return [`${name}/${path}`, { resource: each, ...shared }]
  })
}

function* subresourcesOf({ group, version, resource }: CatalogResource): Generator<CatalogResource> {
  for (const each of resources()) {
    const isPart = each.resource === resource && each.subresource !== ''
    if (isPart && each.group === group && each.version === version) yield each
  }
}

const olderPart = (part: CatalogResource, version: GroupVersion): CatalogResource => {
  const isOwnKind = part.kindVersion.group === part.group && part.kindVersion.version === part.version
  // The old versions of workloads have a Scale of their own.
  return {
    ...part,
    ...version,
    served: true,
    kindVersion: isOwnKind || part.kind === 'Scale' ? version : part.kindVersion,
  }
}

/** `rollback:DeploymentRollback`. */
function actionOf(main: CatalogResource, mark: string | undefined): CatalogResource[] {
  if (mark === undefined) return []
  const [subresource = '', kind = ''] = mark.split(':')
  return [{ ...main, subresource, kind, verbs: ['create'], shortNames: [], categories: [], singular: '' }]
}

function withoutSuccessor(resource: string, kind: string, shortNames: readonly string[]): CatalogResource {
  const groupVersion = { group: 'policy', version: 'v1beta1' }
  return {
    ...groupVersion,
    resource,
    subresource: '',
    kind,
    kindVersion: groupVersion,
    namespaced: false,
    singular: kind.toLowerCase(),
    shortNames,
    categories: [],
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    served: true,
    gate: undefined,
    storage: storageOf(groupVersion, kind),
    lifecycle: { introduced: undefined, deprecated: undefined, removed: undefined, replacement: undefined },
    createOnUpdate: false,
    unconditionalUpdate: true,
    resetFields: {},
    garbageCollection: 'Background',
    fieldSelectors: ['metadata.name', 'metadata.namespace'],
    fieldSelectorAliases: {},
  }
}

function storageOf(groupVersion: GroupVersion, kind: string): CatalogStorage {
  const digest = createHash('sha256')
    .update(`${formatGroupVersion(groupVersion)}/${kind}`)
    .digest()
  return {
    groupVersion: { group: groupVersion.group, version: groupVersion.version },
    keyPrefix: `/registry/${kind.toLowerCase()}`,
    hash: digest.subarray(0, 8).toString('base64'),
    pinned: false,
  }
}

// ---- an earlier release ------------------------------------------------------------------------------------------

function catalogOfEarlier(release: number): ApiCatalog {
  const removed = [...olderResources().values()].filter(({ until }) => release < until)
  const known = [
    ...[...resources()].map((each) => withKindOf(each, release)),
    ...removed.map(({ resource, off }) => ({ ...resource, served: !off && isServedStill(resource, release) })),
  ]
  const byVersion = new Map<string, CatalogResource[]>()
  for (const each of known) {
    const name = formatGroupVersion(each)
    const list = byVersion.get(name)
    if (list === undefined) byVersion.set(name, [each])
    else list.push(each)
  }
  const sorted = [...groupsOf(byVersion, release)]
  const inOrder = sorted.flatMap(({ group, versions }) =>
    versions.flatMap(({ version }) => (byVersion.get(formatGroupVersion({ group, version })) ?? []).sort(byPath)),
  )
  return { release, types: typesAt(release), groups: sorted, resources: inOrder }
}

function withKindOf(resource: CatalogResource, release: number): CatalogResource {
  const older = olderKindVersions[`${formatGroupVersion(resource)}/${resource.resource}/${resource.subresource}`]
  if (older === undefined || release >= older[1]) return resource
  return { ...resource, kindVersion: parseGroupVersion(older[0]) ?? resource.kindVersion }
}

const isServedStill = (resource: CatalogResource, release: number): boolean =>
  release < (minorOf(lifecycleOf(resource).removed) ?? Number.POSITIVE_INFINITY)

const byPath = (a: CatalogResource, b: CatalogResource): number =>
  compareText(a.resource, b.resource) || compareText(a.subresource, b.subresource)

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function* groupsOf(byVersion: ReadonlyMap<string, unknown>, release: number): Generator<CatalogGroup> {
  const [core, registration, ...others] = groups()
  const extra = [...byVersion.keys()].map((name) => parseGroupVersion(name) as GroupVersion)
  const names = new Set([...others.map(({ group }) => group), ...extra.map(({ group }) => group)])
  names.delete('')
  names.delete(registration?.group ?? '')
  const groupList = [...names].map((name) => groupOf(name, extra))
  groupList.sort((a, b) => groupPriority(b, release) - groupPriority(a, release))
  if (core !== undefined) yield core
  if (registration !== undefined) yield groupOf(registration.group, extra)
  yield* groupList
}

/** Once Ingress was the only kind left in `extensions`, the group moved behind the one that Ingress had moved to. */
const groupPriority = ({ group, versions }: CatalogGroup, release: number): number =>
  group === 'extensions' && release >= 20 ? 17150 : (versions[0]?.priority?.[0] ?? 0)

function groupOf(group: string, known: readonly GroupVersion[]): CatalogGroup {
  const present = groups().find((each) => each.group === group)
  const versions = known.filter((each) => each.group === group).map(({ version }) => versionOf(group, version, present))
  // Equal priorities stay in the order of today.
  versions.sort((a, b) => (b.priority?.[1] ?? newest) - (a.priority?.[1] ?? newest))
  return { group, preferred: versions[0]?.version ?? '', versions }
}

const newest = 100

function versionOf(group: string, version: string, present: CatalogGroup | undefined): CatalogVersion {
  const today = present?.versions.find((each) => each.version === version)
  const priority = today?.priority ?? olderPriorities[formatGroupVersion({ group, version })]
  return { version, served: today?.served ?? false, ...(priority === undefined ? {} : { priority }) }
}
