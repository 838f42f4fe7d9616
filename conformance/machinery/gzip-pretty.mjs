// Response encoding: gzip for willing clients, indented JSON with ?pretty or for curl and browsers, HEAD-like details.
import { gunzipSync } from 'node:zlib'

export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  await t.post(
    cms,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'small' }, data: { k: 'v' } },
    { quiet: true },
  )
  await t.post(
    cms,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'big' }, data: { k: 'x'.repeat(140 * 1024) } },
    { quiet: true },
  )
  const gzip = { headers: { 'accept-encoding': 'gzip' } }
  const encoding = async (label, url, opts = {}) => {
    const r = await t.get(url, { quiet: true, ...opts })
    let unzipped
    if (r.headers['content-encoding'] === 'gzip') unzipped = JSON.parse(gunzipSync(r.raw)).kind
    t.note(label, {
      status: r.status,
      encoding: r.headers['content-encoding'],
      vary: r.headers.vary,
      type: r.headers['content-type'],
      unzipped,
    })
  }

  await encoding('large object, gzip', `${cms}/big`, gzip)
  await encoding('large object, no gzip', `${cms}/big`)
  await encoding('large list, gzip', cms, gzip)
  await encoding('large object, several encodings', `${cms}/big`, {
    headers: { 'accept-encoding': 'deflate, gzip;q=0.5, br' },
  })
  await encoding('large object, other encoding', `${cms}/big`, { headers: { 'accept-encoding': 'br' } })
  await encoding('large object, any encoding', `${cms}/big`, { headers: { 'accept-encoding': '*' } })

  // The shape of the JSON text: one line or indented by two spaces.
  const shape = async (label, url, opts = {}) => {
    const r = await t.get(url, { quiet: true, ...opts })
    const text = r.raw.toString()
    t.note(label, {
      status: r.status,
      firstLine: text.split('\n')[0].slice(0, 20),
      endsWithNewline: text.endsWith('\n'),
      second: text.split('\n')[1]?.slice(0, 12),
    })
  }
  await shape('plain', `${cms}/small`)
  await shape('pretty=true', `${cms}/small?pretty=true`)
  await shape('pretty=1', `${cms}/small?pretty=1`)
  await shape('pretty=false', `${cms}/small?pretty=false`)
  await shape('pretty, empty', `${cms}/small?pretty=`)
  await shape('pretty=0', `${cms}/small?pretty=0`)
  await shape('curl', `${cms}/small`, { agent: 'curl/8.0.0' })
  await shape('a browser', `${cms}/small`, { agent: 'Mozilla/5.0 (X11; Linux)' })
  await shape('curl, pretty=0', `${cms}/small?pretty=0`, { agent: 'curl/8.0.0' })
  await shape('pretty media type', `${cms}/small`, { accept: 'application/json;pretty=1' })
  await shape('pretty error', `${cms}/missing?pretty=true`)
  await shape('pretty discovery', '/apis/apps?pretty=true')
  await shape('pretty list', `${cms}?pretty=true&fieldSelector=metadata.name%3Dsmall`)
  await shape('pretty watch', `${cms}?watch=true&timeoutSeconds=1&pretty=true&fieldSelector=metadata.name%3Dsmall`)
}
