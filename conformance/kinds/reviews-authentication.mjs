// TokenReview and SelfSubjectReview: virtual kinds that answer at once and are never stored.
export default async (t) => {
  const ns = await t.namespace()
  const tokens = '/apis/authentication.k8s.io/v1/tokenreviews'
  const self = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
  const review = (spec, more = {}) => ({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec, ...more })
  // the uid of a user differs from server to server, the rest does not
  const noUid = {
    pick: (b) => {
      if (b.status?.user) delete b.status.user.uid
      if (b.status?.userInfo) delete b.status.userInfo.uid
      if (b.spec?.token) b.spec.token = '<given>'
      return b
    },
  }
  const sa = await t.post(
    `/api/v1/namespaces/${ns}/serviceaccounts`,
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } },
    { quiet: true },
  )
  const made = await t.post(
    `/api/v1/namespaces/${ns}/serviceaccounts/a/token`,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    { quiet: true },
  )
  const token = made.body.status?.token
  const shape = {
    pick: (b) => ({
      kind: b.kind,
      apiVersion: b.apiVersion,
      metadata: Object.keys(b.metadata ?? {}),
      authenticated: b.status?.authenticated,
      audiences: b.status?.audiences,
      username: b.status?.user?.username,
      uid: b.status?.user?.uid === sa.body.metadata?.uid,
      groups: b.status?.user?.groups,
      extra: Object.keys(b.status?.user?.extra ?? {}),
      error: b.status?.error,
    }),
  }
  await t.post(tokens, review({ token }), shape)
  await t.post(tokens, review({ token, audiences: ['https://kubernetes.default.svc', 'other'] }), shape)
  await t.post(tokens, review({ token, audiences: ['other'] }), {
    pick: (b) => ({ kind: b.kind, authenticated: b.status?.authenticated ?? false, hasError: !!b.status?.error }),
  })
  await t.post(tokens, review({ token: 'no-such-token' }), {
    pick: (b) => ({
      kind: b.kind,
      apiVersion: b.apiVersion,
      spec: b.spec,
      authenticated: b.status?.authenticated ?? false,
      user: b.status?.user,
      hasError: !!b.status?.error,
    }),
  })
  await t.post(tokens, review({ token: '' }))
  await t.post(tokens, review({}))
  await t.post(tokens, review({ token: 'x' }, { metadata: { namespace: 'here' } }))
  await t.post(tokens, review({ token: 5 }))
  await t.post(tokens, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } })
  await t.get(tokens)
  await t.get(`${tokens}/x`)
  // who am I
  await t.post(self, { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }, noUid)
  await t.post(self, {}, noUid)
  await t.post(
    self,
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
      metadata: { name: 'named', labels: { a: 'b' } },
      status: { userInfo: { username: 'fake' } },
    },
    noUid,
  )
  await t.post(
    self,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    {
      headers: {
        'impersonate-user': 'kinds-someone',
        'impersonate-group': 'kinds-group',
        'impersonate-extra-team': 'x',
      },
    },
  )
  await t.post(self, { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }, { token: null })
  await t.get(self)
  await t.delete(`${self}/x`)
}
