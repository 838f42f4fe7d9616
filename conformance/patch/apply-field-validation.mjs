// fieldValidation under apply: unknown and duplicate fields with Strict, Warn, Ignore and none.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  const a = `${url}/a`
  const head = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }
  const raw = (query, body) => t.patch(`${a}?fieldManager=one${query}`, body, 'application/apply-patch+yaml')
  // unknown fields with Warn, Ignore and none: see spec/apply-unknown-fields
  const unknown = { ...head, bogus: 'x' }
  await raw('&fieldValidation=Strict', unknown)
  await raw('&fieldValidation=Bogus', head)
  const twice = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: first\n  k: second\n'
  await raw('&fieldValidation=Strict', twice)
  await raw('&fieldValidation=Warn', twice)
  await raw('&fieldValidation=Ignore', twice)
  await raw('', twice)
  const json = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"1"},"data":{"k":"2"}}'
  await raw('&fieldValidation=Strict', json)
  await raw('&fieldValidation=Warn', json)
  const many =
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: first\n  k: second\n  l: third\n  l: fourth\n'
  await raw('&fieldValidation=Strict', many)
  await raw('&fieldValidation=Warn', many)
  await raw('&fieldValidation=Strict', { ...head, data: { k: 'fine' } })
  await t.get(a)
}
