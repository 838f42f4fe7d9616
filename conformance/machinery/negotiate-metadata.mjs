// PartialObjectMetadata and its list: reads, writes answered as metadata, and requests for the wrong one of the two.
export default async (t) => {
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const one = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'
  const many = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'
  const hideRv = (b) => {
    if (b.metadata?.resourceVersion && b.items) b.metadata.resourceVersion = 'some version'
    return b
  }

  await t.post(
    cms,
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', labels: { x: '1' }, annotations: { n: 'm' } },
      data: { k: 'v' },
    },
    { accept: one },
  )
  await t.post(cms, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } }, { quiet: true })
  await t.get(`${cms}/a`, { accept: one })
  await t.get(cms, { accept: many, pick: hideRv })
  await t.get(`${cms}?limit=1`, { accept: many, pick: hideRv })
  await t.get(`${cms}?labelSelector=x%3D1`, { accept: many, pick: hideRv })
  await t.mergePatch(`${cms}/a`, { metadata: { labels: { x: '2' } } }, { accept: one })
  await t.get(cms, { accept: one })
  await t.get(`${cms}/a`, { accept: many })
  await t.get(`${cms}/missing`, { accept: one })
  await t.get(`${cms}/a`, { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1' })
  await t.get(`${cms}/a`, { accept: 'application/json;as=PartialObjectMetadata;g=other.io;v=v1' })
  await t.get(`${cms}/a`, {
    accept: 'application/json;as=PartialObjectMetadata;g=other.io;v=v1,application/json',
    pick: (b) => b.kind,
  })
  await t.get(`${cms}/a`, { accept: 'application/json;as=PartialObjectMetadata;v=v1' })
  await t.delete(`${cms}/b`, undefined, { accept: one })
  await t.delete(cms, undefined, { accept: many, pick: hideRv })
}
