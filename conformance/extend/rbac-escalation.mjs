// Nobody may grant what they do not have: escalation and bind checks on roles and bindings, with the exact texts.
import { settle } from '../support/picks.mjs'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'

export default async (t) => {
  const ns = await t.namespace()
  for (const p of [
    'clusterroles/ext-esc-manager',
    'clusterrolebindings/ext-esc-manager',
    'clusterroles/ext-esc-target',
    'clusterroles/ext-esc-new',
    'clusterrolebindings/ext-esc-new',
  ])
    await t.clear(`${RBAC}/${p}`)
  const as = (user) => ({
    headers: { 'impersonate-user': user },
    pick: (b) => (b.kind === 'Status' ? b : { kind: b.kind, rules: b.rules }),
  })
  const make = (url, kind, body, opts = { quiet: true }) =>
    t.post(url, { apiVersion: 'rbac.authorization.k8s.io/v1', kind, ...body }, opts)
  const ref = (kind, name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name })
  const user = (name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name })
  const roles = `${RBAC}/namespaces/${ns}/roles`
  const bindings = `${RBAC}/namespaces/${ns}/rolebindings`
  // eve may manage roles and bindings and read configmaps, nothing more.
  await make(`${RBAC}/clusterroles`, 'ClusterRole', {
    metadata: { name: 'ext-esc-manager' },
    rules: [
      {
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
        verbs: ['get', 'create', 'update', 'patch', 'delete'],
      },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] },
    ],
  })
  await make(`${RBAC}/clusterrolebindings`, 'ClusterRoleBinding', {
    metadata: { name: 'ext-esc-manager' },
    roleRef: ref('ClusterRole', 'ext-esc-manager'),
    subjects: [user('eve')],
  })
  await make(`${RBAC}/clusterroles`, 'ClusterRole', {
    metadata: { name: 'ext-esc-target' },
    rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
  })
  await make(roles, 'Role', {
    metadata: { name: 'target' },
    rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
  })
  await settle(t, async () => (await t.get(`${roles}/target`, { ...as('eve'), quiet: true })).status === 200)

  const role = (name, rules) => make(roles, 'Role', { metadata: { name }, rules }, as('eve'))
  await role('fine', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }])
  await role('more', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'delete'] }])
  await role('named', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'], resourceNames: ['x'] }])
  await role('sub', [
    { apiGroups: [''], resources: ['configmaps', 'pods/log'], verbs: ['get'] },
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['*'], resourceNames: ['d'] },
  ])
  await role('all', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }])
  await make(
    `${RBAC}/clusterroles`,
    'ClusterRole',
    { metadata: { name: 'ext-esc-new' }, rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] },
    as('eve'),
  )
  await make(
    `${RBAC}/clusterroles`,
    'ClusterRole',
    {
      metadata: { name: 'ext-esc-new' },
      rules: [],
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { ext: 'none' } }] },
    },
    as('eve'),
  )
  await t.mergePatch(
    `${roles}/fine`,
    { rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }] },
    as('eve'),
  )
  await t.mergePatch(`${roles}/target`, { metadata: { labels: { a: 'b' } } }, as('eve'))
  await t.mergePatch(`${roles}/target`, { rules: [] }, as('eve'))
  await make(roles, 'Role', {
    metadata: { name: 'target2' },
    rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
  })

  const bind = (name, roleRef, subjects = [user('eve')]) =>
    make(bindings, 'RoleBinding', { metadata: { name }, roleRef, subjects }, as('eve'))
  await bind('fine', ref('Role', 'fine'))
  await bind('target', ref('Role', 'target2'))
  await bind('cluster', ref('ClusterRole', 'ext-esc-target'))
  await bind('missing', ref('Role', 'none'))
  await make(
    `${RBAC}/clusterrolebindings`,
    'ClusterRoleBinding',
    { metadata: { name: 'ext-esc-new' }, roleRef: ref('ClusterRole', 'cluster-admin'), subjects: [user('eve')] },
    as('eve'),
  )

  // The verbs escalate and bind lift the checks.
  await t.mergePatch(
    `${RBAC}/clusterroles/ext-esc-manager`,
    {
      rules: [
        {
          apiGroups: ['rbac.authorization.k8s.io'],
          resources: ['roles', 'rolebindings'],
          verbs: ['create', 'escalate', 'patch'],
        },
        {
          apiGroups: ['rbac.authorization.k8s.io'],
          resources: ['clusterroles'],
          verbs: ['bind'],
          resourceNames: ['ext-esc-target'],
        },
      ],
    },
    { quiet: true },
  )
  await settle(
    t,
    async () =>
      (
        await make(
          `${roles}?dryRun=All`,
          'Role',
          { metadata: { name: 'probe' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
          { ...as('eve'), quiet: true },
        )
      ).status === 201,
  )
  await role('escalated', [{ apiGroups: [''], resources: ['pods'], verbs: ['*'] }])
  await bind('bound', ref('ClusterRole', 'ext-esc-target'))
  await bind('unbound', ref('Role', 'escalated'))
}
