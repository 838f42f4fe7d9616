// JSON Patch on arrays: append, insert, replace and remove by position, negative and too large positions.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  await t.post(url, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', finalizers: ['example.com/one'] } })
  const a = `${url}/a`
  const pick = (o) =>
    o.kind === 'Status' ? o : { finalizers: o.metadata.finalizers, resourceVersion: o.metadata.resourceVersion }
  const patch = (ops) => t.jsonPatch(a, ops, { pick })
  await patch([{ op: 'add', path: '/metadata/finalizers/-', value: 'example.com/three' }])
  await patch([{ op: 'add', path: '/metadata/finalizers/1', value: 'example.com/two' }])
  await patch([{ op: 'replace', path: '/metadata/finalizers/0', value: 'example.com/zero' }])
  await patch([{ op: 'move', from: '/metadata/finalizers/0', path: '/metadata/finalizers/-' }])
  await patch([{ op: 'copy', from: '/metadata/finalizers/0', path: '/metadata/finalizers/0' }])
  await patch([{ op: 'remove', path: '/metadata/finalizers/1' }])
  await patch([{ op: 'remove', path: '/metadata/finalizers/9' }])
  await patch([{ op: 'add', path: '/metadata/finalizers/9', value: 'example.com/nine' }])
  await patch([{ op: 'replace', path: '/metadata/finalizers/9', value: 'example.com/nine' }])
  await patch([{ op: 'add', path: '/metadata/finalizers/-1', value: 'example.com/neg' }])
  await patch([{ op: 'remove', path: '/metadata/finalizers/-1' }])
  await patch([{ op: 'replace', path: '/metadata/finalizers/-', value: 'example.com/dash' }])
  await patch([{ op: 'add', path: '/metadata/finalizers/first', value: 'example.com/word' }])
  await patch([{ op: 'add', path: '/metadata/finalizers/01', value: 'example.com/zero-one' }])
  await patch([{ op: 'test', path: '/metadata/finalizers/0', value: 'example.com/nope' }])
  await patch([{ op: 'remove', path: '/metadata/finalizers' }])
  await patch([{ op: 'add', path: '/metadata/finalizers/-', value: 'example.com/none' }])
  // leave nothing that holds the namespace
  await t.mergePatch(a, { metadata: { finalizers: null } }, { quiet: true })
}
