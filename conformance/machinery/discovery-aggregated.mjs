// Aggregated discovery: one document for all groups under its own media type, with ETag and 304; fallbacks to the plain documents.
export default async (t) => {
  const v2 = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  const v2beta1 = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList'
  const group = (name, resources) => (b) => {
    const g = b.items?.find((i) => (i.metadata.name ?? '') === name)
    if (!g) return b
    for (const v of g.versions) v.resources = v.resources.filter((r) => resources.includes(r.resource))
    return { kind: b.kind, apiVersion: b.apiVersion, metadata: b.metadata, group: g }
  }
  const core = group('', ['pods', 'namespaces', 'configmaps', 'serviceaccounts'])

  await t.get('/api', { accept: v2, pick: core })
  await t.get('/apis', { accept: v2, pick: group('apps', ['deployments', 'controllerrevisions']) })
  await t.get('/apis', { accept: v2, pick: group('autoscaling', ['horizontalpodautoscalers']) })
  await t.get('/apis', {
    accept: v2,
    pick: (b) =>
      b.items
        ?.map((g) => `${g.metadata.name}: ${g.versions.map((v) => `${v.version} ${v.freshness}`).join(', ')}`)
        .filter((s) => !s.split(':')[0].includes('.') || s.split(':')[0].endsWith('.k8s.io')),
  })
  await t.get('/apis', { accept: v2beta1, pick: group('batch', ['jobs']) })
  await t.get('/api', { accept: v2beta1, pick: core })
  // What kubectl sends: the newest first, plain JSON last.
  await t.get('/api', {
    accept: `${v2},${v2beta1},application/json`,
    pick: (b) => ({ kind: b.kind, apiVersion: b.apiVersion }),
  })
  await t.get('/api', {
    accept: `${v2beta1},application/json`,
    pick: (b) => ({ kind: b.kind, apiVersion: b.apiVersion }),
  })
  await t.get('/api', {
    accept: 'application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,application/json',
    pick: (b) => ({ kind: b.kind, apiVersion: b.apiVersion }),
  })
  await t.get('/api', {
    accept: 'application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList',
    pick: (b) => b.message ?? b.kind,
  })
  await t.get('/apis/apps', { accept: v2, pick: (b) => b.message ?? b.kind })
  await t.get('/api/v1', { accept: v2, pick: (b) => b.message ?? b.kind })
  await t.get('/api', { accept: 'application/yaml;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList', noBody: true })
  await t.get('/api', {
    accept: 'application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    noBody: true,
  })

  const first = await t.get('/api', { accept: v2, quiet: true })
  t.note('etag', {
    quoted: /^"[0-9A-F]{128}"$/.test(first.headers.etag ?? ''),
    vary: first.headers.vary,
    cacheControl: first.headers['cache-control'],
  })
  await t.get('/api', { accept: v2, headers: { 'if-none-match': first.headers.etag } })
  await t.get('/api', { accept: v2, headers: { 'if-none-match': '"other"' }, pick: (b) => b.kind })
}
