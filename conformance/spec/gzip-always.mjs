// The specification's word: whoever sends Accept-Encoding: gzip on a get or list is answered with gzip, whatever the size.
import { gunzipSync } from 'node:zlib'

export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  await t.post(
    cms,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'small' }, data: { k: 'v' } },
    { quiet: true },
  )
  const ask = async (label, url, opts = {}) => {
    const r = await t.get(url, { quiet: true, headers: { 'accept-encoding': 'gzip' }, ...opts })
    let text = r.raw
    try {
      if (r.headers['content-encoding'] === 'gzip') text = gunzipSync(r.raw)
    } catch {}
    t.note(label, {
      status: r.status,
      encoding: r.headers['content-encoding'] ?? 'none',
      starts: text.subarray(0, 6).toString('latin1'),
    })
  }
  await ask('one small object', `${cms}/small`)
  await ask('a short list', cms)
  await ask('an empty list', `/api/v1/namespaces/${ns}/secrets`)
  await ask('one chunk', `${cms}?limit=1`)
  await ask('a table', cms, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' })
  await ask('YAML', `${cms}/small`, { accept: 'application/yaml' })
  await ask('not asked for', `${cms}/small`, { headers: {} })
  await ask('never a watch', `${cms}?watch=1&timeoutSeconds=1`)
}
