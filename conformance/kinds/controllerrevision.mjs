// ControllerRevision: free-form data, table, immutable data and growing revision, refusals, delete.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const url = `/apis/apps/v1/namespaces/${ns}/controllerrevisions`
  const rev = (name, more) => ({ apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name }, ...more })
  const owner = await t.post(
    `/api/v1/namespaces/${ns}/configmaps`,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'own' } },
    { quiet: true },
  )
  await t.post(url, rev('a', { revision: 1, data: { spec: { anything: [1, 'two', null], nested: { x: true } } } }))
  await t.get(`${url}/a`)
  await t.get(`${url}/a`, asTable)
  await t.post(
    url,
    {
      ...rev('owned', { revision: 5, data: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'inner' } } }),
      metadata: {
        name: 'owned',
        ownerReferences: [
          { apiVersion: 'v1', kind: 'ConfigMap', name: 'own', uid: owner.body.metadata?.uid, controller: true },
        ],
      },
    },
    {
      pick: (b) => {
        if (b.metadata) delete b.metadata.managedFields
        return b
      },
    },
  )
  await t.get(`${url}/owned`, { accept: asTable.accept, pick: (b) => b.rows?.[0]?.cells?.slice(0, 3) })
  await t.mergePatch(`${url}/a`, { revision: 2, metadata: { labels: { x: 'y' } } })
  await t.mergePatch(
    `${url}/a`,
    { data: { spec: { anything: [] } } },
    { pick: (b) => ({ code: b.code, reason: b.reason, causes: b.details?.causes?.map((c) => [c.field, c.reason]) }) },
  )
  await t.mergePatch(`${url}/a`, { revision: 1 })
  await t.mergePatch(`${url}/a`, { revision: -3 })
  await t.put(`${url}/missing`, rev('missing', { revision: 1, data: {} }))
  await t.post(url, rev('bad', { revision: 1 }))
  await t.post(url, rev('bad', { revision: -1, data: { a: 1 } }))
  await t.post(url, rev('bad', { data: { a: 1 } }))
  await t.post(url, rev('bad', { revision: 'one', data: { a: 1 } }))
  await t.post(url, rev('list', { revision: 1, data: ['a', 'list'] }))
  await t.delete(`${url}/a`)
}
