// ConfigMap: data and binaryData, table, immutable, sizes and keys, refused maps.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  const cm = (name, more) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more })
  await t.post(url, cm('a', { data: { k: 'v', 'a.b-c_D': '' }, binaryData: { bin: 'AAEC' } }))
  await t.get(`${url}/a`, asTable)
  await t.post(url, cm('empty', {}))
  await t.get(`${url}/empty`, asTable)
  await t.post(url, cm('nulls', { data: null, immutable: null }))
  await t.mergePatch(`${url}/a`, { data: { k: null, n: '1' } })
  await t.put(`${url}/a`, cm('a', { data: { only: 'this' } }))
  await t.put(`${url}/missing`, cm('missing', {}))
  await t.mergePatch(`${url}/a`, { immutable: true })
  await t.mergePatch(`${url}/a`, { data: { only: 'that' } })
  await t.mergePatch(`${url}/a`, { binaryData: { x: 'AA==' } })
  await t.mergePatch(`${url}/a`, { immutable: null })
  await t.delete(`${url}/a`)
  // refused
  await t.post(url, cm('bad', { data: { 'a b': 'v' } }))
  await t.post(url, cm('bad', { data: { same: 'v' }, binaryData: { same: 'AA==' } }))
  await t.post(url, cm('bad', { data: { '..': 'v' } }))
  await t.post(url, cm('bad', { data: { big: 'x'.repeat(1024 * 1024 + 1) } }))
  await t.post(url, cm('bad', { data: { n: 1 } }))
  await t.post(url, cm('bad', { data: ['x'] }))
  await t.post(url, cm('bad', { binaryData: { x: '***' } }))
}
