/** The roles and bindings of RBAC that a server has from its first start, reconciled at each start. */
import { equalJson } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ReleaseGates } from '../../api/release-facts.ts'
import { bootstrapPolicy, type Gate, primingSource, reconciledPolicy } from '../../auth/rbac/bootstrap-policy.ts'
import type { WantedObject } from './ensure-objects.ts'

export function bootstrapRoles(gate: Gate, later?: ReleaseGates): WantedObject[] {
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = bootstrapPolicy(gate, later)
  const group = 'rbac.authorization.k8s.io'
  const wanted = (resource: string, objects: readonly KubeObject[]): WantedObject[] =>
    objects.map((object) => {
      const derive = primingSource(object)
      const rules = { reconcile: reconciledPolicy, mustReplace: hasOtherRole }
      return { group, resource, object, ...rules, ...(derive === undefined ? {} : { derive }) }
    })
  return [
    ...wanted('clusterroles', clusterRoles),
    ...wanted('clusterrolebindings', clusterRoleBindings),
    ...wanted('roles', roles),
    ...wanted('rolebindings', roleBindings),
  ]
}

/** The role of a binding never changes; one that opted out of updates keeps its own. */
function hasOtherRole(existing: KubeObject, wanted: KubeObject): boolean {
  const optedOut = existing.metadata.annotations?.['rbac.authorization.kubernetes.io/autoupdate'] === 'false'
  return !optedOut && wanted['roleRef'] !== undefined && !equalJson(existing['roleRef'], wanted['roleRef'])
}
