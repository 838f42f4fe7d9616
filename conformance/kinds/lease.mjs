// Lease: table, micro times, create by put, update needs a resource version, refusals, delete.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const url = `/apis/coordination.k8s.io/v1/namespaces/${ns}/leases`
  const lease = (name, spec) => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec })
  const made = await t.post(
    url,
    lease('a', {
      holderIdentity: 'me',
      leaseDurationSeconds: 15,
      acquireTime: '2024-01-01T00:00:00.123456Z',
      renewTime: '2024-01-01T00:00:01.000000Z',
      leaseTransitions: 0,
    }),
  )
  await t.get(`${url}/a`, asTable)
  await t.post(url, lease('empty', {}))
  await t.get(`${url}/empty`, asTable)
  await t.put(`${url}/by-put`, lease('by-put', { holderIdentity: 'other' }))
  await t.put(`${url}/a`, lease('a', { holderIdentity: 'thief' }))
  await t.put(`${url}/a`, {
    ...made.body,
    spec: { ...made.body.spec, renewTime: '2024-01-01T00:00:09.000000Z', leaseTransitions: 1 },
  })
  await t.put(`${url}/a`, { ...made.body, spec: { ...made.body.spec, holderIdentity: 'late' } })
  await t.mergePatch(`${url}/a`, { spec: { holderIdentity: null } })
  await t.post(url, lease('bad', { leaseDurationSeconds: 0, leaseTransitions: -1 }))
  await t.post(url, lease('blank', { holderIdentity: '' }))
  await t.post(url, lease('bad', { strategy: 'OldestEmulationVersion', preferredHolder: 'x' }))
  await t.post(url, lease('bad', { renewTime: '2024-01-01T00:00:01Z' }))
  await t.post(url, lease('bad', { leaseDurationSeconds: '15' }))
  await t.post(url, lease('Bad_Name', {}))
  await t.get(`${url}/a/status`)
  await t.delete(`${url}/a`)
}
