// Bodies and objects that are too large: the request limit, limits of kinds, annotations, and patches that grow.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  const a = `${url}/a`
  const cm = (name, data, metadata) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data })
  const text = (n) => 'x'.repeat(n)
  const pick = (o) => (o.kind === 'Status' ? o : { name: o.metadata.name, keys: Object.keys(o.data ?? {}) })
  await t.post(url, cm('a', { k: 'v' }), { pick })
  // more than 3 MiB are not read at all
  await t.post(url, cm('big', { k: text(3 * 1024 * 1024) }))
  await t.put(a, cm('a', { k: text(3 * 1024 * 1024) }))
  await t.mergePatch(a, { data: { k: text(3 * 1024 * 1024) } })
  await t.apply(a, cm('a', { k: text(3 * 1024 * 1024) }), 'one')
  // a config map holds 1 MiB
  await t.post(url, cm('over', { k: text(1024 * 1024 + 1) }))
  await t.mergePatch(a, { data: { big: text(1024 * 1024) } })
  await t.mergePatch(a, { data: { half: text(512 * 1024) } }, { pick })
  await t.mergePatch(a, { data: { other: text(512 * 1024) } })
  await t.post(url.replace('configmaps', 'secrets'), {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
    stringData: { k: text(1024 * 1024 + 1) },
  })
  // annotations hold 256 KiB in all
  await t.mergePatch(a, { metadata: { annotations: { one: text(128 * 1024), two: text(128 * 1024) } } })
  await t.post(url, cm('noted', {}, { annotations: { one: text(256 * 1024 + 1) } }))
  // a JSON patch may not copy without end
  const copies = Array.from({ length: 12 }, (_, i) => ({ op: 'copy', from: '/data/half', path: `/data/copy${i}` }))
  await t.jsonPatch(a, copies.slice(0, 1))
  await t.jsonPatch(a, copies)
  await t.get(a, { pick })
}
