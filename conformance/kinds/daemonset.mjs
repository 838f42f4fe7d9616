// DaemonSet: defaults, table, generation and template generation, immutable selector, status, no scale, refusals, delete.
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
  const url = `/apis/apps/v1/namespaces/${ns}/daemonsets`
  const template = {
    metadata: { labels: { app: 'a' } },
    spec: { nodeSelector: { disk: 'ssd' }, containers: [{ name: 'c', image: 'busybox:1' }] },
  }
  const base = { selector: { matchLabels: { app: 'a' } }, template }
  const ds = (name, spec) => ({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name }, spec })
  await t.post(url, ds('a', base))
  await t.get(`${url}/a`, asTable)
  await t.post(
    url,
    ds('b', { ...base, updateStrategy: { type: 'OnDelete' }, minReadySeconds: 4, revisionHistoryLimit: 1 }),
  )
  // the template generation annotation follows the template only
  await t.mergePatch(`${url}/a`, { spec: { minReadySeconds: 1 } })
  await t.strategicPatch(`${url}/a`, {
    spec: { template: { spec: { containers: [{ name: 'c', image: 'busybox:2' }] } } },
  })
  await t.mergePatch(`${url}/a`, { metadata: { annotations: { 'deprecated.daemonset.template.generation': '77' } } })
  await t.mergePatch(`${url}/a`, {
    spec: { selector: { matchLabels: { app: 'b' } }, template: { metadata: { labels: { app: 'b' } } } },
  })
  await t.mergePatch(`${url}/a/status`, {
    spec: { minReadySeconds: 9 },
    status: {
      currentNumberScheduled: 1,
      desiredNumberScheduled: 2,
      numberReady: 1,
      numberAvailable: 1,
      updatedNumberScheduled: 1,
      numberMisscheduled: 0,
      observedGeneration: 3,
    },
  })
  await t.get(`${url}/a`, asTable)
  await t.mergePatch(`${url}/a/status`, { status: { currentNumberScheduled: -1, numberReady: -1 } })
  await t.get(`${url}/a/scale`)
  await t.post(url, ds('bad', {}))
  await t.post(url, ds('bad', { ...base, updateStrategy: { type: 'Maybe' } }))
  await t.post(
    url,
    ds('bad', {
      ...base,
      updateStrategy: { rollingUpdate: { maxUnavailable: 0 } },
      minReadySeconds: -1,
      revisionHistoryLimit: -1,
    }),
  )
  await t.post(
    url,
    ds('bad', {
      ...base,
      updateStrategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: '50%' } },
      template: { ...template, spec: { ...template.spec, restartPolicy: 'Never', activeDeadlineSeconds: 3 } },
    }),
  )
  await t.post(url, ds('bad', { ...base, selector: { matchLabels: { app: 'zzz' } } }))
  await t.post(url, ds('bad', { ...base, template: [] }))
  await t.put(`${url}/missing`, ds('missing', base))
  await t.delete(`${url}/a`)
}
