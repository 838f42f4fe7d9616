// Pod: eviction without a disruption budget, against an exhausted one, within one, and with several.
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
  await t.delete(`/api/v1/namespaces/${t.ns}/pods?gracePeriodSeconds=0`, undefined, { quiet: true })
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/pods`
  const budgets = `/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets`
  const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
  for (const name of ['free', 'a', 'b', 'pending']) {
    await t.post(
      url,
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, labels: name === 'free' ? {} : { app: 'web' } },
        spec: { containers: [{ name: 'c', image: 'busybox' }] },
      },
      { quiet: true },
    )
    if (name !== 'pending') await t.mergePatch(`${url}/${name}/status`, { status: ready }, { quiet: true })
  }
  const eviction = (name, more = {}) => ({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...more })
  // no budget
  await t.post(`${url}/free/eviction?dryRun=All`, eviction('free'))
  await t.post(`${url}/free/eviction`, eviction('other'))
  await t.post(
    `${url}/free/eviction`,
    eviction('free', { deleteOptions: { preconditions: { uid: '00000000-0000-0000-0000-000000000000' } } }),
  )
  await t.post(`${url}/free/eviction`, eviction('free'))
  await t.get(`${url}/free`)
  await t.post(`${url}/free/eviction`, eviction('free'))
  // a budget whose status nobody has computed yet
  await t.post(
    budgets,
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web' },
      spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
    },
    { quiet: true },
  )
  await t.post(`${url}/a/eviction`, eviction('a'))
  // a pod that does not run is evicted whatever the budget says
  await t.post(`${url}/pending/eviction`, eviction('pending'))
  // a computed budget without room
  const status = (disruptionsAllowed, generation = 1) => ({
    status: {
      observedGeneration: generation,
      disruptionsAllowed,
      currentHealthy: 2,
      desiredHealthy: 2,
      expectedPods: 2,
    },
  })
  await t.mergePatch(`${budgets}/web/status`, status(0), { quiet: true })
  await t.post(`${url}/a/eviction`, eviction('a'))
  // room for one: the second eviction waits
  await t.mergePatch(`${budgets}/web/status`, status(1), { quiet: true })
  await t.post(`${url}/a/eviction`, eviction('a'))
  await t.get(`${budgets}/web`)
  await t.post(`${url}/b/eviction`, eviction('b'))
  // more than one budget
  await t.post(
    budgets,
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web2' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
    },
    { quiet: true },
  )
  await t.post(`${url}/b/eviction`, eviction('b'))
  // the body: a wrong kind, none at all, and the older version
  await t.post(`${url}/b/eviction`, { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'b' } })
  await t.post(`${url}/b/eviction`, {})
  await t.post(`${url}/b/eviction`, { apiVersion: 'policy/v1beta1', kind: 'Eviction', metadata: { name: 'b' } })
  await t.get(`${url}/b/eviction`)
}
