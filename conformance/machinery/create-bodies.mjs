// What a create answers: 201 with defaults filled in, server-owned metadata overwritten, dry runs, optional kind/apiVersion.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const secrets = `/api/v1/namespaces/${ns}/secrets`

  const full = await t.post(cms, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'full', labels: { app: 'x' }, annotations: { note: 'some text' } },
    data: { 'a.txt': 'one' },
    binaryData: { bin: 'AAEC' },
    immutable: false,
  })
  t.note('timestamps are in whole seconds, UTC', {
    creation: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(full.body.metadata?.creationTimestamp),
    managed: /:\d\dZ$/.test(full.body.metadata?.managedFields?.[0]?.time),
  })
  await t.post(cms, { metadata: { name: 'no-kind' }, data: { a: '1' } })
  await t.post(cms, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'empty-maps', labels: {}, annotations: {}, finalizers: [], ownerReferences: [] },
    data: {},
  })
  // Fields the server owns are not taken from the client.
  await t.post(cms, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'owned',
      uid: '11111111-2222-3333-4444-555555555555',
      creationTimestamp: '2001-01-01T00:00:00Z',
      generation: 7,
      selfLink: '/somewhere',
      deletionTimestamp: '2001-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 5,
    },
  })
  await t.post(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
    data: { k: 'dg==' },
    stringData: { k: 'wins', l: 'plain' },
  })
  await t.post(
    cms,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'named-manager' }, data: { a: '1' } },
    { agent: 'my tool/2.0 (linux)' },
  )
  await t.post(`${cms}?fieldManager=hand`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'field-manager' },
    data: { a: '1' },
  })
  await t.post(`${cms}?fieldManager=${'m'.repeat(129)}`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'long-manager' },
  })

  await t.post(`${cms}?dryRun=All`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'dry' },
    data: { a: '1' },
  })
  await t.get(`${cms}/dry`)
  await t.post(`${cms}?dryRun=Some`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'dry' } })
  await t.post(`${cms}?dryRun=All`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'full' } })
  await t.post(`${cms}?dryRun=All`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'dry-' } })
}
