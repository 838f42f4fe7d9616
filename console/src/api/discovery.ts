// What the server has: every resource of every group, from aggregated discovery.
import { signal } from '@preact/signals'
import { get } from './http.ts'

export interface Kind {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly kind: string
  readonly singular: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly subresources: readonly string[]
  /** Whether its version is the one that the group prefers. */
  readonly preferred: boolean
}

interface DiscoveredResource {
  readonly resource: string
  readonly responseKind?: { readonly group?: string; readonly version?: string; readonly kind: string }
  readonly scope: string
  readonly singularResource?: string
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly subresources?: readonly { readonly subresource: string }[]
}

interface GroupDiscoveryList {
  readonly items: readonly {
    readonly metadata: { readonly name?: string }
    readonly versions?: readonly { readonly version: string; readonly resources?: readonly DiscoveredResource[] }[]
  }[]
}

/** All kinds, preferred versions first within a group. */
export const kinds = signal<readonly Kind[]>([])

const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json'

export async function loadKinds(): Promise<void> {
  const [core, groups] = await Promise.all([
    get<GroupDiscoveryList>('/api', { accept }),
    get<GroupDiscoveryList>('/apis', { accept }),
  ])
  kinds.value = [...kindsOf(core), ...kindsOf(groups)]
}

export function kindsOf(list: GroupDiscoveryList): Kind[] {
  return (list.items ?? []).flatMap(({ metadata, versions = [] }) => {
    const seen = new Set<string>()
    return versions.flatMap(({ version, resources = [] }) =>
      resources.map((found) => {
        const preferred = !seen.has(found.resource)
        seen.add(found.resource)
        return toKind(found, { group: metadata.name ?? '', version, preferred })
      }),
    )
  })
}

function toKind(found: DiscoveredResource, at: { group: string; version: string; preferred: boolean }): Kind {
  return {
    ...at,
    resource: found.resource,
    kind: found.responseKind?.kind ?? found.resource,
    singular: found.singularResource ?? '',
    namespaced: found.scope === 'Namespaced',
    verbs: found.verbs,
    shortNames: found.shortNames ?? [],
    categories: found.categories ?? [],
    subresources: (found.subresources ?? []).map(({ subresource }) => subresource),
  }
}

export const findKind = (group: string, version: string, resource: string): Kind | undefined =>
  kinds.value.find((kind) => kind.group === group && kind.version === version && kind.resource === resource)

/** The kind that an object or a reference names; another version of the group, if its own is not served. */
export function kindOf(apiVersion: string, kind: string): Kind | undefined {
  const [group, version] = splitApiVersion(apiVersion)
  const named = kinds.value.filter((each) => each.group === group && each.kind === kind)
  return named.find((each) => each.version === version) ?? named.find((each) => each.preferred) ?? named[0]
}

export function preferredKind(group: string, resource: string): Kind | undefined {
  return kinds.value.find((kind) => kind.group === group && kind.resource === resource && kind.preferred)
}

function splitApiVersion(apiVersion: string): [string, string] {
  const at = apiVersion.indexOf('/')
  return at < 0 ? ['', apiVersion] : [apiVersion.slice(0, at), apiVersion.slice(at + 1)]
}

export const apiVersionOf = ({ group, version }: Pick<Kind, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`

export const canList = (kind: Kind): boolean => kind.verbs.includes('list')

/** The path of a collection, of an object, or of a subresource. */
export function pathOf(kind: Kind, at: { namespace?: string; name?: string; subresource?: string } = {}): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  const scope = kind.namespaced && at.namespace ? `/namespaces/${encodeURIComponent(at.namespace)}` : ''
  const name = at.name === undefined ? '' : `/${encodeURIComponent(at.name)}`
  return `${root}${scope}/${kind.resource}${name}${at.subresource === undefined ? '' : `/${at.subresource}`}`
}
