/**
 * The roles and bindings that a cluster of a release after the default one starts with: what its facts list, which is with the
 * gates as they are by default, and the rules of gates that are on besides.
 */
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { packagedFact } from '../../api/release-facts.ts'
import type { BootstrapPolicy } from './bootstrap-policy.ts'

interface PolicyRow {
  readonly name: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly aggregationRule?: JsonObject
  readonly rules?: readonly JsonObject[]
  readonly roleRef?: JsonObject
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[]
}

type PolicyFile = Readonly<Record<keyof BootstrapPolicy, readonly PolicyRow[]>>

const apiGroup = 'rbac.authorization.k8s.io'

/** `extra`: the rules that a cluster role has more because of gates that are not as they are by default. */
export function policyOfRelease(release: number, extra: (role: string) => readonly JsonObject[]): BootstrapPolicy {
  const file = JSON.parse(packagedFact(release, 'roles.json')) as PolicyFile
  const role = (kind: string) => (row: PolicyRow) =>
    roleObject(kind, row, kind === 'ClusterRole' ? extra(row.name) : [])
  return {
    clusterRoles: file.clusterRoles.map(role('ClusterRole')),
    clusterRoleBindings: file.clusterRoleBindings.map((row) => bindingObject('ClusterRoleBinding', row)),
    roles: file.roles.map(role('Role')),
    roleBindings: file.roleBindings.map((row) => bindingObject('RoleBinding', row)),
  }
}

function metadataOf({ name, namespace, labels }: PolicyRow): KubeObject['metadata'] {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  }
}

function roleObject(kind: string, row: PolicyRow, extra: readonly JsonObject[]): KubeObject {
  const { rules = [], aggregationRule } = row
  return {
    apiVersion: `${apiGroup}/v1`,
    kind,
    metadata: metadataOf(row),
    rules: [...rules, ...extra],
    ...(aggregationRule === undefined ? {} : { aggregationRule }),
  }
}

function bindingObject(kind: string, row: PolicyRow): KubeObject {
  const subjects = row.subjects?.map((each): JsonObject => ({ ...each }))
  return {
    apiVersion: `${apiGroup}/v1`,
    kind,
    metadata: metadataOf(row),
    ...(subjects === undefined ? {} : { subjects }),
    roleRef: row.roleRef ?? {},
  }
}
