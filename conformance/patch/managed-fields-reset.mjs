// Writing managedFields by hand: resets by an empty entry, before-first-apply, edits and malformed entries.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  const a = `${url}/a`
  const cm = (data, metadata) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata }, data })
  const pick = (o) => {
    if (o.kind === 'Status') return o
    return {
      data: o.data,
      managedFields: o.metadata.managedFields?.sort((x, y) => (x.manager < y.manager ? -1 : 1)),
      resourceVersion: o.metadata.resourceVersion,
    }
  }
  await t.apply(a, cm({ k: '1' }), 'one', { pick })
  await t.mergePatch(`${a}?fieldManager=two`, { data: { l: '1' } }, { pick })
  // null and absence change nothing
  await t.mergePatch(`${a}?fieldManager=three`, { metadata: { managedFields: null } }, { pick })
  await t.put(`${a}?fieldManager=three`, cm({ k: '1', l: '1' }), { pick })
  // one empty entry is a reset
  await t.mergePatch(`${a}?fieldManager=three`, { metadata: { managedFields: [{}] } }, { pick })
  // updates are not tracked until the next apply, which finds the rest as before-first-apply
  await t.mergePatch(`${a}?fieldManager=four`, { data: { l: '2' } }, { pick })
  await t.apply(a, cm({ k: '1' }), 'one', { pick })
  // also by JSON Patch and by PUT
  await t.jsonPatch(`${a}?fieldManager=three`, [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }], {
    pick,
  })
  await t.apply(a, cm({ k: '1', m: '1' }), 'one', { pick })
  await t.apply(a, cm({ k: '2', m: '1' }), 'one', { pick })
  await t.put(`${a}?fieldManager=three`, cm({ k: '1' }, { managedFields: [{}] }), { pick })
  await t.apply(a, cm({ k: '3' }), 'one', { pick })
  await t.apply(a, cm({ k: '3' }), 'one', { force: true, pick })
  // an entry written by hand is taken over
  const entry = {
    manager: 'hand',
    operation: 'Apply',
    apiVersion: 'v1',
    time: '2020-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': { 'f:k': {} } },
  }
  await t.mergePatch(`${a}?fieldManager=three`, { metadata: { managedFields: [entry] } }, { pick })
  await t.apply(a, cm({ k: '4' }), 'one', { pick })
  // wrong entries
  const wrong = (change) =>
    t.mergePatch(
      `${a}?fieldManager=three`,
      { metadata: { managedFields: [{ ...entry, manager: 'wrong', ...change }] } },
      { pick },
    )
  await wrong({ operation: 'Bogus' })
  await wrong({ operation: '' })
  await wrong({ fieldsType: 'FieldsV2' })
  await wrong({ fieldsV1: { data: {} } })
  await wrong({ fieldsV1: 'text' })
  await wrong({ manager: 'm'.repeat(129) })
  await wrong({ apiVersion: 'nope/v9' })
  await t.get(a, { pick })
}
