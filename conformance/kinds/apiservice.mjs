// APIService: a local one, defaults of one behind a service (dry run), table, status, refusals, delete.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const url = '/apis/apiregistration.k8s.io/v1/apiservices'
  await t.clear(`${url}/v1.kinds.example.com`)
  const svc = (name, spec) => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name },
    spec,
  })
  const local = { group: 'kinds.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 }
  // a local service is available from its creation on
  await t.post(url, svc('v1.kinds.example.com', local))
  await t.get(`${url}/v1.kinds.example.com`)
  await t.get(`${url}/v1.kinds.example.com`, asTable)
  await t.mergePatch(`${url}/v1.kinds.example.com`, { spec: { versionPriority: 20 }, metadata: { labels: { x: 'y' } } })
  await t.mergePatch(`${url}/v1.kinds.example.com/status`, {
    status: {
      conditions: [
        {
          type: 'Available',
          status: 'Sometimes',
          reason: 'R',
          message: 'm',
          lastTransitionTime: '2024-01-01T00:00:00Z',
        },
      ],
    },
  })
  await t.get('/apis/kinds.example.com/v1')
  await t.get(`${url}/v1.apps`, { pick: (b) => ({ labels: b.metadata?.labels, spec: b.spec, status: b.status }) })
  await t.get(`${url}/v1.apps`, {
    accept: asTable.accept,
    pick: (b) => ({
      columns: b.columnDefinitions?.map((c) => [c.name, c.type, c.format, c.priority]),
      cells: b.rows?.[0]?.cells?.slice(0, 3),
    }),
  })
  await t.get(`${url}/v1.`, { pick: (b) => ({ spec: b.spec }) })
  await t.post(
    `${url}?dryRun=All`,
    svc('v2.kinds.example.com', {
      ...local,
      version: 'v2',
      service: { namespace: 'n', name: 's' },
      insecureSkipTLSVerify: true,
    }),
  )
  // refused
  await t.post(url, svc('wrong.kinds.example.com', local))
  await t.post(url, svc('v1.kinds.example.com', {}))
  await t.post(
    url,
    svc('v3.kinds.example.com', {
      ...local,
      version: 'v3',
      groupPriorityMinimum: 0,
      versionPriority: 0,
      service: { namespace: '', name: '' },
      caBundle: 'bm90IGEgYnVuZGxl',
    }),
  )
  await t.post(
    url,
    svc('v3.kinds.example.com', {
      ...local,
      version: 'v3',
      insecureSkipTLSVerify: true,
      caBundle: 'eA==',
      service: { namespace: 'n', name: 's', port: 70000 },
    }),
  )
  await t.post(url, svc('v3.kinds.example.com', { ...local, version: 'v3', groupPriorityMinimum: 'high' }))
  await t.put(`${url}/v9.kinds.example.com`, svc('v9.kinds.example.com', { ...local, version: 'v9' }))
  await t.delete(`${url}/v1.kinds.example.com`)
}
