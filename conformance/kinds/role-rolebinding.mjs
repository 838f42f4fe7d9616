// Role and RoleBinding: defaults, tables, create by put, immutable roleRef, refusals, delete.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}/roles`
  const bindings = `/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}/rolebindings`
  const role = (name, rules) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name },
    rules,
  })
  const binding = (name, roleRef, subjects) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name },
    roleRef,
    subjects,
  })
  const ref = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' }
  await t.post(
    roles,
    role('a', [{ apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get'], resourceNames: ['x'] }]),
  )
  await t.get(`${roles}/a`, asTable)
  await t.post(roles, role('empty'))
  await t.put(`${roles}/by-put`, role('by-put', []))
  await t.put(`${roles}/a`, role('a', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]))
  // names may hold colons and upper case, but no slash or percent sign
  await t.post(roles, role('System:odd Name', []))
  await t.post(roles, role('a/b', []))
  await t.post(
    roles,
    role('bad', [
      { verbs: ['get'] },
      { apiGroups: [''], resources: ['pods'] },
      { nonResourceURLs: ['/healthz'], verbs: ['get'] },
      { apiGroups: [''], verbs: ['get'], resources: [] },
    ]),
  )
  await t.post(roles, role('bad', [{ apiGroups: '', resources: ['pods'], verbs: ['get'] }]))

  await t.post(
    bindings,
    binding('b', ref, [
      { kind: 'User', name: 'u' },
      { kind: 'Group', name: 'g' },
      { kind: 'ServiceAccount', name: 's', namespace: ns },
    ]),
  )
  await t.get(`${bindings}/b`, asTable)
  await t.post(bindings, binding('defaults', { kind: 'ClusterRole', name: 'view' }, []))
  await t.put(`${bindings}/by-put`, binding('by-put', ref, []))
  await t.mergePatch(`${bindings}/b`, {
    subjects: [{ kind: 'User', name: 'v', apiGroup: 'rbac.authorization.k8s.io' }],
  })
  await t.mergePatch(`${bindings}/b`, { roleRef: { name: 'other' } })
  await t.mergePatch(`${bindings}/b`, { roleRef: { kind: 'ClusterRole' } })
  await t.post(bindings, binding('bad', {}, []))
  await t.post(
    bindings,
    binding('bad', { apiGroup: 'apps', kind: 'Deployment', name: 'x' }, [
      { kind: 'Robot', name: 'r' },
      { kind: 'User', name: '' },
      { kind: 'ServiceAccount', name: 'Bad Name' },
      { kind: 'ServiceAccount', name: 's', apiGroup: 'x' },
    ]),
  )
  await t.post(bindings, binding('bad', ref, 'everyone'))
  await t.delete(`${bindings}/b`)
  await t.delete(`${roles}/a`)
}
