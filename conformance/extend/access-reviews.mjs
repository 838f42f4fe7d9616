// Asking what is allowed: SelfSubjectAccessReview, SubjectAccessReview, LocalSubjectAccessReview, SelfSubjectRulesReview, and bad questions.
import { settle } from '../support/picks.mjs'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const AUTHZ = '/apis/authorization.k8s.io/v1'

export default async (t) => {
  const ns = await t.namespace()
  for (const p of ['clusterroles/ext-reviews', 'clusterrolebindings/ext-reviews']) await t.clear(`${RBAC}/${p}`)
  const make = (url, kind, body) =>
    t.post(url, { apiVersion: 'rbac.authorization.k8s.io/v1', kind, ...body }, { quiet: true })
  const user = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ext-dan' }
  await make(`${RBAC}/namespaces/${ns}/roles`, 'Role', {
    metadata: { name: 'reader' },
    rules: [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] },
      { apiGroups: ['apps'], resources: ['*'], verbs: ['*'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: ['one'] },
    ],
  })
  await make(`${RBAC}/namespaces/${ns}/rolebindings`, 'RoleBinding', {
    metadata: { name: 'reader' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [user],
  })
  await make(`${RBAC}/clusterroles`, 'ClusterRole', {
    metadata: { name: 'ext-reviews' },
    rules: [
      { apiGroups: [''], resources: ['nodes'], verbs: ['get'] },
      { nonResourceURLs: ['/metrics'], verbs: ['get'] },
    ],
  })
  await make(`${RBAC}/clusterrolebindings`, 'ClusterRoleBinding', {
    metadata: { name: 'ext-reviews' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'ext-reviews' },
    subjects: [user],
  })
  const dan = { headers: { 'impersonate-user': 'ext-dan' } }
  const self = (spec, opts = dan) =>
    t.post(
      `${AUTHZ}/selfsubjectaccessreviews`,
      { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec },
      opts,
    )
  const subject = (spec) =>
    t.post(`${AUTHZ}/subjectaccessreviews`, {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec,
    })
  await settle(
    t,
    async () =>
      (await self({ resourceAttributes: { verb: 'get', resource: 'nodes' } }, { ...dan, quiet: true })).body.status
        ?.allowed &&
      (
        await self(
          { resourceAttributes: { namespace: ns, verb: 'get', resource: 'configmaps' } },
          { ...dan, quiet: true },
        )
      ).body.status?.allowed,
  )

  await self({ resourceAttributes: { namespace: ns, verb: 'get', resource: 'configmaps' } })
  await self({ resourceAttributes: { namespace: ns, verb: 'delete', resource: 'configmaps' } })
  await self({ resourceAttributes: { namespace: ns, verb: 'get', resource: 'secrets', name: 'one' } })
  await self({
    resourceAttributes: { verb: 'get', group: 'apps', resource: 'deployments', namespace: ns, subresource: 'scale' },
  })
  await self({ resourceAttributes: { verb: '*', group: '*', resource: '*' } })
  await self({ nonResourceAttributes: { path: '/metrics', verb: 'get' } })
  await self({ nonResourceAttributes: { path: '/metrics', verb: 'post' } })
  await self({ resourceAttributes: { verb: 'delete', resource: 'nodes' } }, {})
  await subject({ user: 'ext-dan', resourceAttributes: { verb: 'get', resource: 'nodes' } })
  await subject({
    user: 'ext-dan',
    groups: ['system:masters'],
    resourceAttributes: { verb: 'delete', resource: 'nodes' },
  })
  await subject({
    groups: ['none'],
    resourceAttributes: {
      namespace: ns,
      verb: 'list',
      resource: 'configmaps',
      fieldSelector: { requirements: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] },
    },
  })
  await t.post(`${AUTHZ}/namespaces/${ns}/localsubjectaccessreviews`, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'LocalSubjectAccessReview',
    metadata: { namespace: ns },
    spec: { user: 'ext-dan', resourceAttributes: { namespace: ns, verb: 'list', resource: 'configmaps' } },
  })
  await t.post(`${AUTHZ}/namespaces/${ns}/localsubjectaccessreviews`, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'LocalSubjectAccessReview',
    spec: { user: 'ext-dan', resourceAttributes: { namespace: 'elsewhere', verb: 'list', resource: 'configmaps' } },
  })
  // The rules of a user in a namespace; those that everyone has are left out here.
  const rules = (b) =>
    b.status?.resourceRules
      ? {
          ...b,
          status: {
            ...b.status,
            resourceRules: b.status.resourceRules.filter((r) => !/k8s\.io$/.test(r.apiGroups[0])),
            nonResourceRules: b.status.nonResourceRules.filter((r) => r.nonResourceURLs.includes('/metrics')),
          },
        }
      : b
  await t.post(
    `${AUTHZ}/selfsubjectrulesreviews`,
    { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace: ns } },
    { ...dan, pick: rules },
  )
  await t.post(
    `${AUTHZ}/selfsubjectrulesreviews`,
    { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: {} },
    dan,
  )

  // Bad questions.
  await self({})
  await self({ resourceAttributes: { verb: 'get' }, nonResourceAttributes: { path: '/x', verb: 'get' } })
  await subject({ resourceAttributes: { verb: 'get', resource: 'nodes' } })
  await subject({
    user: 'x',
    resourceAttributes: {
      verb: 'list',
      resource: 'pods',
      labelSelector: { rawSelector: 'a=b', requirements: [{ key: 'a', operator: 'In' }] },
    },
  })
  await t.post(
    `${AUTHZ}/subjectaccessreviews`,
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user: 'x', resourceAttributes: { verb: 'get', resource: 'nodes' } },
    },
    dan,
  )
  await t.get(`${AUTHZ}/selfsubjectaccessreviews`)
}
