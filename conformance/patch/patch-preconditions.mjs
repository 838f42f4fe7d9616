// A patch that carries resourceVersion or uid is conditional; identity fields in it must match the object.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  const made = await t.post(url, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { n: '1' } })
  const a = `${url}/a`
  const old = made.body.metadata.resourceVersion
  const next = await t.mergePatch(a, { metadata: { resourceVersion: old }, data: { n: '2' } })
  await t.mergePatch(a, { metadata: { resourceVersion: old }, data: { n: '3' } })
  await t.strategicPatch(a, { metadata: { resourceVersion: old }, data: { n: '3' } })
  await t.jsonPatch(a, [
    { op: 'replace', path: '/metadata/resourceVersion', value: old },
    { op: 'replace', path: '/data/n', value: '3' },
  ])
  await t.jsonPatch(a, [
    { op: 'test', path: '/metadata/resourceVersion', value: next.body.metadata.resourceVersion },
    { op: 'replace', path: '/data/n', value: '3' },
  ])
  await t.mergePatch(a, { metadata: { resourceVersion: '' }, data: { n: '4' } })
  await t.mergePatch(a, { metadata: { resourceVersion: null }, data: { n: '5' } })
  await t.mergePatch(a, { metadata: { resourceVersion: '0' }, data: { n: '6' } })
  await t.mergePatch(a, { metadata: { resourceVersion: 'abc' }, data: { n: '6' } })
  await t.mergePatch(a, { metadata: { uid: made.body.metadata.uid }, data: { n: '7' } })
  await t.mergePatch(a, { metadata: { uid: '00000000-0000-0000-0000-000000000000' }, data: { n: '8' } })
  await t.mergePatch(a, { metadata: { uid: null }, data: { n: '8' } })
  await t.mergePatch(a, { metadata: { name: 'b' } })
  await t.mergePatch(a, { metadata: { name: null } })
  await t.mergePatch(a, { metadata: { namespace: 'default' } })
  await t.mergePatch(a, { metadata: { namespace: null }, data: { n: '9' } })
  await t.mergePatch(a, {
    metadata: {
      creationTimestamp: '2001-01-01T00:00:00Z',
      generation: 7,
      selfLink: '/x',
      deletionTimestamp: '2001-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 5,
    },
  })
  await t.mergePatch(a, { metadata: { generateName: 'a-' } })
  await t.mergePatch(`${url}/missing`, { metadata: { resourceVersion: old } })
  await t.mergePatch(`${url}/missing`, { data: { n: '1' } })
  await t.mergePatch(`${url}/Not_A_Name`, { data: { n: '1' } })
  await t.get(a)
}
