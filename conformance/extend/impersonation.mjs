// Impersonation headers: acting as a user, groups, a service account, with extra and uid, and who may do so.
import { settle } from '../support/picks.mjs'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }

export default async (t) => {
  const ns = await t.namespace()
  for (const url of [`${RBAC}/clusterroles/ext-impersonator`, `${RBAC}/clusterrolebindings/ext-impersonator`])
    await t.clear(url)
  const who = (headers, token) =>
    t.post(WHO, review, { headers, token, pick: (b) => (b.kind === 'Status' ? b : b.status) })

  await who({})
  await who({ 'impersonate-user': 'ann' })
  await who({ 'impersonate-user': 'ann', 'impersonate-group': 'devs' })
  await who({ 'impersonate-user': 'ann', 'impersonate-group': ['devs', 'ops', 'system:authenticated'] })
  await who({ 'impersonate-user': `system:serviceaccount:${ns}:robot` })
  await who({ 'impersonate-user': 'system:anonymous' })
  await who({
    'impersonate-user': 'ann',
    'impersonate-uid': 'u-1',
    'impersonate-extra-scopes': ['read', 'write'],
    'impersonate-extra-acme.com%2fproject': 'x',
  })
  await who({ 'impersonate-group': 'devs' })
  await who({ 'impersonate-extra-a': 'b' })
  await who({ 'impersonate-uid': 'u-1' })
  await who({ 'impersonate-user': '' })

  // What the impersonated user may not do.
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  await t.get(cms, { headers: { 'impersonate-user': 'ann' } })
  await t.get(`${cms}/a`, { headers: { 'impersonate-user': 'ann', 'impersonate-group': 'system:masters' } })
  await t.get('/apis', { headers: { 'impersonate-user': 'ann' }, pick: (b) => b.kind })

  // Someone without and with the right to impersonate. The one who asks is a service account with a real token.
  await t.post(
    `/api/v1/namespaces/${ns}/serviceaccounts`,
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } },
    { quiet: true },
  )
  const { body } = await t.post(
    `/api/v1/namespaces/${ns}/serviceaccounts/robot/token`,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    { quiet: true },
  )
  const token = body.status?.token
  await who({ 'impersonate-user': 'ann' }, token)
  await t.post(
    `${RBAC}/clusterroles`,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'ext-impersonator' },
      rules: [
        { apiGroups: [''], resources: ['users'], verbs: ['impersonate'], resourceNames: ['ann'] },
        { apiGroups: [''], resources: ['groups'], verbs: ['impersonate'], resourceNames: ['devs'] },
        {
          apiGroups: ['authentication.k8s.io'],
          resources: ['userextras/scopes'],
          verbs: ['impersonate'],
          resourceNames: ['read'],
        },
      ],
    },
    { quiet: true },
  )
  await t.post(
    `${RBAC}/clusterrolebindings`,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'ext-impersonator' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'ext-impersonator' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: ns }],
    },
    { quiet: true },
  )
  await settle(
    t,
    async () =>
      (await t.post(WHO, review, { headers: { 'impersonate-user': 'ann' }, token, quiet: true })).status === 201,
  )
  await who({ 'impersonate-user': 'ann', 'impersonate-group': 'devs', 'impersonate-extra-scopes': 'read' }, token)
  await who({ 'impersonate-user': 'bob' }, token)
  await who({ 'impersonate-user': 'ann', 'impersonate-group': 'ops' }, token)
  await who({ 'impersonate-user': 'ann', 'impersonate-extra-scopes': 'write' }, token)
  await who({ 'impersonate-user': 'ann', 'impersonate-uid': 'u-1' }, token)
  await who({ 'impersonate-user': `system:serviceaccount:${ns}:other` }, token)
}
