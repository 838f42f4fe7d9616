import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import { runToEnd } from '../../lib/in-turns.ts'
import { aggregatedRules } from './aggregation.ts'
import { bootstrapPolicy, nodeRoleRules, primingSource, reconciledPolicy } from './bootstrap-policy.ts'

const defaultGates: ReadonlySet<string> = new Set([
  'KubeletFineGrainedAuthz',
  'MultiCIDRServiceAllocator',
  'SELinuxChangePolicy',
])
const policy = bootstrapPolicy((gate) => defaultGates.has(gate))
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
    expect(nodeRoleRules(() => false).length).toBeGreaterThan(15)
  })

  it('follows the feature gates', () => {
    const all = bootstrapPolicy(() => true)
    const none = bootstrapPolicy(() => false)
    const names = ({ clusterRoles, clusterRoleBindings }: typeof all) =>
      [clusterRoles, clusterRoleBindings].map((objects) => objects.map(({ metadata }) => metadata.name))
    const trust = 'system:cluster-trust-bundle-discovery'
    for (const list of names(all)) expect(list).toContain(trust)
    for (const list of names(policy)) expect(list).not.toContain(trust)
    expect(names(none)[0]).not.toContain('system:controller:selinux-warning-controller')
    const rulesOf = (name: string) =>
      [policy, all].map((each) => (named(each.clusterRoles, name)['rules'] as []).length)
    expect(rulesOf('system:kube-scheduler')).toEqual([20, 26])
    expect(rulesOf('system:node')).toEqual([22, 26])
    expect(rulesOf('system:monitoring')).toEqual([1, 3])
    expect(named(all.clusterRoles, 'system:monitoring')['rules']).toContainEqual({
      verbs: ['get'],
      nonResourceURLs: ['/statusz'],
    })
    const known = new Set(names(all)[0]?.map((name) => `ClusterRole/${name}`))
    for (const binding of all.clusterRoleBindings) {
      const { kind, name } = binding['roleRef'] as { kind: string; name: string }
      expect(known).toContain(`${kind}/${name}`)
    }
  })

  it('puts aggregated roles together', () => {
    const rulesOf = (...of: Parameters<typeof aggregatedRules>) => runToEnd(aggregatedRules(...of))
    const choosable = (roles: readonly KubeObject[]) =>
      roles.map((role) => ({
        name: role.metadata.name ?? '',
        labels: role.metadata.labels,
        *objectInSteps() {
          yield
          return role
        },
      }))
    const view = rulesOf(named(policy.clusterRoles, 'view'), choosable(policy.clusterRoles))
    expect(view).toEqual(named(policy.clusterRoles, 'system:aggregate-to-view')['rules'])
    const filled = policy.clusterRoles.map((role) =>
      role.metadata.name === 'view' && view ? { ...role, rules: view } : role,
    )
    expect(rulesOf(named(filled, 'view'), choosable(filled))).toBeUndefined()
    expect(rulesOf(named(filled, 'cluster-admin'), choosable(filled))).toBeUndefined()
    expect(rulesOf(named(filled, 'edit'), choosable(filled))?.length).toBeGreaterThan(view?.length ?? 0)
  })

  it('makes what was split off another from that, where it is there', () => {
    const wanted = named(policy.clusterRoleBindings, 'system:public-info-viewer')
    const split = primingSource(wanted)
    const ann = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'ann' }
    const source = { ...wanted, metadata: { name: 'system:discovery', labels: { a: 'b' } }, subjects: [ann] }
    expect([split?.name, split?.make(source)]).toMatchObject([
      'system:discovery',
      {
        metadata: { name: 'system:public-info-viewer', labels: { a: 'b' } },
        subjects: [ann, ...(wanted['subjects'] as object[])],
        roleRef: wanted['roleRef'],
      },
    ])
    const edit = named(policy.clusterRoles, 'system:aggregate-to-edit')
    const rule = { verbs: ['get'], apiGroups: ['example.com'], resources: ['things'] }
    const old = { ...edit, metadata: { name: 'edit' }, rules: [rule] }
    expect(primingSource(edit)?.make(old)?.['rules']).toContainEqual(rule)
    expect(primingSource(edit)?.make({ ...old, aggregationRule: {} })).toBeUndefined()
    expect(primingSource(named(policy.clusterRoles, 'view'))).toBeUndefined()
  })

  it('adds what is missing at start and takes nothing away', () => {
    const wanted = named(policy.clusterRoles, 'system:basic-user')
    const extra = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
    expect(reconciledPolicy(wanted, wanted)).toBeUndefined()
    expect(reconciledPolicy({ ...wanted, rules: [extra] }, wanted)?.['rules']).toHaveLength(4)
    const off = {
      ...wanted,
      rules: [],
      metadata: { ...wanted.metadata, annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } },
    }
    expect(reconciledPolicy(off, wanted)).toBeUndefined()
  })
})
