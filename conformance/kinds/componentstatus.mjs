// ComponentStatus: a read-only, deprecated view; only its shape is held, not the health of the components.
export default async (t) => {
  const url = '/api/v1/componentstatuses'
  const shape = (i) => ({
    name: i.metadata?.name,
    keys: Object.keys(i).sort(),
    condition: (i.conditions ?? []).map((c) => c.type),
  })
  await t.get(url, {
    pick: (b) => ({
      kind: b.kind,
      apiVersion: b.apiVersion,
      keys: Object.keys(b).sort(),
      etcd: (b.items ?? []).filter((i) => i.metadata?.name === 'etcd-0').map(shape),
    }),
  })
  await t.get(`${url}/etcd-0`)
  await t.get(`${url}/etcd-0`, {
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    pick: (b) => ({ kind: b.kind, columnDefinitions: b.columnDefinitions, cells: b.rows?.[0]?.cells }),
  })
  await t.get(`${url}/nothing`)
  await t.get(`${url}?fieldSelector=metadata.name=etcd-0`, {
    pick: (b) => ({ kind: b.kind, names: b.items?.map((i) => i.metadata?.name) }),
  })
  await t.post(url, { apiVersion: 'v1', kind: 'ComponentStatus', metadata: { name: 'x' } })
  await t.delete(`${url}/etcd-0`)
  await t.get(`${url}?watch=true`)
}
