// PodTemplate: defaults of the embedded template, table, generation, updates and refusals.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/podtemplates`
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'busybox' }] } }
  await t.post(url, { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'a' }, template })
  await t.get(`${url}/a`, asTable)
  await t.mergePatch(`${url}/a`, { metadata: { labels: { x: 'y' } } })
  await t.strategicPatch(`${url}/a`, {
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'd', image: 'busybox:2' }] } },
  })
  await t.put(`${url}/a`, { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'a' }, template })
  await t.put(`${url}/missing`, { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'missing' }, template })
  await t.post(url, { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'b' } })
  await t.post(url, {
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: { name: 'b' },
    template: {
      metadata: { labels: { 'a b': 'c' } },
      spec: { containers: [{ name: 'c', image: '' }], ephemeralContainers: [{ name: 'e', image: 'x' }] },
    },
  })
  await t.post(url, { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'b' }, template: 'x' })
  await t.get(`${url}/a/status`)
  await t.delete(`${url}/a`)
}
