// RBAC objects themselves: defaults, refused rules, subjects and role references, immutable references, odd names.
import { stable } from '../support/picks.mjs'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'

export default async (t) => {
  const ns = await t.namespace()
  for (const p of ['clusterroles/ext-objects:role', 'clusterrolebindings/ext-objects']) await t.clear(`${RBAC}/${p}`)
  const roles = `${RBAC}/namespaces/${ns}/roles`
  const bindings = `${RBAC}/namespaces/${ns}/rolebindings`
  const role = (name, rules) =>
    t.post(roles, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name }, rules })
  const binding = (name, roleRef, subjects) =>
    t.post(bindings, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name },
      roleRef,
      subjects,
    })
  const ref = (more = {}) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r', ...more })

  await role('r', [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }])
  await role('empty', undefined)
  await role('bad', [
    { apiGroups: [''], resources: ['pods'] },
    { resources: ['pods'], verbs: ['get'] },
    { apiGroups: [''], verbs: ['get'] },
  ])
  await role('paths', [{ nonResourceURLs: ['/x'], verbs: ['get'] }])
  await role('Any:name@works', [])
  await role('no/slash', [])
  await t.post(`${RBAC}/clusterroles`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'ext-objects:role' },
    rules: [{ nonResourceURLs: ['/x', '/y/*'], verbs: ['get'] }],
  })
  await t.post(`${RBAC}/clusterroles`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'ext-objects' },
    rules: [{ nonResourceURLs: ['/x'], resources: ['pods'], apiGroups: [''], verbs: ['get'] }],
  })
  await t.post(`${RBAC}/clusterroles`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'ext-objects' },
    aggregationRule: { clusterRoleSelectors: [] },
  })
  await t.post(`${RBAC}/clusterroles`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'ext-objects' },
    aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'Near' }] }] },
  })

  await binding('b', ref(), [
    { kind: 'User', name: 'ann' },
    { kind: 'Group', name: 'devs' },
    { kind: 'ServiceAccount', name: 'robot' },
  ])
  await binding('c', { kind: 'Role', name: 'r' }, [{ kind: 'ServiceAccount', name: 'robot', namespace: ns }])
  await binding('bad', { kind: 'Role', name: 'r', apiGroup: 'apps' }, [
    { kind: 'Robot', name: 'x' },
    { kind: 'User', name: '' },
    { kind: 'User', name: 'x', apiGroup: 'apps' },
    { kind: 'ServiceAccount', name: 'Bad_Name', apiGroup: 'x', namespace: ns },
  ])
  await binding('bad', { kind: 'Thing', name: '', apiGroup: 'rbac.authorization.k8s.io' }, [])
  await binding('bad', undefined, [])
  await t.post(`${RBAC}/clusterrolebindings`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'ext-objects' },
    roleRef: ref(),
    subjects: [{ kind: 'ServiceAccount', name: 'robot' }],
  })
  await t.mergePatch(`${bindings}/b`, { roleRef: { name: 'other' } })
  await t.mergePatch(`${bindings}/b`, { subjects: [] }, { pick: stable })
  await t.get(roles, {
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    pick: (b) => b.rows?.map((r) => r.cells[0]),
  })
  await t.get(bindings, {
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    pick: (b) => ({
      columns: b.columnDefinitions?.map((c) => [c.name, c.priority]),
      cells: b.rows?.map((r) => r.cells.filter((_c, i) => i !== 2)),
    }),
  })
}
