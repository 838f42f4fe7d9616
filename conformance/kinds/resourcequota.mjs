// ResourceQuota: table, status subresource, what it stops once its status is known, what it counts, refused quotas.
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
  const url = `/api/v1/namespaces/${ns}/resourcequotas`
  const pods = `/api/v1/namespaces/${ns}/pods`
  const quota = (name, spec) => ({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name }, spec })
  const pod = (name, resources) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'busybox', resources }] },
  })
  await t.post(url, {
    ...quota('a', { hard: { pods: '2', 'requests.cpu': '1', 'count/configmaps': '1' } }),
    status: { hard: { pods: '1' } },
  })
  await t.get(`${url}/a`, asTable)
  await t.mergePatch(`${url}/a`, { spec: { hard: { pods: '3' } }, status: { hard: { pods: '3' } } })
  await t.mergePatch(`${url}/a/status`, {
    spec: { hard: { pods: '9' } },
    status: {
      hard: { pods: '3', 'requests.cpu': '1', 'count/configmaps': '1' },
      used: { pods: '0', 'requests.cpu': '0', 'count/configmaps': '0' },
    },
  })
  await t.get(`${url}/a`, asTable)
  // it acts once its status has been seen
  await t.until(
    async () =>
      (await t.post(`${pods}?dryRun=All`, pod('probe', { requests: { cpu: '5' } }), { quiet: true })).status === 403,
  )
  await t.post(pods, pod('no-request', {}))
  await t.post(pods, pod('too-big', { requests: { cpu: '1500m' } }))
  await t.post(pods, pod('p1', { requests: { cpu: '600m' } }))
  await t.get(`${url}/a`, { pick: (b) => b.status })
  await t.post(pods, pod('p2', { requests: { cpu: '600m' } }))
  await t.post(`/api/v1/namespaces/${ns}/configmaps`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'one' },
  })
  await t.post(`/api/v1/namespaces/${ns}/configmaps`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'two' },
  })
  await t.get(`${url}/a`, asTable)
  // refused
  await t.post(url, quota('bad', { hard: { cpu: '-1' } }))
  await t.post(url, quota('bad', { hard: { bananas: '1' } }))
  await t.post(url, quota('bad', { hard: { pods: '1500m' } }))
  await t.post(url, quota('bad', { hard: { cpu: '1' }, scopes: ['Never'] }))
  await t.post(url, quota('bad', { hard: { pods: '1' }, scopes: ['BestEffort', 'NotBestEffort'] }))
  await t.post(url, quota('bad', { hard: { pods: 'lots' } }))
  await t.mergePatch(`${url}/a`, { spec: { scopes: ['BestEffort'] } })
  await t.put(`${url}/missing`, quota('missing', { hard: { pods: '1' } }))
  await t.delete(`${url}/a`)
}
