/**
 * Before a role or a binding is written, its writer must turn out to hold what it grants.
 * Mirrors pkg/registry/rbac: BindingAuthorized, EscalationAllowed, RoleEscalationAuthorized.
 * Mirrors pkg/registry/rbac/clusterrole/policybased: Storage.
 * Mirrors pkg/registry/rbac/role/policybased: Storage.
 * Mirrors pkg/registry/rbac/clusterrolebinding/policybased: Storage.
 * Mirrors pkg/registry/rbac/rolebinding/policybased: Storage.
 */
import type { KubeObject } from '../../../api/object.ts'
import type { Strategy, WriteContext } from '../../../registry/strategy.ts'
import type { KindServices } from '../../kind-rules.ts'

/** The server's own writes, which have no user, grant what they like. */
export function refuseEscalation(
  { access }: KindServices,
  resource: string,
): Pick<Strategy<KubeObject>, 'beginCreate' | 'beginUpdate'> {
  const check = async (
    object: KubeObject,
    previous: KubeObject | undefined,
    context: WriteContext,
  ): Promise<undefined> => {
    if (context.user === undefined) return undefined
    const metadata = context.namespace === '' ? object.metadata : { ...object.metadata, namespace: context.namespace }
    const write = { resource, object: { ...object, metadata }, ...(previous === undefined ? {} : { previous }) }
    const refusal = await access.refusal(context.user, write)
    if (refusal !== undefined) throw refusal
    return undefined
  }
  return {
    beginCreate: (draft, context) => check(draft, undefined, context),
    beginUpdate: (draft, old, context) => check(draft, old, context),
  }
}
