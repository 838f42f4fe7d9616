// Job: generated selector and labels, defaults, table, what may change, suspend, status rules, refusals, orphaning delete.
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
  const url = `/apis/batch/v1/namespaces/${ns}/jobs`
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox:1' }] } }
  const job = (name, spec) => ({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec })
  await t.post(url, { ...job('a', { template }), status: { active: 5 } })
  await t.get(`${url}/a`, asTable)
  await t.post(
    url,
    job('b', {
      completions: 3,
      parallelism: 2,
      completionMode: 'Indexed',
      backoffLimit: 1,
      activeDeadlineSeconds: 100,
      ttlSecondsAfterFinished: 0,
      suspend: true,
      template,
    }),
  )
  await t.get(`${url}/b`, asTable)
  await t.post(
    url,
    job('c', {
      manualSelector: true,
      selector: { matchLabels: { app: 'm' } },
      template: { ...template, metadata: { labels: { app: 'm' } } },
    }),
  )
  // parallelism, suspend and backoffLimit may change; completions, selector and template may not
  await t.mergePatch(`${url}/a`, { spec: { parallelism: 4, suspend: true } })
  await t.mergePatch(`${url}/a`, { spec: { completions: 5 } })
  await t.mergePatch(
    `${url}/c`,
    { spec: { template: { metadata: { labels: { x: 'y' } } } } },
    {
      pick: (b) => ({
        code: b.code,
        reason: b.reason,
        causes: b.details?.causes?.map((c) => [c.field, c.reason, c.message?.split(': ').pop()]),
      }),
    },
  )
  // a suspended job that never started takes new labels and scheduling directives
  await t.mergePatch(`${url}/a`, {
    spec: { template: { metadata: { labels: { x: 'y' } }, spec: { nodeSelector: { disk: 'ssd' } } } },
  })
  await t.mergePatch(`${url}/b`, { spec: { completions: 4, parallelism: 4 } })
  await t.mergePatch(`${url}/b`, { spec: { completionMode: 'NonIndexed' } })
  // status
  await t.mergePatch(`${url}/a/status`, {
    spec: { parallelism: 9 },
    status: { active: 1, startTime: '2024-01-01T00:00:00Z', succeeded: 1 },
  })
  await t.mergePatch(`${url}/a/status`, { status: { active: -1 } })
  await t.mergePatch(`${url}/a/status`, { status: { conditions: [{ type: 'Complete', status: 'True' }] } })
  await t.get(`${url}/a/scale`)
  // refused
  await t.post(url, job('bad', {}))
  await t.post(url, job('bad', { template: { spec: { containers: [{ name: 'c', image: 'busybox' }] } } }))
  await t.post(
    url,
    job('bad', {
      parallelism: -1,
      completions: -1,
      backoffLimit: -1,
      activeDeadlineSeconds: -1,
      ttlSecondsAfterFinished: -1,
      completionMode: 'Odd',
      template,
    }),
  )
  await t.post(url, job('indexed', { completionMode: 'Indexed', template }))
  await t.post(url, job('bad', { selector: { matchLabels: { app: 'm' } }, template }))
  await t.post(url, job('bad', { manualSelector: true, template }))
  await t.post(url, job('bad', { completions: '3', template }))
  await t.put(`${url}/missing`, job('missing', { template }))
  // deletes: pods are kept unless asked otherwise, with a warning
  await t.delete(`${url}/a`, undefined, {
    pick: (b) => ({
      kind: b.kind,
      status: b.kind === 'Status' ? b.status : undefined,
      finalizers: b.metadata?.finalizers,
    }),
  })
  await t.delete(`${url}/b`, { propagationPolicy: 'Background' })
}
