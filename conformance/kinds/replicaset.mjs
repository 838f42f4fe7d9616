// ReplicaSet: defaults, table, generation, immutable selector, status and scale, refusals, delete.
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
  const url = `/apis/apps/v1/namespaces/${ns}/replicasets`
  const template = {
    metadata: { labels: { app: 'a', tier: 'x' } },
    spec: {
      containers: [
        { name: 'c', image: 'busybox:1' },
        { name: 'd', image: 'busybox:2' },
      ],
    },
  }
  const rs = (name, spec) => ({ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name }, spec })
  await t.post(
    url,
    rs('a', {
      selector: { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['x', 'y'] }] },
      template,
    }),
  )
  await t.get(`${url}/a`, asTable)
  await t.mergePatch(`${url}/a`, { spec: { replicas: 2, minReadySeconds: 1 } })
  await t.mergePatch(`${url}/a`, { spec: { selector: { matchLabels: { app: 'a', tier: 'x' } } } })
  await t.put(`${url}/a/status`, rs('a', { replicas: 8, selector: {}, template }))
  await t.mergePatch(`${url}/a/status`, {
    status: { replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 1, availableReplicas: 1, observedGeneration: 2 },
  })
  await t.get(`${url}/a`, asTable)
  await t.mergePatch(`${url}/a/status`, { status: { observedGeneration: -1, readyReplicas: 1, availableReplicas: 2 } })
  await t.get(`${url}/a/scale`)
  await t.put(`${url}/a/scale`, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' }, spec: {} })
  await t.get(`${url}/a`)
  await t.post(url, rs('bad', { selector: {}, template }))
  await t.post(url, rs('bad', { template }))
  await t.post(
    url,
    rs('bad', {
      selector: {
        matchExpressions: [
          { key: 'app', operator: 'In' },
          { key: 'b', operator: 'Exists', values: ['x'] },
          { key: 'c', operator: 'Like' },
        ],
      },
      template,
    }),
  )
  await t.post(url, rs('bad', { selector: { matchLabels: { app: 'a' } } }))
  await t.post(url, rs('bad', { replicas: 1.5, selector: { matchLabels: { app: 'a' } }, template }))
  await t.put(`${url}/missing`, rs('missing', { selector: { matchLabels: { app: 'a' } }, template }))
  await t.delete(`${url}/a?propagationPolicy=Foreground`, undefined, {
    pick: (b) => ({
      kind: b.kind,
      generation: b.metadata?.generation,
      finalizers: b.metadata?.finalizers,
      deleting: !!b.metadata?.deletionTimestamp,
    }),
  })
}
