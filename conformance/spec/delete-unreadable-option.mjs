// The option for unreadable objects while its feature is off: it is taken, with every verb of deletion, and the deletion stays an ordinary one.
export default async (t) => {
  await t.mergePatch(`/api/v1/namespaces/${t.ns}/configmaps/held`, { metadata: { finalizers: null } }, { quiet: true })
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const option = 'ignoreStoreReadErrorWithClusterBreakingPotential'
  const make = (name, finalizers) =>
    t.post(cms, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, finalizers } }, { quiet: true })
  const brief = (b) =>
    b.kind === 'Status'
      ? b
      : {
          kind: b.kind,
          terminating: !!b.metadata?.deletionTimestamp,
          finalizers: b.metadata?.finalizers,
          items: b.items?.map((i) => i.metadata.name),
        }
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await make(name)
  await t.delete(`${cms}/a`, { [option]: true }, { pick: brief })
  await t.delete(`${cms}/b?${option}=true`, undefined, { pick: brief })
  await t.delete(`${cms}/c`, { [option]: false }, { pick: brief })
  await t.delete(`${cms}/d`, { [option]: true, dryRun: ['All'] }, { pick: brief })
  await t.delete(`${cms}/d`, { [option]: true, preconditions: { uid: 'other' } }, { pick: brief })
  await t.delete(
    `${cms}/d`,
    { [option]: true, gracePeriodSeconds: 0, propagationPolicy: 'Background' },
    { pick: brief },
  )
  await t.delete(`${cms}/e`, { [option]: 'yes' })
  await t.delete(`${cms}/e?${option}=perhaps`, undefined, { pick: brief })
  await t.delete(`${cms}/missing`, { [option]: true })
  // Finalizers are respected.
  await make('held', ['example.com/hold'])
  await t.delete(`${cms}/held`, { [option]: true }, { pick: brief })
  await t.get(`${cms}/held`, { pick: brief })
  await t.delete(`${cms}?labelSelector=a%3Db`, { [option]: true }, { pick: brief })
  await t.mergePatch(`${cms}/held`, { metadata: { finalizers: null } }, { quiet: true })
}
