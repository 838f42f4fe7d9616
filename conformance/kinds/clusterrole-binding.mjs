// ClusterRole and ClusterRoleBinding: defaults, tables, create by put, aggregation rule, immutable roleRef, refusals, delete.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
  const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'
  for (const n of ['kinds-cr-a', 'kinds-cr-agg', 'kinds-cr-put']) await t.clear(`${roles}/${n}`)
  for (const n of ['kinds-crb-b', 'kinds-crb-put']) await t.clear(`${bindings}/${n}`)
  const role = (name, rules, more = {}) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name },
    rules,
    ...more,
  })
  const binding = (name, roleRef, subjects) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef,
    subjects,
  })
  const ref = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'kinds-cr-a' }
  await t.post(
    roles,
    role('kinds-cr-a', [
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['list', 'watch'] },
      { nonResourceURLs: ['/metrics', '/healthz/*'], verbs: ['get'] },
    ]),
  )
  await t.get(`${roles}/kinds-cr-a`, asTable)
  await t.post(
    roles,
    role('kinds-cr-agg', null, { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { kinds: 'none' } }] } }),
  )
  await t.put(`${roles}/kinds-cr-put`, role('kinds-cr-put', []))
  await t.mergePatch(`${roles}/kinds-cr-a`, { rules: [] })
  await t.post(
    roles,
    role('kinds-cr-bad', [
      { nonResourceURLs: ['/x'], apiGroups: [''], resources: ['pods'], verbs: ['get'] },
      { nonResourceURLs: ['relative*x'], verbs: [] },
      { apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: ['a'], nonResourceURLs: ['/y'] },
    ]),
  )
  await t.post(roles, role('kinds-cr-bad', [], { aggregationRule: { clusterRoleSelectors: [] } }))
  await t.post(
    roles,
    role('kinds-cr-bad', [], { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'a b': 'c' } }] } }),
  )
  await t.post(roles, role('kinds-cr-bad', {}))
  await t.post(
    bindings,
    binding('kinds-crb-b', ref, [
      { kind: 'Group', name: 'kinds-group' },
      { kind: 'ServiceAccount', name: 's', namespace: 'n' },
    ]),
  )
  await t.get(`${bindings}/kinds-crb-b`, asTable)
  await t.put(`${bindings}/kinds-crb-put`, binding('kinds-crb-put', ref))
  await t.mergePatch(`${bindings}/kinds-crb-b`, { subjects: null })
  await t.mergePatch(`${bindings}/kinds-crb-b`, { roleRef: { name: 'view' } })
  await t.post(bindings, binding('kinds-crb-bad', { ...ref, kind: 'Role' }, []))
  await t.post(
    bindings,
    binding('kinds-crb-bad', { ...ref, name: '' }, [
      { kind: 'ServiceAccount', name: 's' },
      { kind: 'User', name: 'u', namespace: 'n', apiGroup: 'other' },
    ]),
  )
  await t.get(`${roles}/kinds-cr-a/status`)
  await t.delete(`${bindings}/kinds-crb-b`)
  await t.delete(`${roles}/kinds-cr-a`)
}
