// ServiceAccount: table, updates, and the token subresource (audiences, expiry, bound objects, refusals).
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/serviceaccounts`
  const sa = (name, more) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name }, ...more })
  await t.post(url, sa('a', {}))
  await t.get(`${url}/a`, asTable)
  await t.post(
    url,
    sa('b', { secrets: [{ name: 's' }], imagePullSecrets: [{ name: 'p' }], automountServiceAccountToken: false }),
  )
  await t.get(`${url}/b`, asTable)
  await t.put(`${url}/b`, sa('b', { imagePullSecrets: [{ name: 'q' }] }))
  await t.put(`${url}/missing`, sa('missing', {}))
  await t.post(url, sa('Bad Name', {}))
  await t.post(url, sa('c', { automountServiceAccountToken: 'maybe' }))
  // tokens
  const request = (spec, more = {}) => ({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec, ...more })
  const claims = (r) => {
    const token = r.body.status?.token
    if (!token) return null
    const c = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
    return {
      keys: Object.keys(c).sort(),
      aud: c.aud,
      sub: c.sub,
      iss: typeof c.iss,
      lifetime: c.exp - c.iat,
      kubernetes: Object.keys(c['kubernetes.io'] ?? {}).sort(),
    }
  }
  const made = await t.post(`${url}/a/token`, request({}))
  t.note('claims of a plain token', claims(made))
  const bound = await t.post(
    `${url}/a/token`,
    request({
      audiences: ['one', 'two'],
      expirationSeconds: 600,
      boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 'missing' },
    }),
  )
  t.note('bound to nothing', bound.status)
  const secret = await t.post(
    `/api/v1/namespaces/${ns}/secrets`,
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } },
    { quiet: true },
  )
  const real = await t.post(
    `${url}/a/token`,
    request({
      audiences: ['one', 'two'],
      expirationSeconds: 600,
      boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 's', uid: secret.body.metadata?.uid },
    }),
  )
  t.note('claims of a bound token', claims(real))
  await t.post(`${url}/a/token`, request({ expirationSeconds: 60 }))
  await t.post(`${url}/a/token`, request({ boundObjectRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 's' } }))
  await t.post(`${url}/a/token`, request({}, { metadata: { name: 'other' } }))
  await t.post(`${url}/missing/token`, request({}))
  await t.post(`${url}/a/token`, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } })
  await t.get(`${url}/a/token`)
  // a token proves who it is
  const who = await t.post(
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    {
      token: made.body.status?.token,
      pick: (b) => ({
        kind: b.kind,
        username: b.status?.userInfo?.username,
        groups: b.status?.userInfo?.groups,
        extra: Object.keys(b.status?.userInfo?.extra ?? {}),
      }),
    },
  )
  t.note('status with that token', who.status)
  await t.delete(`${url}/a`)
}
