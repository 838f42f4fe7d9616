// PersistentVolume: defaults and the protection finalizer, table, what may change, status subresource, refused volumes, delete.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}
// managedFields come in the order of the second they were written in; sorted here by writer, so that the clock does not matter
const byWriter = (t) => {
  const key = (m) => [m.operation, m.manager, m.subresource, m.apiVersion].join()
  const sort = (o) => {
    o?.metadata?.managedFields?.sort?.((a, b) => (key(a) < key(b) ? -1 : 1))
    for (const r of o?.rows ?? []) sort(r.object)
    return o
  }
  const request = t.request.bind(t)
  t.request = (method, url, opts = {}) =>
    request(method, url, { ...opts, pick: (b) => sort(opts.pick ? opts.pick(b) : b) })
}

export default async (t) => {
  byWriter(t)
  const url = '/api/v1/persistentvolumes'
  const release = (name) => t.mergePatch(`${url}/${name}`, { metadata: { finalizers: null } }, { quiet: true })
  for (const name of ['kinds-pv-a', 'kinds-pv-b', 'kinds-pv-c']) {
    await release(name)
    await t.clear(`${url}/${name}`)
  }
  const pv = (name, spec) => ({ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec })
  const base = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] }
  await t.post(url, pv('kinds-pv-a', { ...base, hostPath: { path: '/x' } }))
  await t.get(`${url}/kinds-pv-a`, asTable)
  await t.post(
    url,
    pv('kinds-pv-b', {
      ...base,
      accessModes: ['ReadOnlyMany', 'ReadWriteMany'],
      storageClassName: 'kinds-sc-none',
      persistentVolumeReclaimPolicy: 'Delete',
      volumeMode: 'Block',
      claimRef: { namespace: 'n', name: 'c' },
      csi: { driver: 'csi.example.com', volumeHandle: 'h' },
    }),
  )
  await t.get(`${url}/kinds-pv-b`, asTable)
  await t.post(
    url,
    pv('kinds-pv-c', {
      ...base,
      local: { path: '/l' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['n'] }] }],
        },
      },
    }),
  )
  // the source is fixed, the capacity and policy are not
  await t.mergePatch(`${url}/kinds-pv-a`, {
    spec: { capacity: { storage: '2Gi' }, persistentVolumeReclaimPolicy: 'Delete' },
  })
  await t.mergePatch(
    `${url}/kinds-pv-b`,
    { spec: { csi: { volumeHandle: 'other' } } },
    {
      pick: (b) => ({
        code: b.code,
        reason: b.reason,
        message: b.message?.split('\n')[0],
        causes: b.details?.causes?.map((c) => [c.field, c.reason, c.message?.split('\n')[0]]),
      }),
    },
  )
  await t.mergePatch(`${url}/kinds-pv-b`, { spec: { volumeMode: 'Filesystem' } })
  await t.put(`${url}/kinds-pv-a`, pv('kinds-pv-a', { ...base, hostPath: { path: '/x' }, mountOptions: ['ro'] }))
  // status
  await t.mergePatch(`${url}/kinds-pv-a`, { status: { phase: 'Bound' } })
  await t.mergePatch(`${url}/kinds-pv-a/status`, {
    spec: { persistentVolumeReclaimPolicy: 'Retain' },
    status: { phase: 'Available', message: 'm', reason: 'R' },
  })
  await t.get(`${url}/kinds-pv-a`, asTable)
  // refused
  await t.post(url, pv('kinds-pv-d', {}))
  await t.post(url, pv('kinds-pv-d', { ...base, hostPath: { path: '/x' }, nfs: { server: 's', path: '/y' } }))
  await t.post(
    url,
    pv('kinds-pv-d', {
      capacity: { storage: '-1' },
      accessModes: ['Whatever'],
      persistentVolumeReclaimPolicy: 'Burn',
      volumeMode: 'Tape',
      hostPath: { path: '../x' },
    }),
  )
  await t.post(
    url,
    pv('kinds-pv-d', { ...base, nfs: { path: 'relative' }, storageClassName: 'Bad Name', mountOptions: ['x'] }),
  )
  await t.post(url, pv('kinds-pv-d', { ...base, local: { path: '/l' } }))
  await t.post(url, pv('kinds-pv-d', { ...base, csi: { driver: 'bad driver' } }))
  await t.post(url, pv('kinds-pv-d', { ...base, capacity: 5, hostPath: { path: '/x' } }))
  // the finalizer holds the volume; the one that a put has dropped it from goes at once
  await t.delete(`${url}/kinds-pv-b`)
  await t.get(`${url}/kinds-pv-b`, asTable)
  await t.mergePatch(`${url}/kinds-pv-b`, { metadata: { finalizers: null } })
  await t.get(`${url}/kinds-pv-b`)
  await t.delete(`${url}/kinds-pv-a`)
  await t.mergePatch(`${url}/kinds-pv-c`, { spec: { persistentVolumeReclaimPolicy: 'Recycle' } })
  await release('kinds-pv-c')
}
