// Create, read, replace, conflict, delete of one small object.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  const made = await t.post(url, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', labels: { x: '1' } },
    data: { k: 'v' },
  })
  await t.post(url, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } })
  await t.get(`${url}/a`)
  await t.put(`${url}/a`, { ...made.body, data: { k: 'v2' } })
  await t.put(`${url}/a`, { ...made.body, data: { k: 'v3' } })
  await t.get(`${url}/missing`)
  await t.get(url, { pick: (list) => ({ ...list, metadata: Object.keys(list.metadata) }) })
  await t.delete(`${url}/a`)
  await t.delete(`${url}/a`)
}
