/** A resource in one of its served versions: what a path leads to. */

import type { Admission } from '../api/admission.ts'
import type { GroupResource } from '../api/group-version.ts'
import type { RequestContext } from '../api/request-context.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Registry } from './registry.ts'
import type { ResourceVersion } from './resource-definition.ts'
import type { ActionSubresource, ConnectSubresource } from './subresource.ts'

export interface ServedResource {
  readonly registry: Registry
  readonly version: ResourceVersion
}

/** A resource that is an answer rather than an object: reviews, bindings. */
export interface ServedAction {
  readonly definition: GroupResource & { readonly namespaced: boolean }
  readonly action: ActionSubresource
  readonly admission: Admission
}

/** What is served now, by group version and resource name. Changes when custom definitions come and go. */
export interface ResourceTable {
  /** Changes whenever what is served does. */
  readonly revision: number
  find(group: string, version: string, resource: string): ServedResource | undefined
  findAction(group: string, version: string, resource: string): ServedAction | undefined
  hasGroup(group: string): boolean
}

/** Passes a request on to a kubelet, a pod or a service. */
export type ConnectHandler = (
  context: RequestContext,
  target: ServedResource,
  subresource: ConnectSubresource,
) => Awaitable<void>
