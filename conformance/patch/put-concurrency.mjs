// Optimistic concurrency of PUT: current, stale, missing, empty, zero and malformed resourceVersion; uid preconditions.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  const made = (await t.post(url, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { n: '1' } }))
    .body
  const a = `${url}/a`
  const put = (metadata, n) =>
    t.put(a, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata }, data: { n } })
  const second = (await put({ resourceVersion: made.metadata.resourceVersion }, '2')).body
  await put({ resourceVersion: made.metadata.resourceVersion }, '3')
  await put({}, '4')
  await put({ resourceVersion: '' }, '5')
  await put({ resourceVersion: null }, '6')
  await put({ resourceVersion: '0' }, '7')
  await put({ resourceVersion: 'abc' }, '7')
  await put({ resourceVersion: '-1' }, '7')
  await put({ resourceVersion: '99999999999' }, '7')
  await put({ resourceVersion: '99999999999999999999999999' }, '7')
  await put({ resourceVersion: 7 }, '7')
  await put({ uid: made.metadata.uid }, '8')
  await put({ uid: 'other' }, '9')
  await put({ uid: 'other', resourceVersion: made.metadata.resourceVersion }, '9')
  // the same content again changes nothing
  const last = (await t.get(a)).body
  await t.put(a, last)
  await t.put(a, { ...last, metadata: { ...last.metadata, resourceVersion: undefined } })
  await t.put(`${url}/missing`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'missing' } })
  await t.put(`${url}/missing`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'missing', resourceVersion: second.metadata.resourceVersion },
  })
  await t.put(`${url}/missing`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'missing', uid: made.metadata.uid },
  })
  // some resources are made by PUT
  const lease = `/apis/coordination.k8s.io/v1/namespaces/${ns}/leases/made`
  await t.put(lease, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'made' },
    spec: { holderIdentity: 'x' },
  })
  await t.put(lease, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'made' },
    spec: { holderIdentity: 'y' },
  })
  await t.put(`/apis/coordination.k8s.io/v1/namespaces/${ns}/leases/other`, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'other', resourceVersion: '5' },
  })
}
