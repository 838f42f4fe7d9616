// Deletion preconditions on uid and resourceVersion, in the body and against terminating objects.
export default async (t) => {
  // A run that broke off may have left an object held by its finalizers.
  await t.mergePatch(`/api/v1/namespaces/${t.ns}/configmaps/held`, { metadata: { finalizers: null } }, { quiet: true })
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const made = (await t.post(cms, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } })).body.metadata
  const newer = (await t.mergePatch(`${cms}/a`, { data: { k: '1' } })).body.metadata
  const wrongUid = '11111111-2222-3333-4444-555555555555'
  // The message names the object's real version: hide numbers in it.
  const hide = (b) => ({ ...b, message: b.message?.replace(/\(\d+\)/g, '(<rv>)') })

  await t.delete(`${cms}/a`, { preconditions: { uid: wrongUid } })
  await t.delete(`${cms}/a`, { preconditions: { resourceVersion: made.resourceVersion } }, { pick: hide })
  await t.delete(
    `${cms}/a`,
    { preconditions: { uid: made.uid, resourceVersion: made.resourceVersion } },
    { pick: hide },
  )
  await t.delete(`${cms}/a`, { preconditions: { uid: wrongUid, resourceVersion: newer.resourceVersion } })
  await t.delete(`${cms}/a`, { preconditions: { uid: made.uid }, dryRun: ['All'] })
  await t.delete(`${cms}/a`, { preconditions: { resourceVersion: 'abc' } }, { pick: hide })
  await t.delete(`${cms}/a`, { preconditions: { uid: '' } })
  await t.delete(`${cms}/a?uid=${wrongUid}`, { preconditions: {}, dryRun: ['All'] })
  await t.delete(`${cms}/missing`, { preconditions: { uid: made.uid } })
  await t.delete(`${cms}/a`, { preconditions: { uid: made.uid, resourceVersion: newer.resourceVersion } })
  await t.get(`${cms}/a`)
  // Uids are checked on an object that is already on its way out, too.
  const held = (
    await t.post(cms, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'held', finalizers: ['example.com/x'] },
    })
  ).body.metadata
  await t.delete(`${cms}/held`, { preconditions: { uid: held.uid } })
  await t.delete(`${cms}/held`, { preconditions: { uid: wrongUid } })
  await t.delete(`${cms}/held`, { preconditions: { resourceVersion: held.resourceVersion } }, { pick: hide })
  await t.mergePatch(`${cms}/held`, { metadata: { finalizers: null } }, { quiet: true })
}
