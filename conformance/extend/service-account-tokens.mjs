// Service account tokens by TokenRequest: what is in them, using them as bearer, audiences, bounds, TokenReview, and refused requests.
import { stable } from '../support/picks.mjs'

const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews'

export default async (t) => {
  const ns = await t.namespace()
  const accounts = `/api/v1/namespaces/${ns}/serviceaccounts`
  await t.post(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } }, { pick: stable })
  const secret = (
    await t.post(
      `/api/v1/namespaces/${ns}/secrets`,
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } },
      { quiet: true },
    )
  ).body
  const ask = (spec, name = 'robot', more = {}) =>
    t.post(`${accounts}/${name}/token`, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec }, more)
  const claims = (token) => JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
  const shown = ({ iat, exp, nbf, jti, ...rest }) => ({
    ...rest,
    lifetime: exp - iat,
    notBefore: nbf === iat,
    id: /^[0-9a-f-]{36}$/.test(jti),
  })
  const review = (token, audiences) =>
    t.post(
      REVIEWS,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token, audiences } },
      {
        pick: (b) =>
          b.kind === 'Status'
            ? b
            : {
                ...b,
                spec: { ...b.spec, token: '<token>' },
                status: JSON.parse(JSON.stringify(b.status ?? null).replace(/JTI=[0-9a-f-]{36}/g, 'JTI=<id>')),
              },
      },
    )

  const made = await ask({})
  const token = made.body.status.token
  t.note(
    'header',
    (({ kid, ...h }) => ({ ...h, kid: typeof kid }))(
      JSON.parse(Buffer.from(token.split('.')[0], 'base64url').toString()),
    ),
  )
  t.note('claims', shown(claims(token)))
  await t.post(
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    { token, pick: (b) => JSON.parse(JSON.stringify(b.status ?? b).replace(/JTI=[0-9a-f-]{36}/g, 'JTI=<id>')) },
  )
  await t.get(`/api/v1/namespaces/${ns}/configmaps`, { token })
  await review(token)

  // Another audience: good for a review that asks for it, not for the API itself.
  const vault = (await ask({ audiences: ['vault'], expirationSeconds: 3600 })).body.status.token
  t.note('claims for an audience', shown(claims(vault)).aud)
  await t.get(`/api/v1/namespaces/${ns}/configmaps`, { token: vault })
  await review(vault)
  await review(vault, ['vault', 'other'])
  await review('nonsense')
  await review('')

  // Bound to a secret, the token dies with it.
  const bound = (
    await ask({ boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 's', uid: secret.metadata.uid } })
  ).body.status.token
  t.note('claims of a bound token', claims(bound)['kubernetes.io'])
  await t.delete(`/api/v1/namespaces/${ns}/secrets/s`, undefined, { quiet: true })
  await t.sleep(700)
  await t.get(`/api/v1/namespaces/${ns}/configmaps`, { token: bound })

  // Refused.
  await ask({ expirationSeconds: 599 })
  await ask({ expirationSeconds: 4294967297 })
  await ask({ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'none' } })
  await ask({ boundObjectRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'x' } })
  await ask({}, 'none')
  await t.post(`${accounts}/robot/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name: 'other', namespace: ns },
    spec: {},
  })
  await t.get(`${accounts}/robot/token`)
  // Without its account a token is worth nothing.
  const last = (await ask({}, 'robot', { quiet: true })).body.status.token
  await t.delete(`${accounts}/robot`, undefined, { quiet: true })
  await t.sleep(700)
  await t.get(`/api/v1/namespaces/${ns}/configmaps`, { token: last })
}
