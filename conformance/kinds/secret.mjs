// Secret: default type, stringData, table, immutable data and type, what each type requires, refused secrets.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/secrets`
  const secret = (name, more) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, ...more })
  await t.post(url, secret('a', { data: { k: 'dg==' } }))
  await t.get(`${url}/a`, asTable)
  // stringData wins over data and is never read back
  await t.post(url, secret('b', { data: { k: 'b2xk', l: '' }, stringData: { k: 'new', m: 'x' } }))
  await t.post(url, secret('c', {}))
  await t.mergePatch(`${url}/a`, { stringData: { more: 'y' } })
  await t.mergePatch(`${url}/a`, { type: 'example.com/other' })
  await t.put(`${url}/a`, secret('a', { data: { k: 'Mg==' } }))
  await t.put(`${url}/missing`, secret('missing', {}))
  // immutable
  await t.mergePatch(`${url}/a`, { immutable: true })
  await t.mergePatch(`${url}/a`, { data: { k: 'Mw==' } })
  await t.mergePatch(`${url}/a`, { immutable: false, data: { k: 'Mw==' } })
  await t.mergePatch(`${url}/a`, { metadata: { labels: { still: 'ok' } } })
  // typed secrets
  await t.post(url, secret('tls', { type: 'kubernetes.io/tls', stringData: { 'tls.crt': '', 'tls.key': '' } }))
  await t.post(url, secret('tls2', { type: 'kubernetes.io/tls', stringData: { 'tls.crt': 'x' } }))
  await t.post(
    url,
    secret('docker', { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '{"auths":{}}' } }),
  )
  await t.get(`${url}/docker`, asTable)
  await t.post(
    url,
    secret('docker2', { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': 'not json' } }),
  )
  await t.post(url, secret('basic', { type: 'kubernetes.io/basic-auth', stringData: { other: 'x' } }))
  await t.post(url, secret('ssh', { type: 'kubernetes.io/ssh-auth' }))
  await t.post(url, secret('sa', { type: 'kubernetes.io/service-account-token' }))
  // refused
  await t.post(url, secret('bad', { data: { 'no/slash': 'dg==' } }))
  await t.post(url, secret('bad', { data: { k: 'not base64!' } }))
  await t.post(url, secret('bad', { data: { k: 5 } }))
  await t.delete(`${url}/a`)
}
