// Namespace: defaults, table, finalize and status subresources, refused names, termination and what it blocks.
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
  const url = '/api/v1/namespaces'
  const name = 'kinds-ns-a'
  const finalize = (finalizers, opts) =>
    t.put(
      `${url}/${name}/finalize`,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: { finalizers } },
      opts,
    )
  const left = await t.get(`${url}/${name}`, { quiet: true })
  if (left.status === 200) {
    await t.delete(`${url}/${name}`, undefined, { quiet: true })
    await finalize(['kubernetes'], { quiet: true })
  }
  await t.clear(`${url}/${name}`)
  await t.clear(`${url}/kinds-ns-b`)

  await t.post(url, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { team: 'x' } },
    status: { phase: 'Terminating' },
  })
  await t.get(`${url}/${name}`, asTable)
  await t.post(url, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  // the name label cannot be dropped, spec and status are not writable on the main endpoint
  await t.mergePatch(`${url}/${name}`, {
    metadata: { labels: { 'kubernetes.io/metadata.name': null, more: '1' } },
    spec: { finalizers: [] },
    status: { phase: 'Terminating' },
  })
  await t.mergePatch(`${url}/${name}`, { metadata: { labels: { 'kubernetes.io/metadata.name': 'else' } } })
  await t.put(`${url}/${name}`, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  await t.put(`${url}/kinds-ns-missing`, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'kinds-ns-missing' },
  })
  // finalize and status
  await finalize(['kubernetes', 'example.com/hold'])
  await finalize(['nodomain'])
  await t.mergePatch(`${url}/${name}/status`, {
    spec: { finalizers: [] },
    status: { conditions: [{ type: 'Example', status: 'True', reason: 'R', message: 'm' }] },
  })
  await t.mergePatch(`${url}/${name}/status`, { status: { phase: 'Terminating' } })
  await t.get(`${url}/${name}/finalize`)
  // refused names; a namespace inside a namespace is not one of them
  await t.post(url, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'has.dot' } })
  await t.post(url, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kinds-ns-b', namespace: 'inside' } })
  await t.post(url, { apiVersion: 'v1', kind: 'Namespace', metadata: {} })
  await t.post('/api/v1/namespaces/kinds-ns-missing/configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x' },
  })
  await t.delete(`${url}/default`)
  await t.delete(`${url}?labelSelector=kinds=none`)
  // termination
  await t.post(
    `${url}/${name}/configmaps`,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } },
    { quiet: true },
  )
  await t.delete(`${url}/${name}`)
  await t.get(`${url}/${name}`, { accept: asTable.accept, pick: (b) => b.rows?.[0]?.cells?.slice(0, 2) })
  await t.post(`${url}/${name}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'y' } })
  await t.until(
    async () => (await t.get(`${url}/${name}`, { quiet: true })).body.spec?.finalizers?.join() === 'example.com/hold',
  )
  await t.get(`${url}/${name}/configmaps/x`)
  await finalize([], { pick: (b) => ({ kind: b.kind, spec: b.spec, phase: b.status?.phase }) })
  await t.until(async () => (await t.get(`${url}/${name}`, { quiet: true })).status === 404)
  await t.get(`${url}/${name}`)
}
