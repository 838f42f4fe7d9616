// The specification's word: an empty managedFields list resets nothing, one empty entry strips all, and a reset comes before the other changes.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps/a`
  const managers = (r) => (r.body.metadata.managedFields ?? []).map((m) => `${m.manager} ${m.operation}`).sort()
  await t.apply(url, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: '1' } }, 'one', {
    quiet: true,
  })
  await t.mergePatch(`${url}?fieldManager=two`, { data: { l: '1' } }, { quiet: true })
  t.note(
    'after an empty list',
    managers(await t.mergePatch(`${url}?fieldManager=three`, { metadata: { managedFields: [] } }, { quiet: true })),
  )
  const live = (await t.get(url, { quiet: true })).body
  t.note(
    'after a PUT with an empty list',
    managers(
      await t.put(
        `${url}?fieldManager=three`,
        { ...live, metadata: { ...live.metadata, managedFields: [] } },
        { quiet: true },
      ),
    ),
  )
  t.note(
    'after one empty entry',
    managers(await t.mergePatch(`${url}?fieldManager=three`, { metadata: { managedFields: [{}] } }, { quiet: true })),
  )
}
