/**
 * The parts of OpenAPI documents: paths and definitions of one group version, in either version of the format. Parts
 * are plain data; documents put them together.
 */
import type { GroupVersion, GroupVersionKind } from '../../api/group-version.ts'
import type { JsonObject } from '../../api/json.ts'
import { hasChange } from '../../api/release-changes.ts'
import type { ApiCatalog } from '../../catalog/releases.ts'
import { resources } from '../../catalog/resources.ts'
import { type MediaType, mediaTypeNames } from '../../codec/negotiation.ts'
import { memoize } from '../../lib/memo.ts'
import type { ResourceVersion } from '../../registry/resource-definition.ts'
import type { DiscoveredGroup, DiscoveredResource } from '../discovery/discovery-index.ts'
import { defineCustom } from './custom-definitions.ts'
import { customPaths } from './custom-paths.ts'
import { operationGroup } from './definition-names.ts'
import {
  groupVersionPath,
  kindOfResource,
  type OpenApiOperation,
  operationTag,
  type PathItem,
  versionPaths,
} from './operations.ts'
import { clientSchemeVersions, schemeVersions } from './scheme-versions.ts'
import { type Dialect, TypeDefinitions } from './type-definitions.ts'
import { VersionThreePaths } from './version-three-paths.ts'
import { VersionTwoPaths } from './version-two-paths.ts'

/** A custom kind of a group version, as the definition has it. */
export interface DocumentedKind {
  readonly version: ResourceVersion
  readonly listKind: string
}

/** One group version as a document shows it. */
export interface OpenApiVersion extends GroupVersion {
  readonly resources: readonly DiscoveredResource[]
  /** The custom kinds by resource name; a resource that is not among them is built in. */
  readonly custom: ReadonlyMap<string, DocumentedKind>
  /** The resources of which a delete answers with the object. */
  readonly returning: ReadonlySet<string>
}

export interface DocumentPart {
  readonly paths: JsonObject
  readonly definitions: ReadonlyMap<string, JsonObject>
  /** Shared parameters, in version 2. */
  readonly parameters: ReadonlyMap<string, JsonObject>
}

export interface PartSettings {
  readonly mediaTypes: readonly MediaType[]
  /** The built-in group versions that are served. */
  readonly groupVersions: readonly GroupVersion[]
  /** Whether the values that a field may have are listed: `OpenAPIEnums`. */
  readonly enums: boolean
  readonly catalog: ApiCatalog
}

/** How content is named by what it is: the types of a resource, or a built-in type. */
export interface ContentNames {
  readonly kind: JsonObject
  readonly list: JsonObject
}

/** What turns operations into the paths of a document. */
export interface PathWriter {
  add(item: PathItem, names: ContentNames, produced: ProducedTypes): void
  finish(): Pick<DocumentPart, 'paths' | 'parameters'>
}

export interface ProducedTypes {
  readonly bodies: readonly string[]
  readonly answers: readonly string[]
  readonly streams: readonly string[]
  readonly patches: readonly string[]
}

/** The paths and definitions of some group versions. */
export function versionsPart(
  dialect: Dialect,
  versions: readonly OpenApiVersion[],
  settings: PartSettings,
): DocumentPart {
  const definitions = new TypeDefinitions(dialect, kindsOf(versions, settings.catalog, dialect), settings)
  const writer: PathWriter = dialect === 'v2' ? new VersionTwoPaths(definitions) : new VersionThreePaths(definitions)
  for (const version of versions) {
    const produced = producedTypes(settings.mediaTypes, isCustomVersion(version))
    if (!isCustomVersion(version))
      writer.add(resourceListPath(version), noNames, { ...produced, bodies: produced.answers })
    for (const { resource, paths } of versionPaths(version, version, settings.catalog.types)) {
      const custom = version.custom.get(resource.name.split('/')[0] ?? '')
      const names = contentNames(definitions, dialect, { version, resource, custom })
      const shown = custom === undefined ? paths : customPaths(paths, kindOf(custom))
      for (const item of shown) writer.add(item, names, produced)
    }
  }
  return { ...writer.finish(), definitions: definitions.finish() }
}

