// Unknown paths and wrong methods: which answer is a Status and which is plain text, 404 against 405, odd slashes and segments.
export default async (t) => {
  const ns = await t.namespace()
  const base = `/api/v1/namespaces/${ns}`
  await t.post(`${base}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }, { quiet: true })

  for (const path of [
    '/nosuch',
    '/apis/nosuch.io/v1/things',
    '/apis/apps/v1/nosuch',
    `${base}/nosuch`,
    `${base}/nosuch/x`,
    `${base}/configmaps/a/nosuch`,
    `${base}/pods/a/nosuch`,
    `${base}/configmaps/a/status`,
    '/api/v1/nosuch',
    '/api/v2/pods',
    '/metrics/nosuch',
  ])
    await t.get(path)
  await t.get(`${base}/configmaps/`, { pick: (b) => b.message ?? b.kind })
  await t.get(`${base}/configmaps/a/`, { pick: (b) => b.message ?? b.kind })
  await t.get('/api/v1/namespaces//configmaps', { pick: (b) => b.message ?? b.kind })
  await t.post(`${base}/configmaps/a`, {})
  await t.put(`${base}/configmaps`, {})
  await t.patch(`${base}/configmaps`, {}, 'application/merge-patch+json')
  await t.request('OPTIONS', `${base}/configmaps/a`)
  await t.request('HEAD', `${base}/configmaps/a`)
  await t.request('REPORT', `${base}/configmaps/a`)
  await t.put('/api/v1', {})
  await t.get(`${base}/bindings`)
  await t.get('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews')
}
