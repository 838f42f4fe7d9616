// JSON Merge Patch: set, delete by null, nested objects, lists replaced whole, no-ops and malformed documents.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  await t.post(url, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', labels: { x: '1', y: '2' }, finalizers: ['example.com/f'] },
    data: { k: 'v', l: 'w' },
  })
  const a = `${url}/a`
  await t.mergePatch(a, { data: { k: 'v2', m: 'new' } })
  await t.mergePatch(a, { data: { l: null }, metadata: { labels: { x: null }, annotations: { note: 'n' } } })
  await t.mergePatch(a, { metadata: { finalizers: ['example.com/g', 'example.com/h'] } })
  await t.mergePatch(a, { metadata: { finalizers: null, annotations: null } })
  await t.mergePatch(a, { data: null })
  await t.mergePatch(a, { data: { back: 'again', gone: null } })
  // no change: the same resourceVersion
  await t.mergePatch(a, {})
  await t.mergePatch(a, { data: { back: 'again' } })
  await t.mergePatch(a, { data: { absent: null } })
  await t.mergePatch(a, { metadata: { name: 'a', namespace: ns } })
  await t.patch(a, '[]', 'application/merge-patch+json')
  await t.patch(a, 'null', 'application/merge-patch+json')
  await t.patch(a, '"text"', 'application/merge-patch+json')
  await t.patch(a, '7', 'application/merge-patch+json')
  await t.patch(a, '', 'application/merge-patch+json')
  await t.patch(a, '{"data":', 'application/merge-patch+json')
  await t.patch(a, 'data:\n  k: yaml\n', 'application/merge-patch+json')
  // the message repeats the whole patched object, which changes from run to run
  const pick = (o) =>
    JSON.parse(JSON.stringify(o), (_, v) =>
      typeof v === 'string' ? v.replace(/Invalid value: "\{.*\}": /, 'Invalid value: <patched object>: ') : v,
    )
  await t.mergePatch(a, { data: { k: 7 } }, { pick })
  await t.mergePatch(a, { data: ['list'] }, { pick })
  await t.mergePatch(a, { metadata: 'text' }, { pick })
  await t.mergePatch(a, { metadata: { labels: { x: ['1'] } } }, { pick })
  await t.get(a)
  // leave nothing that holds the namespace
  await t.mergePatch(a, { metadata: { finalizers: null } }, { quiet: true })
}
