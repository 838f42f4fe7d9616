import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import { aggregatedRules } from './aggregation.ts'
import { bootstrapPolicy, nodeRules, reconciled } from './bootstrap-policy.ts'

const policy = bootstrapPolicy()
const named = (objects: readonly KubeObject[], name: string): KubeObject => {
  const found = objects.find(({ metadata }) => metadata.name === name)
  if (!found) throw new Error(`no ${name}`)
  return found
}

describe('bootstrapPolicy', () => {
  it('has the roles and bindings of a fresh cluster', () => {
    expect(policy.clusterRoles).toHaveLength(66)
    expect(policy.clusterRoleBindings).toHaveLength(47)
    expect(policy.roles).toHaveLength(7)
    expect(policy.roleBindings).toHaveLength(7)
    expect(named(policy.clusterRoles, 'cluster-admin')).toEqual({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: {
        name: 'cluster-admin',
        labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
        annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
      },
      rules: [
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
        { verbs: ['*'], nonResourceURLs: ['*'] },
      ],
    })
    expect(named(policy.clusterRoleBindings, 'system:controller:job-controller')['subjects']).toEqual([
      { kind: 'ServiceAccount', name: 'job-controller', namespace: 'kube-system' },
    ])
    expect(nodeRules().length).toBeGreaterThan(15)
  })

  it('puts aggregated roles together', () => {
    const view = aggregatedRules(named(policy.clusterRoles, 'view'), policy.clusterRoles)
    expect(view).toEqual(named(policy.clusterRoles, 'system:aggregate-to-view')['rules'])
    const filled = policy.clusterRoles.map((role) =>
      role.metadata.name === 'view' && view ? { ...role, rules: view } : role,
    )
    expect(aggregatedRules(named(filled, 'view'), filled)).toBeUndefined()
    expect(aggregatedRules(named(filled, 'cluster-admin'), filled)).toBeUndefined()
    expect(aggregatedRules(named(filled, 'edit'), filled)?.length).toBeGreaterThan(view?.length ?? 0)
  })

  it('adds what is missing at start and takes nothing away', () => {
    const wanted = named(policy.clusterRoles, 'system:basic-user')
    const extra = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
    expect(reconciled(wanted, wanted)).toBeUndefined()
    expect(reconciled({ ...wanted, rules: [extra] }, wanted)?.['rules']).toHaveLength(4)
    const off = {
      ...wanted,
      rules: [],
      metadata: { ...wanted.metadata, annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } },
    }
    expect(reconciled(off, wanted)).toBeUndefined()
  })
})
