// Large bodies: 413 above 3 MiB, size limits of single kinds, what storage refuses, and patches with too many operations.
export default async (t) => {
  const ns = await t.namespace()
  const base = `/api/v1/namespaces/${ns}`
  const cm = (name, data) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data })
  const pod = (name, value) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i', env: [{ name: 'E', value }] }] },
  })
  const MiB = 1024 * 1024
  const size = (b) => (b.kind === 'Status' ? b : { kind: b.kind, bytes: b.data?.k?.length })

  await t.post(`${base}/configmaps`, cm('fits', { k: 'x'.repeat(MiB) }), { pick: size })
  await t.post(`${base}/configmaps`, cm('over', { k: 'x'.repeat(MiB + 1) }), { pick: size })
  await t.post(`${base}/configmaps`, cm('two-keys', { a: 'x'.repeat(MiB / 2), b: 'x'.repeat(MiB / 2 + 1) }), {
    pick: size,
  })
  await t.post(
    `${base}/secrets`,
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'over' },
      data: { k: Buffer.alloc(MiB + 1).toString('base64') },
    },
    { pick: size },
  )
  await t.post(`${base}/pods`, pod('large', 'x'.repeat(1.75 * MiB)), { pick: size })
  await t.post(`${base}/configmaps`, cm('huge', { k: 'x'.repeat(3 * MiB) }))
  await t.put(`${base}/configmaps/fits`, cm('fits', { k: 'x'.repeat(3 * MiB) }))
  await t.mergePatch(`${base}/configmaps/fits`, { data: { k: 'x'.repeat(3 * MiB) } })
  await t.delete(
    `${base}/configmaps/fits`,
    JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions' }) + ' '.repeat(3 * MiB),
  )
  await t.post(`${base}/configmaps`, `{${' '.repeat(3 * MiB)}}`)
  // Exactly at the limit the body is still read.
  const small = JSON.stringify(cm('padded', { k: 'v' }))
  await t.post(`${base}/configmaps`, small + ' '.repeat(3 * MiB - small.length), { pick: size })
  await t.post(`${base}/configmaps`, small + ' '.repeat(3 * MiB - small.length + 1), { pick: size })
  const operations = (n) => Array.from({ length: n }, () => ({ op: 'test', path: '/data/k', value: 'v' }))
  await t.jsonPatch(`${base}/configmaps/padded`, operations(10000), { pick: size })
  await t.jsonPatch(`${base}/configmaps/padded`, operations(10001))
  // Too deep for the decoder.
  await t.post(`${base}/configmaps`, '['.repeat(20000))
  await t.mergePatch(`${base}/configmaps/padded`, `{"data":${'{"a":'.repeat(10001)}1${'}'.repeat(10001)}}`)
}
