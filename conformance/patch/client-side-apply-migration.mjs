// From client-side apply (last-applied annotation) to server-side apply: what the manager name kubectl changes.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  const key = 'kubectl.kubernetes.io/last-applied-configuration'
  const cm = (name, data, metadata) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: ns, ...metadata },
    data,
  })
  const clientSide = (name, data) =>
    cm(name, data, { annotations: { [key]: `${JSON.stringify(cm(name, data, { annotations: {} }))}\n` } })
  const pick = (o) => {
    o.metadata?.managedFields?.sort((x, y) => (x.manager + x.operation < y.manager + y.operation ? -1 : 1))
    return o
  }
  const csa = 'fieldManager=kubectl-client-side-apply'
  await t.post(`${url}?${csa}`, clientSide('a', { k: '1', l: '1' }), { pick })
  // any other manager meets the conflict
  await t.apply(`${url}/a`, cm('a', { k: '2', l: '1' }), 'other', { pick })
  // kubectl does not: the annotation says that the value came from it; and the annotation follows
  await t.apply(`${url}/a`, cm('a', { k: '2', l: '1' }), 'kubectl', { pick })
  // a field left out now stays, because the Update entry still owns it
  await t.apply(`${url}/a`, cm('a', { k: '2' }), 'kubectl', { pick })
  // a value changed by somebody else since is a conflict for kubectl, too
  await t.mergePatch(`${url}/a?fieldManager=editor`, { data: { k: 'edited' } }, { pick })
  await t.apply(`${url}/a`, cm('a', { k: '3' }), 'kubectl', { pick })
  await t.apply(`${url}/a`, cm('a', { k: '3' }), 'kubectl', { force: true, pick })
  // the annotation is written by hand: it must be the applied object, or it says nothing
  await t.post(`${url}?${csa}`, cm('c', { k: '1' }, { annotations: { [key]: 'not json' } }), { pick })
  await t.apply(`${url}/c`, cm('c', { k: '2' }), 'kubectl', { pick })
  await t.apply(`${url}/c`, cm('c', { k: '1', m: '1' }), 'kubectl', { pick })
  // without annotation none is made
  await t.post(`${url}?${csa}`, cm('d', { k: '1' }), { quiet: true })
  await t.apply(`${url}/d`, cm('d', { k: '2' }), 'kubectl', { pick })
  await t.apply(`${url}/d`, cm('d', { k: '2' }), 'kubectl', { force: true, pick })
}
