// JSON Patch whose result is not a valid object: wrong types, validation, identity changes, operation limits.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  await t.post(url, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } }, { quiet: true })
  const a = `${url}/a`
  // the message repeats the whole patched object, which changes from run to run
  const pick = (o) =>
    JSON.parse(JSON.stringify(o), (_, v) =>
      typeof v === 'string' ? v.replace(/Invalid value: "\{.*\}": /, 'Invalid value: <patched object>: ') : v,
    )
  await t.jsonPatch(a, [{ op: 'add', path: '/data/x', value: 7 }], { pick })
  await t.jsonPatch(a, [{ op: 'replace', path: '/data', value: ['a'] }], { pick })
  await t.jsonPatch(a, [{ op: 'replace', path: '/data', value: 'text' }], { pick })
  await t.jsonPatch(a, [{ op: 'replace', path: '/kind', value: 'Secret' }], { pick })
  await t.jsonPatch(a, [{ op: 'replace', path: '/kind', value: 'Pod' }], { pick })
  await t.jsonPatch(a, [{ op: 'replace', path: '/apiVersion', value: 'v2' }], { pick })
  await t.jsonPatch(a, [{ op: 'replace', path: '/metadata/creationTimestamp', value: 'yesterday' }], { pick })
  await t.jsonPatch(a, [{ op: 'add', path: '/data/bad~1key', value: 'x' }])
  await t.jsonPatch(a, [{ op: 'add', path: '/metadata/labels', value: { 'bad key': 'x' } }])
  await t.jsonPatch(a, [{ op: 'replace', path: '/metadata/name', value: 'b' }])
  await t.jsonPatch(a, [{ op: 'replace', path: '/metadata/namespace', value: 'other' }])
  await t.jsonPatch(a, [{ op: 'replace', path: '/metadata/uid', value: 'other' }])
  await t.jsonPatch(a, [{ op: 'remove', path: '/kind' }])
  await t.jsonPatch(a, [{ op: 'remove', path: '/metadata' }])
  await t.jsonPatch(a, [{ op: 'replace', path: '', value: {} }])
  await t.jsonPatch(a, [
    { op: 'remove', path: '/metadata/resourceVersion' },
    { op: 'add', path: '/data/rv', value: 'removed' },
  ])
  await t.jsonPatch(a, [{ op: 'replace', path: '/metadata/resourceVersion', value: '1' }])
  await t.jsonPatch(`${url}/missing`, [{ op: 'add', path: '/data/x', value: '1' }])
  await t.jsonPatch(`${url}/missing`, [{ op: 'bogus' }])
  // at most 10000 operations
  const many = (n) => Array.from({ length: n }, () => ({ op: 'test', path: '/data/k', value: 'v' }))
  await t.jsonPatch(a, many(10000), { pick: (o) => o.data ?? o })
  await t.jsonPatch(a, many(10001))
  await t.get(a)
}
