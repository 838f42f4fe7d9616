// Plain lists: full bodies of empty and filled collections, items without kind, order by name, and kinds with defaulted fields.
export default async (t) => {
  const ns = await t.namespace()
  const base = `/api/v1/namespaces/${ns}`
  // The version of a list is the server's newest: it must be a number not below any item's.
  const plausible = (b) => {
    const versions = (b.items ?? []).map((i) => Number(i.metadata.resourceVersion))
    const { resourceVersion, ...metadata } = b.metadata
    return { ...b, metadata: { ...metadata, versionIsPlausible: Number(resourceVersion) >= Math.max(1, ...versions) } }
  }
  const list = (path) => t.get(path, { pick: plausible })

  await list(`${base}/configmaps`)
  await list(`${base}/pods`)
  for (const name of ['b', 'a', 'b.c', 'b-c', '10', '9'])
    await t.post(
      `${base}/configmaps`,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { of: name } },
      { quiet: true },
    )
  await t.post(
    `${base}/pods`,
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    { quiet: true },
  )
  await t.post(
    `${base}/secrets`,
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { k: 'v' } },
    { quiet: true },
  )
  await t.post(
    `${base}/events`,
    { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' }, involvedObject: { namespace: ns }, reason: 'R' },
    { quiet: true },
  )
  await list(`${base}/configmaps`)
  await list(`${base}/pods`)
  await list(`${base}/secrets`)
  await list(`${base}/events`)
  await list(`/api/v1/namespaces?fieldSelector=metadata.name%3D${ns}`)
  await list(`/apis/events.k8s.io/v1/namespaces/${ns}/events`)
  await list('/api/v1/namespaces/mach-no-such-namespace/configmaps')
  await t.delete(`${base}/configmaps/b`, undefined, { quiet: true })
  await t.get(`${base}/configmaps`, { pick: (b) => b.items?.map((i) => i.metadata.name) })
}
