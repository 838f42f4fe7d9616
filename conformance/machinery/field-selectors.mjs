// Field selectors: metadata.name and metadata.namespace everywhere, the extra fields of pods, secrets, namespaces and events, and unsupported ones.
export default async (t) => {
  const ns = await t.namespace()
  const base = `/api/v1/namespaces/${ns}`
  const pod = (name, spec) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  })
  for (const name of ['a', 'b'])
    await t.post(`${base}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }, { quiet: true })
  await t.post(`${base}/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's1' } }, { quiet: true })
  await t.post(
    `${base}/secrets`,
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's2' }, type: 'example.com/own' },
    { quiet: true },
  )
  await t.post(`${base}/pods`, pod('p1'), { quiet: true })
  await t.post(
    `${base}/pods`,
    pod('p2', { restartPolicy: 'Never', schedulerName: 'mine', serviceAccountName: 'robot', hostNetwork: true }),
    { quiet: true },
  )
  await t.post(
    `${base}/events`,
    {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e1' },
      involvedObject: { kind: 'Pod', namespace: ns, name: 'p1' },
      reason: 'Started',
      type: 'Normal',
      source: { component: 'kubelet' },
    },
    { quiet: true },
  )
  const select = (path, selector) =>
    t.get(`${path}?fieldSelector=${encodeURIComponent(selector)}`, {
      pick: (b) => (b.items ? { kind: b.kind, items: b.items?.map((i) => i.metadata.name).join(' ') } : b),
    })

  await select(`${base}/configmaps`, 'metadata.name=a')
  await select(`${base}/configmaps`, 'metadata.name!=a')
  await select(`${base}/configmaps`, 'metadata.name==b,metadata.name!=a')
  await select('/api/v1/configmaps', `metadata.namespace=${ns},metadata.name=b`)
  await select(`${base}/configmaps`, 'metadata.namespace=elsewhere')
  await select(`${base}/secrets`, 'type=example.com/own')
  await select('/api/v1/namespaces', `metadata.name=${ns},status.phase=Active`)
  await select('/api/v1/namespaces', `metadata.name=${ns},status.phase=Terminating`)
  for (const s of [
    'spec.nodeName=',
    'spec.restartPolicy=Never',
    'spec.schedulerName=mine',
    'spec.serviceAccountName=robot',
    'spec.hostNetwork=true',
    'status.phase=Pending',
    'status.phase!=Pending',
    'status.podIP=',
  ])
    await select(`${base}/pods`, s)
  for (const s of [
    'involvedObject.name=p1',
    'reason=Started,type=Normal',
    'source=kubelet',
    'reportingComponent=kubelet',
  ])
    await select(`${base}/events`, s)
  await select(`${base}/configmaps`, 'data.k=v')
  await select(`${base}/pods`, 'spec.priority=1')
  await select(`${base}/secrets`, 'data=x')
  await select(`${base}/configmaps`, 'metadata.labels.a=b')
  await select(`${base}/configmaps`, 'metadata.name')
}
