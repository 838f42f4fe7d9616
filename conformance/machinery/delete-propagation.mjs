// propagationPolicy and orphanDependents: which finalizer each leaves, what the answer looks like, and the garbage collector's part.
export default async (t) => {
  // A run that broke off may have left an object held by its finalizers.
  await t.mergePatch(
    `/api/v1/namespaces/${t.ns}/configmaps/b-child`,
    { metadata: { finalizers: null } },
    { quiet: true },
  )
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const cm = (name, metadata) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } })
  const owner = async (name) => (await t.post(cms, cm(name), { quiet: true })).body.metadata
  const child = (name, of, extra) =>
    t.post(
      cms,
      cm(name, { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: of.name, uid: of.uid, ...extra }] }),
      { quiet: true },
    )
  // Waits are soft: what did not happen shows in the next step.
  const soft = (probe) => t.until(probe, 8000).catch(() => {})
  const gone = (name) => soft(async () => (await t.get(`${cms}/${name}`, { quiet: true })).status === 404)

  // Background: the owner goes at once, its dependents later.
  const a = await owner('a')
  await child('a-child', a)
  await t.delete(`${cms}/a`, { propagationPolicy: 'Background' })
  await t.get(`${cms}/a`)
  await gone('a-child')
  await t.get(`${cms}/a-child`)
  // Foreground: the owner stays, marked, until the dependents that block it are gone.
  const b = await owner('b')
  await child('b-child', b, { blockOwnerDeletion: true, controller: true })
  await t.mergePatch(`${cms}/b-child`, { metadata: { finalizers: ['example.com/wait'] } }, { quiet: true })
  await t.delete(`${cms}/b`, { propagationPolicy: 'Foreground' })
  await soft(async () => (await t.get(`${cms}/b-child`, { quiet: true })).body.metadata.deletionTimestamp)
  await t.get(`${cms}/b`)
  await t.get(`${cms}/b-child`, {
    pick: (x) => ({ finalizers: x.metadata?.finalizers, terminating: !!x.metadata?.deletionTimestamp }),
  })
  await t.mergePatch(`${cms}/b-child`, { metadata: { finalizers: null } }, { quiet: true })
  await gone('b')
  await t.get(`${cms}/b-child`)
  // Orphan: the dependents lose the reference and live on.
  const c = await owner('c')
  await child('c-child', c)
  await t.delete(`${cms}/c?propagationPolicy=Orphan`)
  await gone('c')
  await t.get(`${cms}/c-child`, {
    pick: (x) => ({ name: x.metadata?.name, ownerReferences: x.metadata?.ownerReferences }),
  })
  // The older switch, and both at once.
  const d = await owner('d')
  await child('d-child', d)
  await t.delete(`${cms}/d`, { orphanDependents: true })
  await gone('d')
  await t.get(`${cms}/d-child`, {
    pick: (x) => ({ name: x.metadata?.name, ownerReferences: x.metadata?.ownerReferences }),
  })
  await t.delete(`${cms}/d-child`, { orphanDependents: false, propagationPolicy: 'Foreground' })
  await t.delete(`${cms}/d-child`, { orphanDependents: false })
  // Foreground without dependents still passes through the marked state.
  await owner('e')
  await t.delete(`${cms}/e?propagationPolicy=Foreground`)
  await gone('e')
  await t.get(`${cms}/e`)
}
