// Writes that change nothing: the same resourceVersion, no watch event, whatever the verb; and the one that does change something.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  const a = `${url}/a`
  const cm = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { x: '1' } }, data: { k: 'v' } }
  await t.apply(a, cm, 'one')
  const version = (o) => (o.kind === 'Status' ? o : { resourceVersion: o.metadata.resourceVersion })
  const watch = await t.watch(`${url}?watch=true`)
  await watch.take(1)
  await t.put(a, cm, { pick: version })
  await t.put(
    `${a}?fieldManager=other`,
    { ...cm, metadata: { ...cm.metadata, creationTimestamp: null, generation: 5 } },
    { pick: version },
  )
  await t.mergePatch(
    `${a}?fieldManager=other`,
    { data: { k: 'v' }, metadata: { labels: { x: '1', y: null } } },
    { pick: version },
  )
  await t.strategicPatch(`${a}?fieldManager=other`, { data: { k: 'v' } }, { pick: version })
  await t.jsonPatch(
    `${a}?fieldManager=other`,
    [
      { op: 'replace', path: '/data/k', value: 'x' },
      { op: 'replace', path: '/data/k', value: 'v' },
    ],
    { pick: version },
  )
  await t.apply(a, cm, 'one', { pick: version })
  await t.apply(a, cm, 'one', { force: true, pick: version })
  await t.apply(`${a}?dryRun=All`, { ...cm, data: { k: 'dry' } }, 'one', { pick: version })
  await t.mergePatch(`${a}?dryRun=All`, { data: { k: 'dry' } }, { pick: version })
  await t.delete(`${a}?dryRun=All`, undefined, { pick: (o) => o.status })
  // becoming an owner of an equal value is a change, though of managedFields only
  await t.apply(a, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } }, 'two', {
    pick: version,
  })
  await t.apply(a, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } }, 'two', {
    pick: version,
  })
  await t.mergePatch(`${a}?fieldManager=three`, { data: { k: 'w' } }, { pick: version })
  await watch.take(2)
  watch.close()
}
