// IPAddress and ServiceCIDR: canonical names and values, tables, immutable spec, status, refusals; an IPAddress follows a Service.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}
// managedFields come in the order of the second they were written in; sorted here by writer, so that the clock does not matter
const byWriter = (t) => {
  const key = (m) => [m.operation, m.manager, m.subresource, m.apiVersion].join()
  const sort = (o) => {
    o?.metadata?.managedFields?.sort?.((a, b) => (key(a) < key(b) ? -1 : 1))
    for (const r of o?.rows ?? []) sort(r.object)
    return o
  }
  const request = t.request.bind(t)
  t.request = (method, url, opts = {}) =>
    request(method, url, { ...opts, pick: (b) => sort(opts.pick ? opts.pick(b) : b) })
}

export default async (t) => {
  byWriter(t)
  const ns = await t.namespace()
  const ips = '/apis/networking.k8s.io/v1/ipaddresses'
  const cidrs = '/apis/networking.k8s.io/v1/servicecidrs'
  for (const u of [`${ips}/192.168.201.5`, `${ips}/2001:db8:201::5`, `${cidrs}/kinds-cidr`]) {
    await t.mergePatch(u, { metadata: { finalizers: null } }, { quiet: true })
    await t.clear(u)
  }
  const ip = (name, spec) => ({ apiVersion: 'networking.k8s.io/v1', kind: 'IPAddress', metadata: { name }, spec })
  const cidr = (name, spec) => ({ apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name }, spec })
  const parentRef = { resource: 'services', namespace: 'n', name: 's' }
  await t.post(ips, ip('192.168.201.5', { parentRef }))
  await t.get(`${ips}/192.168.201.5`, asTable)
  await t.post(ips, ip('2001:db8:201::5', { parentRef: { group: 'example.com', resource: 'widgets', name: 'w' } }))
  await t.mergePatch(`${ips}/192.168.201.5`, { metadata: { labels: { x: 'y' } } })
  await t.mergePatch(
    `${ips}/192.168.201.5`,
    { spec: { parentRef: { name: 'other' } } },
    { pick: (b) => JSON.parse(JSON.stringify(b).replace(/0x[0-9a-f]+/g, '0x0')) },
  )
  await t.put(`${ips}/192.168.201.6`, ip('192.168.201.6', { parentRef }))
  await t.post(ips, ip('192.168.201.05', { parentRef }))
  await t.post(ips, ip('2001:0DB8::1', { parentRef }))
  await t.post(ips, ip('not-an-ip', {}))
  await t.post(ips, ip('192.168.201.7', { parentRef: { resource: '', name: '', namespace: 'Bad Ns', group: '-' } }))
  await t.delete(`${ips}/192.168.201.5`)
  // a service owns its address
  const svc = await t.post(
    `/api/v1/namespaces/${ns}/services`,
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } },
    { quiet: true },
  )
  t.normaliser.replace(svc.body.spec?.clusterIP, '<ip>')
  await t.get(`${ips}/${svc.body.spec?.clusterIP}`, {
    pick: (b) => ({
      kind: b.kind,
      labels: b.metadata?.labels,
      spec: b.spec,
      named: b.metadata?.name === svc.body.spec?.clusterIP,
    }),
  })

  await t.post(cidrs, cidr('kinds-cidr', { cidrs: ['2001:db8:77::/112'] }))
  await t.get(`${cidrs}/kinds-cidr`, asTable)
  await t.mergePatch(`${cidrs}/kinds-cidr`, {
    metadata: { labels: { x: 'y' } },
    status: {
      conditions: [
        { type: 'No', status: 'True', reason: 'R', message: '', lastTransitionTime: '2024-01-01T00:00:00Z' },
      ],
    },
  })
  await t.mergePatch(`${cidrs}/kinds-cidr`, { spec: { cidrs: ['2001:db8:78::/112'] } })
  await t.mergePatch(`${cidrs}/kinds-cidr/status`, {
    spec: { cidrs: [] },
    status: {
      conditions: [
        { type: 'Ready', status: 'False', reason: 'R', message: 'm', lastTransitionTime: '2024-01-01T00:00:00Z' },
      ],
    },
  })
  await t.post(cidrs, cidr('kinds-cidr2', {}))
  await t.post(cidrs, cidr('kinds-cidr2', { cidrs: ['nope', '10.200.0.0/33', '10.200.0.1/24'] }))
  await t.post(cidrs, cidr('kinds-cidr2', { cidrs: ['10.200.0.0/24', '10.201.0.0/24'] }))
  await t.post(`${cidrs}?dryRun=All`, cidr('kinds-cidr2', { cidrs: ['10.200.0.0/24'] }))
  await t.delete(`${cidrs}/kinds-cidr`, undefined, {
    pick: (b) => ({ kind: b.kind, finalizers: b.metadata?.finalizers, details: b.details }),
  })
}
