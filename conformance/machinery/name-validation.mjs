// Names and other metadata that validation refuses, on create and as a path segment.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const cm = (metadata) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata })
  const namespace = (name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })

  for (const name of ['Upper', 'trail-', 'two..dots', 'a/b', '..', 'n'.repeat(254)]) await t.post(cms, cm({ name }))
  await t.post(cms, cm({ name: 'n'.repeat(253) }), { pick: (b) => ({ kind: b.kind, length: b.metadata?.name.length }) })
  await t.post(cms, cm({ name: '1.2-3.x' }))
  await t.post('/api/v1/namespaces', namespace('mach.dotted'))
  await t.post('/api/v1/namespaces', namespace('n'.repeat(64)))
  await t.clear('/api/v1/namespaces/mach-nested')
  await t.post('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'mach-nested', namespace: 'mach-other' },
  })
  await t.get(`${cms}/Upper`)
  await t.get(`${cms}/has%20space`)
  await t.get(`${cms}/a%2Fb`)
  await t.delete(`${cms}/under_score`)
}
