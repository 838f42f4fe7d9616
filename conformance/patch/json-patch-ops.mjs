// JSON Patch: every operation, pointer escapes, array positions, no-op and in-order application.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  await t.post(url, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', labels: { 'example.com/x': '1' } },
    data: { k: 'v', other: 'o' },
  })
  const a = `${url}/a`
  await t.jsonPatch(a, [{ op: 'add', path: '/data/new', value: 'n' }])
  await t.jsonPatch(a, [{ op: 'add', path: '/data/k', value: 'added over' }])
  await t.jsonPatch(a, [{ op: 'replace', path: '/data/k', value: 'replaced' }])
  await t.jsonPatch(a, [{ op: 'remove', path: '/data/new' }])
  await t.jsonPatch(a, [{ op: 'copy', from: '/data/k', path: '/data/copied' }])
  await t.jsonPatch(a, [{ op: 'move', from: '/data/copied', path: '/data/moved' }])
  await t.jsonPatch(a, [
    { op: 'test', path: '/data/moved', value: 'replaced' },
    { op: 'replace', path: '/data/moved', value: 'tested' },
  ])
  // ~1 is a slash, ~0 a tilde
  await t.jsonPatch(a, [{ op: 'replace', path: '/metadata/labels/example.com~1x', value: '2' }])
  await t.jsonPatch(a, [
    { op: 'add', path: '/metadata/annotations', value: {} },
    { op: 'add', path: '/metadata/annotations/note', value: 'a ~ b' },
  ])
  // operations see the results of those before them
  await t.jsonPatch(a, [
    { op: 'add', path: '/data/one', value: '1' },
    { op: 'copy', from: '/data/one', path: '/data/two' },
    { op: 'remove', path: '/data/one' },
    { op: 'test', path: '/data/two', value: '1' },
  ])
  // a whole map
  await t.jsonPatch(a, [{ op: 'replace', path: '/data', value: { only: 'this' } }])
  // nothing changes: the same resourceVersion
  await t.jsonPatch(a, [{ op: 'replace', path: '/data/only', value: 'this' }])
  await t.jsonPatch(a, [{ op: 'test', path: '/data/only', value: 'this' }])
  await t.jsonPatch(a, [])
  await t.jsonPatch(a, [{ op: 'remove', path: '/data' }])
  await t.get(a)
}
