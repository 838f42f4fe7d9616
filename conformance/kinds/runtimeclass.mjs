// RuntimeClass: table, create by put, immutable handler, refusals, and the overhead and scheduling it gives to pods.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const url = '/apis/node.k8s.io/v1/runtimeclasses'
  const pods = `/api/v1/namespaces/${ns}/pods`
  for (const n of ['kinds-rc-a', 'kinds-rc-b', 'kinds-rc-put']) await t.clear(`${url}/${n}`)
  const rc = (name, more) => ({ apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name }, ...more })
  const pod = (name, spec) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'busybox' }], ...spec },
  })
  await t.post(url, rc('kinds-rc-a', { handler: 'runsc' }))
  await t.get(`${url}/kinds-rc-a`, asTable)
  await t.post(
    url,
    rc('kinds-rc-b', {
      handler: 'kata',
      overhead: { podFixed: { cpu: '250m', memory: '120Mi' } },
      scheduling: {
        nodeSelector: { kata: 'yes' },
        tolerations: [{ key: 'kata', operator: 'Exists', effect: 'NoSchedule' }],
      },
    }),
  )
  await t.put(`${url}/kinds-rc-put`, rc('kinds-rc-put', { handler: 'x' }))
  await t.put(`${url}/kinds-rc-a`, rc('kinds-rc-a', { handler: 'runsc' }))
  await t.mergePatch(`${url}/kinds-rc-a`, { metadata: { labels: { x: 'y' } } })
  await t.mergePatch(`${url}/kinds-rc-a`, { handler: 'other' })
  await t.post(url, rc('kinds-rc-bad', {}))
  await t.post(
    url,
    rc('kinds-rc-bad', {
      handler: 'Bad_Handler',
      overhead: { podFixed: { cpu: '-1' } },
      scheduling: { nodeSelector: { 'a b': 'c' }, tolerations: [{ operator: 'Equal', value: 'v' }] },
    }),
  )
  await t.post(url, rc('kinds-rc-bad', { handler: 1 }))
  await t.until(
    async () =>
      (await t.post(`${pods}?dryRun=All`, pod('probe', { runtimeClassName: 'kinds-rc-b' }), { quiet: true })).status ===
      201,
  )
  await t.post(pods, pod('a', { runtimeClassName: 'kinds-rc-b' }))
  await t.post(pods, pod('b', { runtimeClassName: 'kinds-rc-b', nodeSelector: { kata: 'no' } }))
  await t.post(pods, pod('c', { runtimeClassName: 'kinds-rc-b', overhead: { cpu: '1' } }))
  await t.post(pods, pod('d', { overhead: { cpu: '1' } }))
  await t.post(pods, pod('e', { runtimeClassName: 'kinds-rc-none' }))
  await t.delete(`${url}/kinds-rc-a`)
}
