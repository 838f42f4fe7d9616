// Acting as somebody else with verbs of its own: users, groups, extra, service accounts, nodes, and what may be done then.
export default async (t) => {
  const ns = await t.namespace()
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const name = 'v136-impersonation'
  await t.clear(`${rbac}/clusterroles/${name}`)
  await t.clear(`${rbac}/clusterrolebindings/${name}`)
  await t.post(
    `/api/v1/namespaces/${ns}/serviceaccounts`,
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } },
    { quiet: true },
  )
  const made = await t.post(
    `/api/v1/namespaces/${ns}/serviceaccounts/robot/token`,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    { quiet: true },
  )
  const { token } = made.body.status
  const rule = (apiGroups, resources, verbs, resourceNames) => ({
    apiGroups,
    resources,
    verbs,
    ...(resourceNames && { resourceNames }),
  })
  const auth = ['authentication.k8s.io']
  const rules = [
    rule(auth, ['users'], ['impersonate:user-info'], ['ann']),
    rule(auth, ['groups'], ['impersonate:user-info'], ['devs', 'ops']),
    rule(auth, ['userextras/example.com/scope'], ['impersonate:user-info'], ['read']),
    rule(auth, ['serviceaccounts'], ['impersonate:serviceaccount'], ['helper']),
    rule(auth, ['nodes'], ['impersonate:arbitrary-node'], ['n1']),
    rule(
      auth,
      ['selfsubjectreviews'],
      [
        'impersonate-on:user-info:create',
        'impersonate-on:serviceaccount:create',
        'impersonate-on:arbitrary-node:create',
      ],
    ),
    rule([''], ['configmaps'], ['impersonate-on:user-info:list']),
  ]
  await t.post(
    `${rbac}/clusterroles`,
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules },
    { pick: (b) => b.rules },
  )
  await t.post(
    `${rbac}/clusterrolebindings`,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: ns }],
    },
    { pick: (b) => b.roleRef },
  )
  const pick = (b) => b.status?.userInfo ?? { message: b.message, details: b.details, code: b.code }
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  const whoami = (headers, options = {}) =>
    t.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', review, { token, headers, pick, ...options })
  await t.until(async () => (await whoami({ 'impersonate-user': 'ann' }, { quiet: true })).status === 201)
  await whoami({ 'impersonate-user': 'ann' })
  await whoami({ 'impersonate-user': 'bob' })
  await whoami({ 'impersonate-user': 'ann', 'impersonate-group': 'devs' })
  await whoami({ 'impersonate-user': 'ann', 'impersonate-group': 'admins' })
  await whoami({ 'impersonate-user': 'ann', 'impersonate-group': 'system:masters' })
  await whoami({ 'impersonate-user': 'ann', 'impersonate-extra-example.com%2fscope': 'read' })
  await whoami({ 'impersonate-user': 'ann', 'impersonate-extra-example.com%2fscope': 'write' })
  await whoami({ 'impersonate-user': 'ann', 'impersonate-extra-scope': 'read' })
  await whoami({ 'impersonate-user': 'ann', 'impersonate-uid': '1' })
  await whoami({ 'impersonate-group': 'devs' })
  await whoami({ 'impersonate-uid': '1' })
  await whoami({ 'impersonate-extra-example.com%2fscope': 'read' })
  await t.get(`/api/v1/namespaces/${ns}/configmaps`, {
    token,
    headers: { 'impersonate-user': 'ann' },
    pick: (b) => b.message,
  })
  await t.get(`/api/v1/namespaces/${ns}/secrets`, {
    token,
    headers: { 'impersonate-user': 'ann' },
    pick: (b) => b.message,
  })
  await whoami({ 'impersonate-user': 'system:node:n1' })
  await whoami({ 'impersonate-user': 'system:node:n2' })
  await whoami({ 'impersonate-user': `system:serviceaccount:${ns}:helper` })
  await whoami({ 'impersonate-user': `system:serviceaccount:${ns}:other` })
  await whoami({ 'impersonate-user': `system:serviceaccount:${ns}:helper`, 'impersonate-group': 'devs' })
  await whoami({ 'impersonate-user': 'ann' })
  await t.delete(`${rbac}/clusterrolebindings/${name}`, { pick: (b) => b.status })
  await t.delete(`${rbac}/clusterroles/${name}`, { pick: (b) => b.status })
}
