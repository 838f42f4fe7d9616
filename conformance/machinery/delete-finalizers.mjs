// Finalizers: deletion only marks the object, further deletes change nothing, and removing the last finalizer removes it.
export default async (t) => {
  // A run that broke off may have left objects held by their finalizers.
  for (const name of ['held', 'kept'])
    await t.mergePatch(
      `/api/v1/namespaces/${t.ns}/configmaps/${name}`,
      { metadata: { finalizers: null } },
      { quiet: true },
    )
  const ns = await t.namespace()
  const cms = `/api/v1/namespaces/${ns}/configmaps`
  const url = `${cms}/held`
  const made = (
    await t.post(cms, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'held', finalizers: ['example.com/one', 'example.com/two'] },
      data: { k: '1' },
    })
  ).body
  const w = await t.watch(`${cms}?watch=true&resourceVersion=${made.metadata.resourceVersion}`)

  const marked = (await t.delete(url)).body
  t.note('deletion bumped the version', marked.metadata.resourceVersion !== made.metadata.resourceVersion)
  const again = (await t.delete(url)).body
  t.note('a second delete changes nothing', again.metadata.resourceVersion === marked.metadata.resourceVersion)
  await t.get(url)
  await t.post(cms, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'held' } })
  // A terminating object may still be changed, but gains no new finalizers and cannot be revived.
  await t.mergePatch(url, { data: { k: '2' } })
  await t.mergePatch(url, { metadata: { finalizers: ['example.com/one', 'example.com/two', 'example.com/three'] } })
  await t.mergePatch(url, { metadata: { finalizers: ['example.com/other'] } })
  await t.mergePatch(url, { metadata: { deletionTimestamp: null } })
  await t.mergePatch(url, { metadata: { deletionGracePeriodSeconds: 99 } })
  await t.mergePatch(url, { metadata: { finalizers: ['example.com/two'] } })
  await t.mergePatch(url, { metadata: { finalizers: null } })
  await t.get(url)
  await w.take(4)
  // Removing finalizers without a deletion does not delete.
  await t.post(
    cms,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept', finalizers: ['example.com/one'] } },
    { quiet: true },
  )
  await t.mergePatch(`${cms}/kept`, { metadata: { finalizers: [] } })
}
