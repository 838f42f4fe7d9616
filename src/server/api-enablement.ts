/** Which versions of which built-in resources this server serves. */
import { type CatalogResource, groups } from '../catalog/resources.ts'
import { resolveApiEnablement } from '../config/runtime-config.ts'
import type { ServerOptions } from '../config/server-options.ts'

export type IsServed = (resource: CatalogResource) => boolean

export function servedResources({ runtimeConfig, featureGates }: ServerOptions): IsServed {
  const known = groups().flatMap(({ group, versions }) =>
    versions.map(({ version, served }) => ({ group, version, servedByDefault: served })),
  )
  const enablement = resolveApiEnablement(runtimeConfig, known)
  return ({ group, version, resource, gate }) =>
    enablement.servesResource(group, version, resource) && (gate === undefined || featureGates.enabled(gate))
}
