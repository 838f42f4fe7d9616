// Finalizers (a set) and ownerReferences (keyed by uid) under apply and update.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  const owner = (
    await t.post(url, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owner' } }, { quiet: true })
  ).body.metadata.uid
  const second = (
    await t.post(url, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'second' } }, { quiet: true })
  ).body.metadata.uid
  const a = `${url}/a`
  const cm = (metadata) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata } })
  // names of keys hold the uid of the owner
  const pick = (o) => {
    if (o.kind === 'Status') return o
    const text = JSON.stringify(o.metadata.managedFields ?? [])
      .replaceAll(owner, 'OWNER')
      .replaceAll(second, 'SECOND')
    const managedFields = JSON.parse(text).sort((x, y) => (x.manager < y.manager ? -1 : 1))
    return { finalizers: o.metadata.finalizers, ownerReferences: o.metadata.ownerReferences, managedFields }
  }
  const ref = (name, uid, more) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid, ...more })
  await t.apply(a, cm({ finalizers: ['example.com/a', 'example.com/b'] }), 'one', { pick })
  await t.apply(a, cm({ finalizers: ['example.com/c', 'example.com/b'] }), 'two', { pick })
  await t.apply(a, cm({ finalizers: ['example.com/a'] }), 'one', { pick })
  await t.apply(a, cm({ finalizers: ['example.com/d', 'example.com/a'] }), 'one', { pick })
  await t.apply(a, cm({ finalizers: ['example.com/a', 'example.com/a'] }), 'one', { pick })
  await t.apply(a, cm({ finalizers: [] }), 'one', { pick })
  await t.apply(a, cm(), 'one', { pick })
  await t.apply(a, cm(), 'two', { pick })
  await t.apply(a, cm({ ownerReferences: [ref('owner', owner)] }), 'one', { pick })
  await t.apply(a, cm({ ownerReferences: [ref('second', second, { blockOwnerDeletion: true })] }), 'two', { pick })
  await t.apply(a, cm({ ownerReferences: [ref('renamed', owner)] }), 'three', { pick })
  await t.apply(a, cm({ ownerReferences: [ref('owner', owner, { controller: true })] }), 'three', { pick })
  await t.apply(a, cm({ ownerReferences: [ref('owner', owner), ref('owner', owner)] }), 'one', { pick })
  await t.apply(a, cm({ ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner' }] }), 'one', { pick })
  await t.mergePatch(
    `${a}?fieldManager=four`,
    { metadata: { ownerReferences: null, finalizers: ['example.com/z'] } },
    { pick },
  )
  await t.mergePatch(`${a}?fieldManager=four`, { metadata: { finalizers: null } }, { pick })
  // leave nothing that holds the namespace
  await t.mergePatch(a, { metadata: { finalizers: null } }, { quiet: true })
}
