// JSON Patch errors and leniencies: failed tests, missing targets, malformed documents and operations.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  await t.post(url, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } }, { quiet: true })
  const a = `${url}/a`
  const raw = (body) => t.patch(a, body, 'application/json-patch+json')
  await t.jsonPatch(a, [{ op: 'test', path: '/data/k', value: 'other' }])
  await t.jsonPatch(a, [{ op: 'test', path: '/data/absent', value: 'x' }])
  await t.jsonPatch(a, [{ op: 'test', path: '/data/absent', value: null }])
  await t.jsonPatch(a, [{ op: 'remove', path: '/data/absent' }])
  await t.jsonPatch(a, [{ op: 'add', path: '/metadata/labels/x', value: '1' }])
  // one failing operation undoes the whole patch
  await t.jsonPatch(a, [
    { op: 'add', path: '/data/first', value: '1' },
    { op: 'test', path: '/data/k', value: 'other' },
  ])
  await t.jsonPatch(a, [{ op: 'move', from: '/data/absent', path: '/data/moved' }])
  await t.jsonPatch(a, [{ op: 'bogus', path: '/data/k', value: '1' }])
  await t.jsonPatch(a, [{ path: '/data/k', value: '1' }])
  await t.jsonPatch(a, [{ op: 'add', value: '1' }])
  await t.jsonPatch(a, [{ op: 'copy', path: '/data/x' }])
  await raw('{"op":"add","path":"/data/x","value":"1"}')
  await raw('"text"')
  await raw('[{"op":"add"')
  await raw('')
  await raw('[null]')
  await raw('null')
  await t.jsonPatch(a, [{ op: 'remove', path: '' }])
  // accepted all the same
  await t.jsonPatch(a, [{ op: 'replace', path: '/data/replaced', value: 'was not there' }])
  await t.jsonPatch(a, [{ op: 'copy', from: '/data/absent', path: '/data/copied' }])
  await t.jsonPatch(a, [{ op: 'add', path: '/data/novalue' }])
  await t.jsonPatch(a, [{ op: 'add', path: 'data/x', value: 'no leading slash' }])
  await t.get(a)
}
