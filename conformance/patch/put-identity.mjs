// PUT whose body disagrees with the URL or tries to change server-owned metadata.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  await t.post(url, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', labels: { x: '1' } },
    data: { n: '1' },
  })
  const a = `${url}/a`
  const cm = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { n: '2' } }
  const meta = (metadata) => t.put(a, { ...cm, metadata: { name: 'a', ...metadata } })
  await t.put(a, { ...cm, metadata: { name: 'b' } })
  await t.put(a, { ...cm, metadata: {} })
  await t.put(a, { ...cm, metadata: { name: 'a', namespace: 'default' } })
  await t.put(a, { ...cm, metadata: { name: 'a', namespace: ns } })
  await t.put(a, { ...cm, kind: 'Secret' })
  await t.put(a, { ...cm, kind: 'Nope' })
  await t.put(a, { ...cm, apiVersion: 'v2' })
  await t.put(a, { ...cm, apiVersion: 'apps/v1', kind: 'Deployment' })
  await t.put(a, { ...cm, kind: undefined })
  await t.put(a, { ...cm, apiVersion: undefined })
  await t.put(a, { metadata: { name: 'a' }, data: { n: 'neither' } })
  await meta({ creationTimestamp: '2001-01-01T00:00:00Z' })
  await meta({ deletionTimestamp: '2001-01-01T00:00:00Z', deletionGracePeriodSeconds: 3 })
  await meta({ generation: 12, selfLink: '/nowhere' })
  await meta({ generateName: 'a-' })
  await meta({ finalizers: ['bad'] })
  await meta({ ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o' }] })
  await meta({ annotations: { 'a b': 'x' }, labels: { ok: 'not ok!' } })
  await t.put(a, '')
  await t.put(a, 'null')
  await t.put(a, '[]')
  await t.put(a, '{"kind":')
  await t.put(url, cm)
  await t.get(a)
}
