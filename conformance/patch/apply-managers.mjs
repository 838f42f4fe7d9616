// Field manager names: where they come from, which are refused, and the force option outside apply.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  const a = `${url}/a`
  const cm = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } }
  const managers = (o) =>
    o.kind === 'Status' ? o : o.metadata.managedFields?.map((m) => `${m.operation} ${m.manager}`)
  const sorted = (o) => (o.kind === 'Status' ? o : managers(o)?.sort())
  const q = (s) => encodeURIComponent(s)
  await t.patch(a, cm, 'application/apply-patch+yaml')
  await t.patch(`${a}?fieldManager=`, cm, 'application/apply-patch+yaml')
  await t.patch(`${a}?fieldManager=${'m'.repeat(129)}`, cm, 'application/apply-patch+yaml')
  await t.patch(`${a}?fieldManager=${q('tab\there')}`, cm, 'application/apply-patch+yaml')
  await t.patch(`${a}?fieldManager=${q('new\nline')}&force=maybe`, cm, 'application/apply-patch+yaml')
  await t.patch(
    `${url}/b?fieldManager=one&force=maybe`,
    { ...cm, metadata: { name: 'b' } },
    'application/apply-patch+yaml',
  )
  await t.post(`${url}?fieldManager=${'m'.repeat(129)}`, cm)
  await t.post(`${url}?fieldManager=${q('tab\there')}`, cm)
  await t.post(url, cm, { agent: 'kubectl/v1.33.0 (linux/amd64) kubernetes/abc', pick: managers })
  await t.mergePatch(a, { data: { b: '1' } }, { agent: 'Go-http-client/2.0', pick: sorted })
  await t.mergePatch(`${a}?fieldManager=${q('named by query')}`, { data: { c: '1' } }, { pick: sorted })
  await t.mergePatch(a, { data: { d: '1' } }, { agent: 'noslash', pick: sorted })
  await t.mergePatch(a, { data: { e: '1' } }, { agent: '/leading', pick: sorted })
  await t.mergePatch(a, { data: { f: '1' } }, { agent: `${'long'.repeat(40)}/1`, pick: sorted })
  await t.mergePatch(`${a}?fieldManager=${q('ünïcode')}`, { data: { g: '1' } }, { pick: sorted })
  await t.mergePatch(`${a}?force=true`, { data: { h: '1' } })
  await t.jsonPatch(`${a}?force=false`, [])
  await t.strategicPatch(`${a}?force=true&fieldManager=x`, {})
  await t.put(`${a}?fieldManager=${'m'.repeat(129)}`, cm)
  await t.put(`${a}?force=true`, cm, { pick: managers })
  await t.patch(`${a}?fieldManager=${'m'.repeat(128)}&force=false`, cm, 'application/apply-patch+yaml', {
    pick: sorted,
  })
}
