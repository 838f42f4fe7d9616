// ReplicationController: defaults from the template, table, generation, scale subresource (autoscaling/v1), status, refusals, orphaning delete.
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
  const url = `/api/v1/namespaces/${ns}/replicationcontrollers`
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'busybox:1' }] } }
  const rc = (name, spec) => ({ apiVersion: 'v1', kind: 'ReplicationController', metadata: { name }, spec })
  await t.post(url, rc('a', { template }))
  await t.get(`${url}/a`, asTable)
  await t.post(url, {
    ...rc('b', { replicas: 0, minReadySeconds: 5, selector: { app: 'a' }, template }),
    status: { replicas: 9 },
  })
  await t.mergePatch(`${url}/a`, { metadata: { labels: { only: 'labels' } } })
  await t.mergePatch(`${url}/a`, { spec: { replicas: 3 }, status: { replicas: 3 } })
  await t.mergePatch(`${url}/a/status`, {
    spec: { replicas: 5 },
    status: { replicas: 2, readyReplicas: 1, observedGeneration: 2 },
  })
  await t.get(`${url}/a`, asTable)
  await t.mergePatch(`${url}/a/status`, { status: { replicas: -1, readyReplicas: 3 } })
  // scale
  await t.get(`${url}/a/scale`)
  await t.put(`${url}/a/scale`, {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'a', namespace: ns },
    spec: { replicas: 7 },
  })
  await t.mergePatch(`${url}/a/scale`, { spec: { replicas: -1 } })
  await t.get(`${url}/a`)
  await t.get(`${url}/missing/scale`)
  // the selector may change here
  await t.mergePatch(`${url}/a`, { spec: { selector: { app: 'z' }, template: { metadata: { labels: { app: 'z' } } } } })
  await t.mergePatch(`${url}/a`, { spec: { selector: { app: 'no' } } })
  await t.put(`${url}/missing`, rc('missing', { template }))
  // refused
  await t.post(url, rc('c', {}))
  await t.post(
    url,
    rc('c', {
      replicas: -1,
      minReadySeconds: -1,
      selector: { app: 'other' },
      template: { ...template, spec: { ...template.spec, restartPolicy: 'Never', activeDeadlineSeconds: 5 } },
    }),
  )
  await t.post(url, rc('c', { replicas: 'two', template }))
  // deletes: dependents are orphaned unless asked otherwise
  await t.delete(`${url}/a`, undefined, {
    pick: (b) => ({
      kind: b.kind,
      status: b.kind === 'Status' ? b.status : undefined,
      finalizers: b.metadata?.finalizers,
      details: b.details,
    }),
  })
  await t.delete(`${url}/b?propagationPolicy=Background`)
}
