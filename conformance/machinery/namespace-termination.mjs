// Deleting a namespace: phase Terminating, no new objects inside, contents removed, and the finalize subresource.
export default async (t) => {
  const name = 'mach-terminating'
  const url = `/api/v1/namespaces/${name}`
  const inside = `${url}/configmaps/held`
  // A run that broke off may have left the held object behind.
  await t.mergePatch(inside, { metadata: { finalizers: null } }, { quiet: true })
  await t.clear(url)

  await t.post('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { own: 'label' } },
  })
  await t.post(
    `${url}/configmaps`,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'held', finalizers: ['example.com/hold'] } },
    { quiet: true },
  )
  await t.post(
    `${url}/configmaps`,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'free' } },
    { quiet: true },
  )
  await t.delete(url)
  await t.post(`${url}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late' } })
  await t.post(
    `${url}/pods`,
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { generateName: 'late-' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    },
    { pick: (b) => JSON.parse(JSON.stringify(b).replace(/late-[a-z0-9]{5}/g, 'late-<random>')) },
  )
  await t.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  // Waits are soft: what did not happen shows in the next step.
  const soft = (probe) => t.until(probe, 10_000).catch(() => {})
  await soft(async () => (await t.get(inside, { quiet: true })).body.metadata.deletionTimestamp)
  await soft(async () => (await t.get(url, { quiet: true })).body.status?.conditions?.length === 5)
  await t.delete(url, undefined, { pick: (b) => b.message ?? { kind: b.kind, phase: b.status?.phase } })
  await t.get(url, {
    pick: (b) => ({
      phase: b.status?.phase,
      finalizers: b.spec?.finalizers,
      conditions: b.status?.conditions?.map(({ type, status, reason, message }) => ({ type, status, reason, message })),
    }),
  })
  await t.get(`${url}/configmaps`, { pick: (b) => b.items?.map((i) => i.metadata.name) })
  await t.mergePatch(inside, { data: { still: 'writable' } }, { pick: (b) => b.data })
  await t.mergePatch(url, { metadata: { labels: { more: 'x' } } }, { pick: (b) => b.metadata?.labels })
  await t.mergePatch(inside, { metadata: { finalizers: null } }, { quiet: true })
  await soft(async () => (await t.get(url, { quiet: true })).status === 404)
  await t.get(url)
  await t.get(inside)
  await t.get(`${url}/configmaps`, { pick: (b) => b.items })
}
