// PersistentVolumeClaim: defaults and the protection finalizer, table, immutable spec and resize rules, status, refused claims.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}
// the immutable-spec message carries a diff of the two specs after its first line
const brief = {
  pick: (b) => ({
    code: b.code,
    reason: b.reason,
    message: b.message?.split('\n')[0],
    causes: b.details?.causes?.map((c) => [c.field, c.reason, c.message?.split('\n')[0]]),
  }),
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
  const release = (ns, name) =>
    t.mergePatch(
      `/api/v1/namespaces/${ns}/persistentvolumeclaims/${name}`,
      { metadata: { finalizers: null } },
      { quiet: true },
    )
  for (const name of ['a', 'b', 'c']) await release(t.ns, name)
  const ns = await t.namespace()
  const classes = '/apis/storage.k8s.io/v1/storageclasses'
  await t.clear(`${classes}/kinds-pvc-grow`)
  await t.post(
    classes,
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'kinds-pvc-grow' },
      provisioner: 'example.com/x',
      allowVolumeExpansion: true,
    },
    { quiet: true },
  )
  const url = `/api/v1/namespaces/${ns}/persistentvolumeclaims`
  const pvc = (name, spec) => ({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec })
  const base = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
  await t.post(url, pvc('a', base))
  await t.get(`${url}/a`, asTable)
  await t.post(
    url,
    pvc('b', {
      ...base,
      storageClassName: 'kinds-pvc-grow',
      volumeMode: 'Block',
      volumeName: 'kinds-pv-none',
      selector: { matchLabels: { a: 'b' } },
      dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' },
    }),
  )
  await t.get(`${url}/b`, asTable)
  await t.post(url, pvc('c', { ...base, storageClassName: '' }))
  // immutable while unbound, labels aside
  await t.mergePatch(`${url}/a`, { metadata: { labels: { x: 'y' } } })
  await t.mergePatch(`${url}/a`, { spec: { accessModes: ['ReadOnlyMany'] } }, brief)
  await t.mergePatch(`${url}/a`, { spec: { resources: { requests: { storage: '2Gi' } } } }, brief)
  await t.mergePatch(`${url}/a`, { spec: { volumeName: 'kinds-pv-none' } })
  // growing needs a bound claim and a class that allows it
  await t.mergePatch(`${url}/a/status`, {
    spec: { volumeName: 'else' },
    status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
  })
  await t.mergePatch(`${url}/b/status`, {
    status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
  })
  await t.get(`${url}/b`, asTable)
  await t.mergePatch(`${url}/a`, { spec: { resources: { requests: { storage: '2Gi' } } } })
  await t.mergePatch(`${url}/b`, { spec: { resources: { requests: { storage: '2Gi' } } } })
  await t.mergePatch(`${url}/b`, { spec: { resources: { requests: { storage: '512Mi' } } } })
  // refused
  await t.post(url, pvc('d', {}))
  await t.post(
    url,
    pvc('d', {
      accessModes: ['Nope'],
      resources: { requests: { storage: '0' } },
      volumeMode: 'Tape',
      storageClassName: 'Bad Name',
    }),
  )
  await t.post(
    url,
    pvc('d', {
      ...base,
      accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'],
      selector: { matchLabels: { 'a b': 'c' } },
      dataSource: { kind: '', name: '' },
    }),
  )
  await t.post(url, pvc('d', { ...base, resources: { requests: { storage: 'big' } } }))
  // the finalizer holds the claim
  await t.delete(`${url}/a`)
  await t.get(`${url}/a`, asTable)
  await t.mergePatch(`${url}/a`, { metadata: { finalizers: null } })
  await t.get(`${url}/a`)
  for (const name of ['b', 'c']) await release(ns, name)
}
