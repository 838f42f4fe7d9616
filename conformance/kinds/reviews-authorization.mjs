// SubjectAccessReview, SelfSubjectAccessReview, LocalSubjectAccessReview, SelfSubjectRulesReview: virtual kinds, their answers and refusals.
export default async (t) => {
  const ns = await t.namespace()
  const group = '/apis/authorization.k8s.io/v1'
  const review = (kind, spec, more = {}) => ({ apiVersion: 'authorization.k8s.io/v1', kind, spec, ...more })
  const pods = { namespace: ns, verb: 'get', resource: 'pods' }
  await t.post(
    `/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}/roles`,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'r' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }],
    },
    { quiet: true },
  )
  await t.post(
    `/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}/rolebindings`,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'rb' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
      subjects: [{ kind: 'User', name: 'kinds-reader', apiGroup: 'rbac.authorization.k8s.io' }],
    },
    { quiet: true },
  )
  const allowed = async () =>
    (
      await t.post(
        `${group}/subjectaccessreviews`,
        review('SubjectAccessReview', { user: 'kinds-reader', resourceAttributes: pods }),
        { quiet: true },
      )
    ).body.status?.allowed
  await t.until(allowed)
  await t.post(
    `${group}/subjectaccessreviews`,
    review('SubjectAccessReview', { user: 'kinds-reader', resourceAttributes: pods }),
  )
  await t.post(
    `${group}/subjectaccessreviews`,
    review('SubjectAccessReview', {
      user: 'kinds-reader',
      groups: ['g'],
      extra: { k: ['v'] },
      uid: 'some-id',
      resourceAttributes: { ...pods, verb: 'delete', name: 'x' },
    }),
  )
  await t.post(
    `${group}/subjectaccessreviews`,
    review('SubjectAccessReview', {
      groups: ['system:authenticated'],
      nonResourceAttributes: { path: '/openapi/v2', verb: 'get' },
    }),
  )
  await t.post(
    `${group}/subjectaccessreviews`,
    review('SubjectAccessReview', { user: 'kinds-reader', nonResourceAttributes: { path: '/metrics', verb: 'get' } }),
  )
  await t.post(
    `${group}/subjectaccessreviews`,
    review('SubjectAccessReview', {
      user: 'kinds-reader',
      resourceAttributes: {
        ...pods,
        verb: 'list',
        fieldSelector: { requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['n'] }] },
        labelSelector: { rawSelector: 'a=b' },
      },
    }),
  )
  await t.post(`${group}/subjectaccessreviews`, review('SubjectAccessReview', {}))
  await t.post(
    `${group}/subjectaccessreviews`,
    review('SubjectAccessReview', {
      user: 'u',
      resourceAttributes: pods,
      nonResourceAttributes: { path: '/', verb: 'get' },
    }),
  )
  await t.post(
    `${group}/subjectaccessreviews`,
    review('SubjectAccessReview', { user: 'u', resourceAttributes: pods }, { metadata: { name: 'named' } }),
    { pick: (b) => ({ code: b.code, reason: b.reason, causes: b.details?.causes?.map((c) => [c.field, c.reason]) }) },
  )
  await t.post(`${group}/subjectaccessreviews`, review('SubjectAccessReview', { user: 1 }))
  await t.post(
    `${group}/selfsubjectaccessreviews`,
    review('SelfSubjectAccessReview', { resourceAttributes: { ...pods, verb: '*', resource: '*', group: '*' } }),
  )
  await t.post(`${group}/selfsubjectaccessreviews`, review('SelfSubjectAccessReview', { resourceAttributes: pods }), {
    headers: { 'impersonate-user': 'kinds-reader' },
  })
  await t.post(`${group}/selfsubjectaccessreviews`, review('SelfSubjectAccessReview', {}))
  await t.post(
    `${group}/namespaces/${ns}/localsubjectaccessreviews`,
    review(
      'LocalSubjectAccessReview',
      { user: 'kinds-reader', resourceAttributes: pods },
      { metadata: { namespace: ns } },
    ),
  )
  await t.post(
    `${group}/namespaces/${ns}/localsubjectaccessreviews`,
    review('LocalSubjectAccessReview', {
      user: 'kinds-reader',
      resourceAttributes: { ...pods, namespace: 'elsewhere' },
    }),
  )
  await t.post(
    `${group}/namespaces/${ns}/localsubjectaccessreviews`,
    review('LocalSubjectAccessReview', { user: 'kinds-reader', nonResourceAttributes: { path: '/', verb: 'get' } }),
  )
  await t.post(`${group}/selfsubjectrulesreviews`, review('SelfSubjectRulesReview', { namespace: ns }), {
    headers: { 'impersonate-user': 'kinds-reader' },
    pick: (b) => ({
      ...b,
      status: {
        ...b.status,
        resourceRules: b.status?.resourceRules?.filter((r) => r.resources?.includes('pods')),
        nonResourceRules: b.status?.nonResourceRules?.length > 0,
      },
    }),
  })
  await t.post(`${group}/selfsubjectrulesreviews`, review('SelfSubjectRulesReview', {}))
  await t.get(`${group}/subjectaccessreviews`)
  await t.get(`${group}/selfsubjectaccessreviews/x`)
}
