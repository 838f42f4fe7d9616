// The specification's word: a reset of managedFields comes before the other changes of the same request, and whoever sent it owns what it changed.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps/a`
  const cm = (data, metadata) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata }, data })
  const owners = (r) => ({
    data: r.body.data,
    owners: (r.body.metadata?.managedFields ?? [])
      .map((m) => `${m.manager} ${m.operation} ${JSON.stringify(m.fieldsV1)}`)
      .sort(),
  })
  const quiet = { quiet: true }
  const before = async () => {
    await t.delete(url, undefined, quiet)
    await t.apply(url, cm({ k: '1' }), 'one', quiet)
    await t.mergePatch(`${url}?fieldManager=two`, { data: { l: '1' } }, quiet)
  }
  await before()
  t.note(
    'merge patch',
    owners(
      await t.mergePatch(`${url}?fieldManager=three`, { metadata: { managedFields: [{}] }, data: { l: '2' } }, quiet),
    ),
  )
  await before()
  t.note(
    'JSON patch',
    owners(
      await t.jsonPatch(
        `${url}?fieldManager=three`,
        [
          { op: 'replace', path: '/metadata/managedFields', value: [{}] },
          { op: 'add', path: '/data/m', value: '1' },
        ],
        quiet,
      ),
    ),
  )
  await before()
  t.note(
    'PUT',
    owners(await t.put(`${url}?fieldManager=three`, cm({ k: '9', l: '1' }, { managedFields: [{}] }), quiet)),
  )
  await before()
  t.note(
    'nothing else changed',
    owners(await t.mergePatch(`${url}?fieldManager=three`, { metadata: { managedFields: [{}] } }, quiet)),
  )
}
