// PodDisruptionBudget: defaults, table, update needs a resource version, status rules, refusals, delete.
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
  const url = `/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets`
  const pdb = (name, spec) => ({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name }, spec })
  const selector = { matchLabels: { app: 'a' } }
  const made = await t.post(url, { ...pdb('a', { minAvailable: 1, selector }), status: { disruptionsAllowed: 4 } })
  await t.get(`${url}/a`, asTable)
  await t.post(url, pdb('b', { maxUnavailable: '50%', unhealthyPodEvictionPolicy: 'AlwaysAllow', selector: {} }))
  await t.get(`${url}/b`, asTable)
  await t.post(url, pdb('empty', {}))
  await t.mergePatch(`${url}/a`, { metadata: { labels: { x: 'y' } } })
  await t.mergePatch(`${url}/a`, {
    spec: { minAvailable: null, maxUnavailable: 2, selector: { matchLabels: { app: 'b' } } },
  })
  await t.put(`${url}/a`, pdb('a', { minAvailable: 1, selector }))
  await t.put(`${url}/a`, made.body)
  await t.put(`${url}/missing`, pdb('missing', { minAvailable: 1, selector }))
  await t.mergePatch(`${url}/a/status`, {
    spec: { maxUnavailable: 9 },
    status: {
      observedGeneration: 2,
      disruptionsAllowed: 1,
      currentHealthy: 3,
      desiredHealthy: 2,
      expectedPods: 3,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'True',
          reason: 'SufficientPods',
          message: '',
          lastTransitionTime: '2024-01-01T00:00:00Z',
        },
      ],
    },
  })
  await t.get(`${url}/a`, asTable)
  await t.mergePatch(`${url}/a/status`, { status: { disruptionsAllowed: -1, currentHealthy: -1 } })
  await t.mergePatch(`${url}/a/status`, {
    status: { conditions: [{ type: 'x y', status: 'Perhaps', reason: '', message: '', lastTransitionTime: null }] },
  })
  await t.post(url, pdb('bad', { minAvailable: 1, maxUnavailable: 1, selector }), {
    pick: (b) => JSON.parse(JSON.stringify(b).replace(/0x[0-9a-f]+/g, '0x0')),
  })
  await t.post(url, pdb('bad', { minAvailable: '110%', selector }))
  await t.post(url, pdb('bad', { minAvailable: -1, selector: { matchExpressions: [{ key: 'a', operator: 'Nope' }] } }))
  await t.post(url, pdb('bad', { maxUnavailable: 'some', unhealthyPodEvictionPolicy: 'Sometimes', selector }))
  await t.post(url, pdb('bad', { minAvailable: 1.5, selector }))
  await t.delete(`${url}/a`)
}
