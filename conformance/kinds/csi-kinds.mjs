// CSIDriver, CSINode, CSIStorageCapacity: defaults, tables, what may change, refusals, delete.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const drivers = '/apis/storage.k8s.io/v1/csidrivers'
  const nodes = '/apis/storage.k8s.io/v1/csinodes'
  const capacities = `/apis/storage.k8s.io/v1/namespaces/${ns}/csistoragecapacities`
  await t.clear(`${drivers}/kinds-csi.example.com`)
  await t.clear(`${nodes}/kinds-csinode`)
  const driver = (name, spec) => ({ apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name }, spec })
  const node = (name, drv, more = {}) => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name },
    spec: { drivers: drv },
    ...more,
  })
  const made = await t.post(drivers, driver('kinds-csi.example.com', {}))
  await t.get(`${drivers}/kinds-csi.example.com`, asTable)
  await t.mergePatch(`${drivers}/kinds-csi.example.com`, {
    spec: { podInfoOnMount: true, storageCapacity: true, requiresRepublish: true },
  })
  await t.mergePatch(`${drivers}/kinds-csi.example.com`, { spec: { attachRequired: false } })
  await t.mergePatch(`${drivers}/kinds-csi.example.com`, { spec: { volumeLifecycleModes: ['Ephemeral'] } })
  await t.put(`${drivers}/kinds-csi.example.com`, { ...made.body, metadata: { name: 'kinds-csi.example.com' } })
  await t.post(
    drivers,
    driver('Bad Driver', {
      volumeLifecycleModes: ['Forever'],
      fsGroupPolicy: 'Odd',
      tokenRequests: [{ audience: 'a' }, { audience: 'a', expirationSeconds: 5 }],
    }),
  )
  await t.post(drivers, driver('kinds-csi2.example.com', { attachRequired: 'no' }))
  await t.delete(`${drivers}/kinds-csi.example.com`)

  await t.post(
    nodes,
    node('kinds-csinode', [{ name: 'd.example.com', nodeID: 'n', topologyKeys: ['zone'], allocatable: { count: 5 } }]),
  )
  await t.get(`${nodes}/kinds-csinode`, asTable)
  await t.mergePatch(
    `${nodes}/kinds-csinode`,
    { spec: { drivers: [{ name: 'd.example.com', nodeID: 'other', topologyKeys: ['zone'] }] } },
    { pick: (b) => JSON.parse(JSON.stringify(b).replace(/0x[0-9a-f]+/g, '0x0')) },
  )
  await t.mergePatch(`${nodes}/kinds-csinode`, { spec: { drivers: [] } })
  await t.post(
    nodes,
    node('kinds-csinode2', [
      { name: '', nodeID: '' },
      { name: 'd', nodeID: 'x', topologyKeys: ['a b', 'z', 'z'], allocatable: { count: -1 } },
      { name: 'd', nodeID: 'y' },
    ]),
  )
  await t.delete(`${nodes}/kinds-csinode`)

  const capacity = (name, more) => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIStorageCapacity',
    metadata: { name },
    ...more,
  })
  await t.post(
    capacities,
    capacity('c', { storageClassName: 'sc', nodeTopology: { matchLabels: { zone: 'a' } }, capacity: '10Gi' }),
  )
  await t.get(`${capacities}/c`, asTable)
  await t.mergePatch(`${capacities}/c`, { capacity: '5Gi', maximumVolumeSize: '1Gi' })
  await t.mergePatch(`${capacities}/c`, { storageClassName: 'other' })
  await t.post(
    capacities,
    capacity('bad', {
      capacity: '-1',
      maximumVolumeSize: '-2',
      nodeTopology: { matchExpressions: [{ key: 'a', operator: 'Near' }] },
    }),
  )
  await t.delete(`${capacities}/c`)
}