const noNames: ContentNames = { kind: {}, list: {} }

/** A group version is built in or custom as a whole. */
export const isCustomVersion = ({ custom }: OpenApiVersion): boolean => custom.size > 0

const kindOf = ({ version: { group, version, kind } }: DocumentedKind): GroupVersionKind => ({ group, version, kind })

interface NamedContent {
  readonly version: OpenApiVersion
  readonly resource: DiscoveredResource
  readonly custom: DocumentedKind | undefined
}

function contentNames(definitions: TypeDefinitions, dialect: Dialect, content: NamedContent): ContentNames {
  const { version, resource, custom } = content
  const gvk = kindOfResource(version, resource)
  if (custom !== undefined && resource.kind === custom.version.kind) {
    const { name, listName } = defineCustom(definitions, dialect, custom.version, custom.listKind)
    return { kind: definitions.referenceTo(name), list: definitions.referenceTo(listName) }
  }
  return {
    kind: kindReference(definitions, gvk),
    list: kindReference(definitions, { ...gvk, kind: `${gvk.kind}List` }),
  }
}

/** A kind that has no type (there is none without a resource of its own) is any object. */
function kindReference(definitions: TypeDefinitions, kind: GroupVersionKind): JsonObject {
  // Proxied paths are described by their parameters alone.
  if (/Options(List)?$/.test(kind.kind)) return {}
  const name = definitions.nameOf(kind)
  return name === undefined ? { type: 'object' } : definitions.reference(name)
}

function producedTypes(mediaTypes: readonly MediaType[], isCustom: boolean): ProducedTypes {
  const usable = mediaTypes.filter(({ encoding }) => !isCustom || encoding !== 'protobuf')
  const withCbor = usable.some(({ encoding }) => encoding === 'cbor')
  return {
    bodies: isCustom ? mediaTypeNames(usable) : ['*/*'],
    answers: mediaTypeNames(usable),
    streams: isCustom ? [] : usable.flatMap(({ streamName }) => streamName ?? []),
    patches: [
      'application/json-patch+json',
      'application/merge-patch+json',
      ...(isCustom ? [] : ['application/strategic-merge-patch+json']),
      'application/apply-patch+yaml',
      ...(withCbor ? ['application/apply-patch+cbor'] : []),
    ],
  }
}

/** Kinds of the catalogue, which other kinds may hold: a claim is part of a stateful set. */
const catalogKinds = memoize(
  'openapi-catalog-kinds',
  ({ release, types }: ApiCatalog): ReadonlyMap<string, GroupVersionKind[]> => {
    const kinds = new Map<string, GroupVersionKind[]>()
    for (const { group, version, kind, subresource } of resources(release)) {
      const name = subresource === '' ? types.schemaForKind({ group, version, kind })?.name : undefined
      if (name !== undefined) kinds.set(name, [{ group, version, kind }])
    }
    return kinds
  },
)

/** Which types are kinds, and of which group versions. */
function kindsOf(
  versions: readonly OpenApiVersion[],
  catalog: ApiCatalog,
  dialect: Dialect,
): ReadonlyMap<string, readonly GroupVersionKind[]> {
  const known = sharedVersions(versions, catalog.release, dialect)
  const kinds = new Map<string, GroupVersionKind[]>(catalogKinds(catalog))
  for (const kind of ['Status', 'APIVersions', 'APIGroupList', 'APIGroup', 'APIResourceList']) {
    kinds.set(`meta.v1.${kind}`, [{ group: '', version: 'v1', kind }])
  }
  for (const kind of ['DeleteOptions', 'WatchEvent']) {
    kinds.set(
      `meta.v1.${kind}`,
      known.map(({ group, version }) => ({ group, version, kind })),
    )
  }
  for (const version of versions) {
    for (const resource of version.resources) {
      const own = kindOfResource(version, resource)
      for (const kind of [own.kind, `${own.kind}List`]) {
        const schema = catalog.types.schemaForKind({ ...own, kind })
        if (schema?.name !== undefined && !kinds.has(schema.name)) kinds.set(schema.name, [{ ...own, kind }])
      }
    }
  }
  return kinds
}

