// Server-side apply creates, changes and leaves alone; fieldManager is required; the body must fit the URL.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/configmaps`
  const a = `${url}/a`
  const cm = (data, metadata) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata }, data })
  await t.apply(a, cm({ k: 'v' }))
  await t.apply(a, cm({ k: 'v' }), 'one')
  await t.apply(a, cm({ k: 'v' }), 'one')
  await t.apply(a, cm({ k: 'v2', l: 'w' }, { labels: { x: '1' } }), 'one')
  await t.apply(a, cm({ k: 'v2' }, { labels: { x: '1' } }), 'one')
  // the body may be YAML; the name must be there, the namespace need not
  await t.patch(
    `${a}?fieldManager=one`,
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: yaml # comment\n',
    'application/apply-patch+yaml',
  )
  await t.patch(
    `${url}/b?fieldManager=one`,
    'apiVersion: v1\nkind: ConfigMap\ndata: {k: b}\n',
    'application/apply-patch+yaml',
  )
  await t.apply(a, cm({ k: 'v3' }, { namespace: ns }), 'one')
  await t.apply(a, cm({ k: 'v3' }, { name: 'b' }), 'one')
  await t.apply(a, cm({ k: 'v3' }, { namespace: 'default' }), 'one')
  await t.apply(`${url}/Not_A_Name`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'Not_A_Name' } }, 'one')
  await t.apply(`${url}/c`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'c-' } }, 'one')
  await t.apply(a, { ...cm({ k: 'v3' }), kind: 'Secret' }, 'one')
  await t.apply(a, { ...cm({ k: 'v3' }), apiVersion: 'v2' }, 'one')
  await t.apply(a, { ...cm({ k: 'v3' }), apiVersion: undefined }, 'one')
  await t.apply(a, { ...cm({ k: 'v3' }), kind: undefined }, 'one')
  await t.apply(a, cm({ k: 'v3' }, { resourceVersion: '1' }), 'one')
  await t.apply(a, cm({ k: 'v3' }, { uid: 'other' }), 'one')
  await t.apply(
    `${url}/d`,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'd', uid: '11111111-1111-1111-1111-111111111111' } },
    'one',
  )
  await t.apply(
    `${url}/d`,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'd', resourceVersion: '1' } },
    'one',
  )
  await t.apply(
    `${url}/d`,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'd' }, data: { 'bad key': 'x' } },
    'one',
  )
  await t.get(a)
}
