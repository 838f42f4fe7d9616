/** Group, version, kind and resource: how the API names its types. */
export interface GroupVersion {
  readonly group: string
  readonly version: string
}

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string
}

export interface GroupResource {
  readonly group: string
  readonly resource: string
}

export interface GroupVersionResource extends GroupVersion {
  readonly resource: string
}

/** `v1`, `apps/v1`: the text of an `apiVersion`. */
export function formatGroupVersion({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`
}

/** Undefined when the text has more than one slash. An empty text is the empty group and version. */
export function parseGroupVersion(apiVersion: string): GroupVersion | undefined {
  const parts = apiVersion.split('/')
  if (parts.length === 1) return { group: '', version: parts[0] ?? '' }
  if (parts.length === 2) return { group: parts[0] ?? '', version: parts[1] ?? '' }
  return undefined
}

/** The package in which the reference keeps a group's own types: its messages name it. */
export function internalPackage(group: string): string {
  if (group === 'internal.apiserver.k8s.io') return 'apiserverinternal'
  // Events of both groups are one internal type.
  return group === '' || group === 'events.k8s.io' ? 'core' : (group.split('.')[0] ?? '')
}

/** `deployments.apps`, `pods`: how messages name a resource. */
export function formatGroupResource({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`
}
