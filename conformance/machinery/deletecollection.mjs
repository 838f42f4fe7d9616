// Deleting a whole collection: the list of what was deleted, selectors, options, and kinds that cannot do it.
export default async (t) => {
  // A run that broke off may have left an object held by its finalizers.
  await t.mergePatch(`/api/v1/namespaces/${t.ns}/configmaps/held`, { metadata: { finalizers: null } }, { quiet: true })
  const ns = await t.namespace()
  const base = `/api/v1/namespaces/${ns}`
  const cms = `${base}/configmaps`
  const make = (name, labels, finalizers) =>
    t.post(cms, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels, finalizers } }, { quiet: true })
  for (const n of ['a', 'b', 'c']) await make(n, { set: 'one' })
  for (const n of ['d', 'e']) await make(n, { set: 'two' })
  await make('held', { set: 'three' }, ['example.com/hold'])
  const hideRv = (b) => {
    if (b.metadata?.resourceVersion) b.metadata.resourceVersion = 'some version'
    return b
  }
  const names = () =>
    t.get(cms, {
      pick: (b) => b.items?.map((i) => `${i.metadata.name}${i.metadata.deletionTimestamp ? ' (terminating)' : ''}`),
    })

  await t.delete(`${cms}?labelSelector=set%3Dnone`, undefined, { pick: hideRv })
  await t.delete(`${cms}?labelSelector=set%3Dtwo`, undefined, { pick: hideRv })
  await names()
  await t.delete(
    `${cms}?fieldSelector=metadata.name%3Da`,
    { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' },
    { pick: hideRv },
  )
  await t.delete(`${cms}?dryRun=All`, undefined, {
    pick: (b) => ({ kind: b.kind, items: b.items?.map((i) => i.metadata.name) }),
  })
  await names()
  await t.delete(`${cms}?labelSelector=set%3D%3D%3D`)
  await t.delete(`${cms}?fieldSelector=data%3Dx`)
  await t.delete(cms, '{"broken')
  await t.delete(cms, { apiVersion: 'v1', kind: 'ConfigMap' })
  await t.delete(`${cms}?resourceVersion=abc`)
  // Preconditions hold for every object: the first that fails ends the run.
  await t.delete(`${cms}?labelSelector=set%3Done`, { preconditions: { uid: '11111111-2222-3333-4444-555555555555' } })
  await t.delete(`${cms}?limit=1&labelSelector=set%3Done`, undefined, {
    pick: (b) => ({ items: b.items?.map((i) => i.metadata.name) }),
  })
  await t.delete(cms, undefined, {
    pick: (b) => ({
      kind: b.kind,
      items: b.items?.map((i) => ({ name: i.metadata.name, terminating: !!i.metadata.deletionTimestamp })),
    }),
  })
  await names()
  await t.delete('/api/v1/namespaces')
  await t.delete('/api/v1/configmaps')
  await t.delete(`${base}/services/nothing/status`)
  await t.mergePatch(`${cms}/held`, { metadata: { finalizers: null } }, { pick: (b) => b.metadata?.name })
  await t.delete(cms, undefined, { pick: hideRv })
}
