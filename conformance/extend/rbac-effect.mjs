// Roles and bindings taking effect: verbs, resourceNames, subresources, groups, wildcards, non-resource paths, and exact refusals.
import { settle } from '../support/picks.mjs'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'

export default async (t) => {
  const ns = await t.namespace()
  const other = await t.namespace(`${ns}-other`)
  const cluster = [
    'clusterroles/ext-effect-reader',
    'clusterrolebindings/ext-effect-reader',
    'clusterroles/ext-effect-paths',
    'clusterrolebindings/ext-effect-paths',
  ].map((p) => `${RBAC}/${p}`)
  for (const url of cluster) await t.clear(url)
  const as = (user, ...groups) => ({
    headers: { 'impersonate-user': user, ...(groups.length ? { 'impersonate-group': groups } : {}) },
    pick: (b) => (b.kind === 'Status' ? b : { kind: b.kind }),
  })
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const make = (url, kind, body) =>
    t.post(url, { apiVersion: 'rbac.authorization.k8s.io/v1', kind, ...body }, { quiet: true })
  const ref = (kind, name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name })
  const user = (name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name })
  for (const name of ['one', 'two'])
    await t.post(cms, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }, { quiet: true })

  await t.get(cms, as('ann'))
  await make(`${RBAC}/namespaces/${ns}/roles`, 'Role', {
    metadata: { name: 'some' },
    rules: [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'update'], resourceNames: ['one'] },
      { apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['*'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
    ],
  })
  await make(`${RBAC}/namespaces/${ns}/rolebindings`, 'RoleBinding', {
    metadata: { name: 'some' },
    roleRef: ref('Role', 'some'),
    subjects: [user('ann'), { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'ext-devs' }],
  })
  await settle(t, async () => (await t.get(`${cms}/one`, { ...as('ann'), quiet: true })).status === 200)
  await t.get(`${cms}/one`, as('ann'))
  await t.get(`${cms}/one`, as('bob', 'ext-devs'))
  await t.get(`${cms}/two`, as('ann'))
  await t.get(cms, as('ann'))
  await t.get(`${cms}?fieldSelector=metadata.name%3Done`, as('ann'))
  await t.delete(`${cms}/one`, undefined, as('ann'))
  await t.mergePatch(`${cms}/one`, { data: {} }, as('ann'))
  await t.get(`/apis/apps/v1/namespaces/${ns}/deployments/none/scale`, as('ann'))
  await t.get(`/apis/apps/v1/namespaces/${ns}/deployments/none`, as('ann'))
  await t.get(`/api/v1/namespaces/${other}/configmaps/one`, as('ann'))

  // A ClusterRole through a RoleBinding stays in the namespace; through a ClusterRoleBinding it is for all.
  await make(`${RBAC}/clusterroles`, 'ClusterRole', {
    metadata: { name: 'ext-effect-reader' },
    rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['list'] }],
  })
  await make(`${RBAC}/namespaces/${ns}/rolebindings`, 'RoleBinding', {
    metadata: { name: 'reader' },
    roleRef: ref('ClusterRole', 'ext-effect-reader'),
    subjects: [user('cat')],
  })
  await settle(t, async () => (await t.get(cms, { ...as('cat'), quiet: true })).status === 200)
  await t.get(cms, as('cat'))
  await t.get(`/apis/apps/v1/namespaces/${ns}/deployments`, as('cat'))
  await t.get(`/api/v1/namespaces/${other}/configmaps`, as('cat'))
  await t.get('/api/v1/nodes', as('cat'))
  await make(`${RBAC}/clusterrolebindings`, 'ClusterRoleBinding', {
    metadata: { name: 'ext-effect-reader' },
    roleRef: ref('ClusterRole', 'ext-effect-reader'),
    subjects: [user('cat')],
  })
  await settle(
    t,
    async () => (await t.get(`/api/v1/namespaces/${other}/configmaps`, { ...as('cat'), quiet: true })).status === 200,
  )
  await t.get(`/api/v1/namespaces/${other}/configmaps`, as('cat'))
  await t.get('/metrics', as('cat'))
  await make(`${RBAC}/clusterroles`, 'ClusterRole', {
    metadata: { name: 'ext-effect-paths' },
    rules: [{ nonResourceURLs: ['/ext-paths/*', '/ext-single'], verbs: ['get'] }],
  })
  await make(`${RBAC}/clusterrolebindings`, 'ClusterRoleBinding', {
    metadata: { name: 'ext-effect-paths' },
    roleRef: ref('ClusterRole', 'ext-effect-paths'),
    subjects: [user('cat')],
  })
  await settle(t, async () => (await t.get('/ext-single', { ...as('cat'), quiet: true })).status !== 403)
  await t.get('/ext-paths/a/b', as('cat'))
  await t.get('/ext-paths', as('cat'))
  await t.delete('/ext-single', undefined, as('cat'))
  // Taking the binding away ends it.
  await t.delete(`${RBAC}/namespaces/${ns}/rolebindings/some`, undefined, { quiet: true })
  await settle(t, async () => (await t.get(`${cms}/one`, { ...as('ann'), quiet: true })).status === 403)
  await t.get(`${cms}/one`, as('ann'))
}
