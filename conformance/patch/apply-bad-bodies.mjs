// Server-side apply with bodies that cannot be applied: malformed, wrong types, lists, managedFields inside.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  const a = `${url}/a`
  const raw = (body) => t.patch(`${a}?fieldManager=one`, body, 'application/apply-patch+yaml')
  const head = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }
  await raw('')
  await raw('null')
  await raw('[]')
  await raw('just text')
  await raw('{}')
  await raw('{"apiVersion":"v1",')
  await raw('apiVersion: v1\nkind: ConfigMap\n  bad: indent\n')
  await raw('apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n---\napiVersion: v1\nkind: ConfigMap\n')
  await raw({ ...head, metadata: 'text' })
  await raw({ ...head, metadata: null })
  await raw({ ...head, data: ['list'] })
  await raw({ ...head, data: { k: 7 } })
  await raw({ ...head, data: { k: { deep: 'x' } } })
  await raw({ ...head, metadata: { name: 'a', labels: ['x'] } })
  await raw({ ...head, metadata: { name: 'a', labels: { x: true } } })
  await raw({
    ...head,
    metadata: {
      name: 'a',
      managedFields: [{ manager: 'x', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }],
    },
  })
  await raw({ ...head, metadata: { name: 'a', managedFields: [] } })
  await raw({ ...head, metadata: { name: 'a', managedFields: null } })
  await raw({ kind: 'List', apiVersion: 'v1', items: [head] })
  await t.request('PATCH', `${a}?fieldManager=one`, { type: 'application/apply-patch+json', body: head })
  await t.request('PATCH', `${a}?fieldManager=one`, { type: 'application/yaml', body: head })
  await t.apply(url, head, 'one')
  await t.get(a)
}
