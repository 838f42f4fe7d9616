// Names: one per kind and namespace at a time, free again after deletion; cluster-scoped names are unique in the cluster; ids never repeat.
export default async (t) => {
  const ns = await t.namespace()
  const other = await t.namespace(`${ns}-b`)
  const base = `/api/v1/namespaces/${ns}`
  const cm = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'same' } }
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'same' } }
  const id = (b) =>
    b.kind === 'Status'
      ? b
      : { kind: b.kind, namespace: b.metadata.namespace, name: b.metadata.name, uid: b.metadata.uid }
  const first = await t.post(`${base}/configmaps`, cm, { pick: id })
  await t.post(`${base}/configmaps`, cm, { pick: id })
  // Another kind and another namespace may use the name.
  await t.post(`${base}/secrets`, secret, { pick: id })
  await t.post(`/api/v1/namespaces/${other}/configmaps`, cm, { pick: id })
  // After deletion the name is free, and the new object is another one.
  await t.delete(`${base}/configmaps/same`, undefined, { pick: (b) => b.status })
  const second = await t.post(`${base}/configmaps`, cm, { pick: id })
  t.note('ids', {
    differ: first.body.metadata?.uid !== second.body.metadata?.uid,
    random: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(
      second.body.metadata?.uid ?? '',
    ),
    versionsDiffer: first.body.metadata?.resourceVersion !== second.body.metadata?.resourceVersion,
  })
  t.note('created just now', Math.abs(Date.parse(second.body.metadata?.creationTimestamp) - Date.now()) < 30_000)
  // Cluster-scoped kinds have no namespace.
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'spec-node' } }
  for (const name of ['spec-node', 'spec-node-2']) await t.clear(`/api/v1/nodes/${name}`)
  await t.post('/api/v1/nodes', node, { pick: id })
  await t.post('/api/v1/nodes', node, { pick: id })
  await t.post('/api/v1/nodes', { ...node, metadata: { name: 'spec-node-2', namespace: ns } }, { pick: id })
  await t.get(`${base}/nodes/spec-node`)
  await t.get('/api/v1/namespaces', { pick: (b) => b.kind })
  await t.get(`/api/v1/namespaces/${ns}`, { pick: id })
  // Virtual kinds need no name and keep nothing.
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { verb: 'get', resource: 'pods', namespace: ns } },
  }
  const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
  await t.post(reviews, review)
  await t.post(reviews, review)
  await t.get(`${reviews}/any`)
  // Apply is for objects with metadata that can be stored: not for these.
  await t.apply(`${reviews}/any`, { ...review, metadata: { name: 'any' } }, 'one')
  await t.apply(
    `${base}/bindings/any`,
    { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'any' }, target: { kind: 'Node', name: 'n' } },
    'one',
  )
}
