// Replacing an object: stale and missing resourceVersion, no-op writes, names and uids that do not match, immutable metadata.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const url = `${cms}/a`
  const made = (await t.post(cms, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: '1' } }))
    .body
  const meta = made.metadata

  const same = await t.put(url, made)
  t.note(
    'a write that changes nothing keeps the resourceVersion',
    same.body.metadata.resourceVersion === meta.resourceVersion,
  )
  await t.put(url, { ...made, data: { k: '2' } })
  await t.put(url, { ...made, data: { k: '3' } })
  await t.put(url, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'unconditional' } })
  await t.put(url, { metadata: { name: 'a', resourceVersion: '' }, data: { k: 'no kind' } })
  await t.put(url, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', resourceVersion: '0' },
    data: { k: 'zero' },
  })
  await t.put(url, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', resourceVersion: 'abc' },
    data: { k: 'x' },
  })
  await t.put(url, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data: { k: 'x' } })
  await t.put(url, { apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data: { k: 'x' } })
  await t.put(url, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'elsewhere' } })
  await t.put(url, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', uid: '11111111-2222-3333-4444-555555555555' },
    data: { k: 'x' },
  })
  await t.put(url, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', creationTimestamp: '2001-01-01T00:00:00Z', generation: 3 },
    data: { k: 'kept' },
  })
  await t.put(url, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', deletionTimestamp: '2001-01-01T00:00:00Z' },
    data: { k: 'kept' },
  })
  await t.put(url, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } })
  await t.put(url, '{"apiVersion":"v1"')
  await t.put(`${cms}/missing`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'missing' } })
  await t.put(`${cms}/missing`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'missing', uid: meta.uid, resourceVersion: meta.resourceVersion },
  })
  await t.put(cms, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } })
  await t.put(`${url}?dryRun=All`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'dry' } })
  await t.get(url)
}
