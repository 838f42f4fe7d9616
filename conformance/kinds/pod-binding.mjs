// Pod: binding to a node through pods/binding and through bindings, and what is refused.
export default async (t) => {
  await t.delete(`/api/v1/namespaces/${t.ns}/pods?gracePeriodSeconds=0`, undefined, { quiet: true })
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/pods`
  for (const name of ['a', 'b', 'c']) {
    await t.post(
      url,
      { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [{ name: 'c', image: 'busybox' }] } },
      { quiet: true },
    )
  }
  await t.post(url, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'gated' },
    spec: { schedulingGates: [{ name: 'example.com/wait' }], containers: [{ name: 'c', image: 'busybox' }] },
  })
  const binding = (name, target, metadata = {}) => ({
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, ...metadata },
    target,
  })
  const node = { apiVersion: 'v1', kind: 'Node', name: 'kinds-node-x' }
  // annotations of the binding are copied to the pod; the node need not exist
  await t.post(`${url}/a/binding`, binding('a', node, { annotations: { why: 'because' } }))
  await t.get(`${url}/a`)
  // already bound
  await t.post(`${url}/a/binding`, binding('a', node))
  await t.post(`${url}/a/binding`, binding('a', { kind: 'Node', name: 'kinds-node-y' }))
  // the older way
  await t.post(`/api/v1/namespaces/${ns}/bindings`, binding('b', { kind: 'Node', name: 'kinds-node-x' }))
  await t.get(`${url}/b`)
  // refused
  await t.post(`${url}/c/binding`, binding('c', { kind: 'Node', name: '' }))
  await t.post(`${url}/c/binding`, binding('c', { kind: 'Pod', name: 'x' }))
  await t.post(`${url}/c/binding`, binding('other', node))
  await t.post(`${url}/c/binding`, binding('c', node, { uid: '00000000-0000-0000-0000-000000000000' }))
  await t.post(`${url}/missing/binding`, binding('missing', node))
  await t.post(`${url}/c/binding`, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'c' } })
  await t.post(`${url}/gated/binding`, binding('gated', node))
  await t.get(`/api/v1/namespaces/${ns}/bindings`)
  await t.get(`${url}/a/binding`)
  // nodeName cannot be set by an update
  await t.mergePatch(
    `${url}/c`,
    { spec: { nodeName: 'kinds-node-x' } },
    {
      pick: (b) => ({
        code: b.code,
        reason: b.reason,
        field: b.details?.causes?.[0]?.field,
        type: b.details?.causes?.[0]?.reason,
      }),
    },
  )
  await t.delete(`${url}?gracePeriodSeconds=0`, undefined, { quiet: true })
}
