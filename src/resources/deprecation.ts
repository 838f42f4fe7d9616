/** Deprecation warnings of versions. */
import { formatGroupVersion } from '../api/group-version.ts'
import { lifecycleOf, minorOf } from '../catalog/releases.ts'
import type { CatalogResource } from '../catalog/resources.ts'
import type { Deprecation } from '../registry/resource-definition.ts'

/** Undefined as long as the release of that minor number does not think of it as deprecated. */
export function deprecationOf(resource: CatalogResource, release: number): Deprecation | undefined {
  const { deprecated, removed, replacement } = lifecycleOf(resource, release)
  if (deprecated === undefined || (minorOf(deprecated) ?? 0) > release) return undefined
  const gone = removed === undefined ? '' : `, unavailable in v${removed}+`
  const instead =
    replacement === undefined
      ? ''
      : `; use ${replacement.slice(0, replacement.lastIndexOf('/'))} ${replacement.slice(replacement.lastIndexOf('/') + 1)}`
  const warning = `${formatGroupVersion(resource)} ${resource.kind} is deprecated in v${deprecated}+${gone}${instead}`
  return { warning, ...(removed === undefined ? {} : { removedRelease: removed }) }
}