/** The group versions that shared types say to be of. */
function sharedVersions(versions: readonly OpenApiVersion[], release: number, dialect: Dialect): GroupVersion[] {
  if (versions.some(isCustomVersion)) return clientSchemeVersions(release)
  const known = schemeVersions(release)
  if (dialect === 'v2' || !hasChange(release, 'ownSharedKinds')) return known
  const isOwn = (each: GroupVersion) =>
    each.group === '' || versions.some(({ group, version }) => group === each.group && version === each.version)
  return known.filter(isOwn)
}

const plainGet = (id: string, tag: string, type: string, description: string): OpenApiOperation => ({
  method: 'get',
  id,
  tag,
  description,
  parameters: [],
  answer: { type },
  statuses: [200],
})

function resourceListPath(version: GroupVersion): PathItem {
  const { group } = version
  const id = `get${operationGroup(group)}${version.version.replace(/^v/, 'V')}APIResources`
  const tag = operationTag(group, version.version)
  return {
    path: `${groupVersionPath(version)}/`,
    parameters: [],
    operations: [plainGet(id, tag, 'meta.v1.APIResourceList', 'The resources of the group version.')],
  }
}

/** What is served outside of group versions, by its key in the index of version 3. */
export function otherPaths(groups: readonly DiscoveredGroup[]): ReadonlyMap<string, PathItem> {
  const item = (path: string, operation: OpenApiOperation): PathItem => ({
    path,
    parameters: [],
    operations: [operation],
  })
  const found = new Map<string, PathItem>([
    [
      '.well-known/openid-configuration',
      item('/.well-known/openid-configuration/', openIdOperation('IssuerOpenIDConfiguration', 'WellKnown', 'json')),
    ],
    [
      'api',
      item('/api/', plainGet('getCoreAPIVersions', 'core', 'meta.v1.APIVersions', 'The versions of the core group.')),
    ],
    ['apis', item('/apis/', plainGet('getAPIVersions', 'apis', 'meta.v1.APIGroupList', 'The groups.'))],
    ['openid/v1/jwks', item('/openid/v1/jwks/', openIdOperation('IssuerOpenIDKeyset', 'openid', 'jwk-set+json'))],
    [
      'version',
      item('/version/', plainGet('getCodeVersion', 'version', 'machinery.version.Info', 'The version of the server.')),
    ],
  ])
  for (const { name } of groups) {
    if (name === '') continue
    const operation = plainGet(
      `get${operationGroup(name)}APIGroup`,
      operationTag(name),
      'meta.v1.APIGroup',
      'The versions of the group.',
    )
    found.set(`apis/${name}`, item(`/apis/${name}/`, operation))
  }
  return found
}

const openIdOperation = (what: string, tag: string, form: string): OpenApiOperation => ({
  method: 'get',
  id: `getServiceAccount${what}`,
  tag,
  description: 'What others need to check tokens of service accounts.',
  parameters: [],
  answer: { of: 'text', types: [`application/${form}`] },
  takesNothing: true,
  statuses: [200],
})

/** Paths outside of group versions as a part. */
export function otherPart(dialect: Dialect, items: Iterable<PathItem>, settings: PartSettings): DocumentPart {
  const definitions = new TypeDefinitions(dialect, kindsOf([], settings.catalog, dialect), settings)
  const writer: PathWriter = dialect === 'v2' ? new VersionTwoPaths(definitions) : new VersionThreePaths(definitions)
  // CBOR is not said to be served outside of group versions.
  const withoutCbor = settings.mediaTypes.filter(({ encoding }) => encoding !== 'cbor')
  for (const item of items) {
    const json = item.path.startsWith('/version')
      ? { bodies: ['application/json'], answers: ['application/json'], streams: [], patches: [] }
      : undefined
    const produced = producedTypes(withoutCbor, false)
    writer.add(item, noNames, json ?? { ...produced, bodies: produced.answers })
  }
  return { ...writer.finish(), definitions: definitions.finish() }
}
