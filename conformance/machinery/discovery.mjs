// Discovery documents: /api, /apis, one group, resource lists (single entries), trailing slashes, other encodings, unknown groups.
export default async (t) => {
  // The server's own address differs from place to place; groups of custom resources come and go.
  const hideAddress = (b) => {
    for (const s of b.serverAddressByClientCIDRs ?? []) s.serverAddress = '<address>'
    return b
  }
  const builtIn = (b) => ({
    ...b,
    groups: b.groups?.filter((g) => !g.name.includes('.') || g.name.endsWith('.k8s.io')),
  })
  const entries =
    (...names) =>
    (b) => ({ ...b, resources: b.resources?.filter((r) => names.includes(r.name)) })

  await t.get('/api', { pick: hideAddress })
  await t.get('/api/', { pick: hideAddress })
  await t.get('/apis', { pick: builtIn })
  await t.get('/apis/', { pick: builtIn })
  await t.get('/apis/apps')
  await t.get('/apis/apps/')
  await t.get('/apis/autoscaling')
  await t.get('/api/v1', {
    pick: entries(
      'configmaps',
      'secrets',
      'namespaces',
      'namespaces/finalize',
      'namespaces/status',
      'events',
      'bindings',
      'pods',
      'pods/exec',
      'pods/eviction',
      'pods/status',
      'pods/resize',
      'serviceaccounts/token',
      'services/proxy',
      'componentstatuses',
    ),
  })
  await t.get('/api/v1', { pick: (b) => b.resources?.map((r) => r.name) })
  await t.get('/apis/apps/v1', { pick: entries('deployments', 'deployments/scale', 'deployments/status') })
  await t.get('/apis/events.k8s.io/v1')
  await t.get('/apis/autoscaling/v2')
  await t.get('/apis/authorization.k8s.io/v1')
  await t.get('/apis/no-such-group')
  await t.get('/apis/apps/v7')
  await t.get('/api/v2')
  await t.get('/apis/apps', { accept: 'application/yaml' })
  await t.get('/apis/apps', { accept: 'text/html' })
  await t.post('/apis', {}, { pick: (b) => b.kind })
  await t.post('/apis/apps/v1', {}, { pick: (b) => b.kind })
  await t.get('/', {
    pick: (b) => ({
      keys: Object.keys(b),
      some: b.paths.filter((p) => /^\/(api|apis|version|livez|openapi\/v[23]|healthz\/ping)$/.test(p)),
    }),
  })
}
