// dryRun=All on POST, PUT, PATCH, apply and DELETE: what comes back, and that nothing is kept.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  const cm = (name, data) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data })
  await t.post(`${url}?dryRun=All`, cm('a', { k: 'v' }))
  await t.get(`${url}/a`)
  await t.post(`${url}?dryRun=All`, { ...cm(undefined, { k: 'v' }), metadata: { generateName: 'gen-' } })
  const made = (await t.post(url, cm('a', { k: 'v' }))).body
  await t.post(`${url}?dryRun=All`, cm('a', { k: 'v' }))
  await t.post(`${url}?dryRun=All`, cm('Bad_Name', {}))
  const rv = (o) => ({ ...o, sameVersion: o.metadata?.resourceVersion === made.metadata.resourceVersion })
  await t.put(`${url}/a?dryRun=All`, cm('a', { k: 'put' }), { pick: rv })
  await t.put(`${url}/a?dryRun=All`, { ...made, metadata: { ...made.metadata, resourceVersion: '1' } })
  await t.put(`${url}/missing?dryRun=All`, cm('missing', {}))
  await t.mergePatch(`${url}/a?dryRun=All`, { data: { l: 'patched' } }, { pick: rv })
  await t.jsonPatch(`${url}/a?dryRun=All`, [{ op: 'test', path: '/data/k', value: 'other' }])
  await t.strategicPatch(`${url}/a?dryRun=All&fieldManager=x`, { metadata: { labels: { x: '1' } } }, { pick: rv })
  await t.apply(`${url}/a?dryRun=All`, cm('a', { k: 'applied' }), 'one')
  await t.apply(`${url}/a?dryRun=All`, cm('a', { k: 'applied' }), 'one', { force: true, pick: rv })
  await t.apply(`${url}/new?dryRun=All`, cm('new', { k: 'applied' }), 'one')
  await t.get(`${url}/new`)
  await t.delete(`${url}/a?dryRun=All`)
  await t.delete(`${url}/a`, { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] })
  await t.delete(`${url}/a?dryRun=All`, { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'other' } })
  await t.delete(`${url}/missing?dryRun=All`)
  await t.delete(`${url}?dryRun=All`, undefined, {
    pick: (o) => ({ kind: o.kind, items: o.items?.map((x) => x.metadata.name), status: o.status, message: o.message }),
  })
  await t.get(`${url}/a`, { pick: rv })
  await t.get(url, { pick: (o) => o.items.map((x) => x.metadata.name) })
}
