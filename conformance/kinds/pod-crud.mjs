// Pod: the defaults of a minimal pod, its table row, allowed and forbidden updates, immediate delete of an unscheduled pod.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}
// The forbidden-update message ends in a free-form diff of the two specs; only its first line is stable.
const firstLine = {
  pick: (b) => {
    const cut = (s) => s?.split('\n')[0]
    if (b.message) b.message = cut(b.message)
    for (const c of b.details?.causes ?? []) c.message = cut(c.message)
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/pods`
  const made = await t.post(url, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a' },
    spec: { containers: [{ name: 'c', image: 'busybox' }] },
  })
  await t.get(`${url}/a`)
  await t.get(`${url}/a`, asTable)
  // tag decides imagePullPolicy; a given status and generation are ignored on create
  await t.post(url, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'b', generation: 7 },
    spec: {
      restartPolicy: 'Never',
      containers: [
        { name: 'c', image: 'busybox:1.36', ports: [{ containerPort: 80 }] },
        { name: 'd', image: 'busybox:latest' },
      ],
    },
    status: { phase: 'Running' },
  })
  await t.post(url, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'gen-' },
    spec: { containers: [{ name: 'c', image: 'busybox' }] },
  })
  // allowed: image, labels, activeDeadlineSeconds, added tolerations
  await t.strategicPatch(`${url}/a`, {
    metadata: { labels: { app: 'a' } },
    spec: { activeDeadlineSeconds: 60, containers: [{ name: 'c', image: 'busybox:2' }] },
  })
  await t.jsonPatch(`${url}/a`, [
    {
      op: 'add',
      path: '/spec/tolerations/-',
      value: { key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
    },
  ])
  // a removed default toleration comes back (at the end of the list), any other may not be removed
  await t.jsonPatch(`${url}/a`, [{ op: 'remove', path: '/spec/tolerations/0' }])
  await t.jsonPatch(`${url}/a`, [{ op: 'remove', path: '/spec/tolerations/1' }], firstLine)
  await t.mergePatch(`${url}/a`, { spec: { restartPolicy: 'Never' } }, firstLine)
  await t.mergePatch(`${url}/a`, { spec: { activeDeadlineSeconds: 61 } }, firstLine)
  await t.mergePatch(`${url}/a`, { spec: { activeDeadlineSeconds: null } }, firstLine)
  await t.jsonPatch(
    `${url}/a`,
    [{ op: 'add', path: '/spec/containers/-', value: { name: 'x', image: 'busybox' } }],
    firstLine,
  )
  await t.mergePatch(`${url}/a`, { spec: { containers: null } }, firstLine)
  // a stale resourceVersion, no resourceVersion at all, a missing name, a name that differs from the path
  await t.put(`${url}/a`, made.body)
  const now = (await t.get(`${url}/a`, { quiet: true })).body
  await t.put(`${url}/a`, { ...now, metadata: { name: 'a', labels: { app: 'put' } } })
  await t.put(`${url}/nope`, { ...made.body, metadata: { name: 'nope' } })
  await t.put(`${url}/a`, { ...now, metadata: { ...now.metadata, name: 'other' } })
  await t.delete(`${url}/a`)
  await t.get(`${url}/a`)
}
