/** Subresources that are proxied: to a kubelet, a pod, a service. */

import { findKnownResource } from '../catalog/releases.ts'
import type { CatalogResource } from '../catalog/resources.ts'
import type { ConnectSubresource } from '../registry/subresource.ts'

/** Proxied subresources, with the methods that their verbs stand for. */
const connectNames = ['attach', 'exec', 'log', 'portforward', 'proxy']
const methodsOfVerbs: Readonly<Record<string, readonly string[]>> = {
  get: ['GET'],
  create: ['POST'],
  update: ['PUT'],
  patch: ['PATCH'],
  delete: ['DELETE'],
}

export function connections(
  [main]: readonly CatalogResource[],
  release: number | undefined,
): [string, ConnectSubresource][] {
  if (main === undefined) return []
  return connectNames.flatMap((name) => {
    const resource = findKnownResource(main, `${main.resource}/${name}`, release)
    if (resource === undefined) return []
    const methods = new Set(resource.verbs.flatMap((verb) => methodsOfVerbs[verb] ?? []))
    if (name === 'proxy') for (const method of ['HEAD', 'OPTIONS']) methods.add(method)
    return [[name, { type: 'connect', methods, options: { ...resource.kindVersion, kind: resource.kind } }]]
  })
}
