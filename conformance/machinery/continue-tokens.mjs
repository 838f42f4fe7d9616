// Continue tokens: what is in one, ones that do not decode, and going on after the version is gone (410 with a new token).
export default async (t) => {
  const ns = await t.namespace()
  const base = `/api/v1/namespaces/${ns}`
  for (const name of ['a', 'b', 'c', 'd'])
    await t.post(`${base}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }, { quiet: true })
  const first = (await t.get(`${base}/configmaps?limit=2`, { quiet: true })).body
  const token = first.metadata.continue
  let decoded = {}
  try {
    decoded = JSON.parse(Buffer.from(token, 'base64url').toString())
  } catch {}
  t.note('a token is base64url text of a small JSON object', {
    keys: Object.keys(decoded).sort(),
    version: decoded.v,
    sameVersion: String(decoded.rv) === first.metadata.resourceVersion,
    hasPadding: token.includes('='),
  })
  const encode = (o) =>
    encodeURIComponent(Buffer.from(typeof o === 'string' ? o : JSON.stringify(o)).toString('base64url'))
  const show = (b) =>
    b.items
      ? {
          items: b.items?.map((i) => i.metadata.name),
          more: !!b.metadata?.continue,
          remaining: b.metadata?.remainingItemCount,
        }
      : b
  const page = (token) => t.get(`${base}/configmaps?limit=1&continue=${token}`, { pick: show })

  await page(encode(decoded))
  await page(encode({ ...decoded, v: 'meta.k8s.io/v2' }))
  await page(encode({ ...decoded, start: '' }))
  await page('%21%21%21')
  await page('')
  // Version 1 is from before the server was up: it counts as compacted away. The answer carries a token to go on with, on newer data.
  const gone = await t.get(`${base}/configmaps?limit=1&continue=${encode({ ...decoded, rv: 1 })}`)
  await page(encodeURIComponent(gone.body.metadata.continue))
  await t.get(`${base}/configmaps?resourceVersion=1&resourceVersionMatch=Exact`)
}
