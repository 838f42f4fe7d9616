/**
 * Changing owners decides what is garbage-collected: that takes the right to delete. Keeping owners from
 * being deleted must be allowed to finalize them.
 * Mirrors plugin/pkg/admission/gc: gcPermissionsEnforcement.
 */

import type { AdmissionRequest } from '../../api/admission.ts'
import { quote } from '../../api/golang/quote.ts'
import { parseGroupVersion } from '../../api/group-version.ts'
import { equalJson } from '../../api/json.ts'
import type { KubeObject, OwnerReference } from '../../api/object.ts'
import type { Cluster } from '../cluster.ts'
import { denied } from '../denied.ts'
import type { AdmissionPlugin } from '../plugin.ts'

/** The resources of a kind and whether they lie in namespaces; none when the kind is not served. */
export type ResourcesOfKind = (
  group: string,
  version: string,
  kind: string,
) => readonly { readonly resource: string; readonly namespaced: boolean }[]

const ownersOf = (object: KubeObject | undefined): readonly OwnerReference[] => object?.metadata?.ownerReferences ?? []

export function ownerReferencesPermissionEnforcement(
  cluster: Cluster,
  resourcesOfKind: ResourcesOfKind,
): AdmissionPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    // The status of a pod cannot change its owners, and old kubelets send it damaged.
    handles: ({ operation, group, resource, subresource }) =>
      (operation === 'CREATE' || operation === 'UPDATE') &&
      !(group === '' && resource === 'pods' && subresource === 'status'),
    validate(request) {
      const [owners, before] = [ownersOf(request.object), ownersOf(request.oldObject)]
      if (equalJson([...owners], [...before])) return
      return check(cluster, resourcesOfKind, request)
    },
  }
}

async function check(cluster: Cluster, resourcesOfKind: ResourcesOfKind, request: AdmissionRequest): Promise<void> {
  const { user, namespace, resource, name, subresource } = request
  const base = { user, isResourceRequest: true, path: '' } as const
  const target = {
    apiGroup: resource.group,
    apiVersion: resource.version,
    resource: resource.resource,
    subresource,
  }
  // Who makes a thing could as well not have made it.
  if (request.operation !== 'CREATE') {
    const decision = await cluster.authorize({ ...base, ...target, verb: 'delete', namespace, name })
    if (!decision.allowed) {
      throw denied(
        request,
        `cannot set an ownerRef on a resource you can't delete: ${decision.reason}, ${decision.error ?? '<nil>'}`,
      )
    }
  }
  const blocking = newlyBlocking(request)
  if (blocking.length === 0) return
  const anything = {
    apiGroup: '*',
    apiVersion: '*',
    resource: '*',
    subresource: 'finalizers',
    namespace: '',
    name: '*',
  }
  if ((await cluster.authorize({ ...base, ...anything, verb: 'update' })).allowed) return
  for (const owner of blocking) {
    const { group, version } = parseGroupVersion(owner.apiVersion) ?? { group: '', version: '' }
    const resources = resourcesOfKind(group, version, owner.kind)
    if (resources.length === 0) {
      const why = `no matches for kind ${quote(owner.kind)} in version ${quote(owner.apiVersion)}`
      throw denied(
        request,
        `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${owner.apiVersion} Kind ${owner.kind}: ${why}`,
      )
    }
    for (const { resource: owning, namespaced } of resources) {
      const finalizing = await cluster.authorize({
        ...base,
        verb: 'update',
        apiGroup: group,
        apiVersion: version,
        resource: owning,
        subresource: 'finalizers',
        namespace: namespaced ? namespace : '',
        name: owner.name,
      })
      if (finalizing.allowed) continue
      throw denied(
        request,
        `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${finalizing.reason}, ${finalizing.error ?? '<nil>'}`,
      )
    }
  }
}

function newlyBlocking({ object, oldObject }: AdmissionRequest): OwnerReference[] {
  const before = new Map(ownersOf(oldObject).map((owner) => [owner.uid, owner.blockOwnerDeletion === true]))
  return ownersOf(object).filter((owner) => owner.blockOwnerDeletion === true && before.get(owner.uid) !== true)
}
