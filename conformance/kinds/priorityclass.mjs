// PriorityClass: defaults, table, immutable value, reserved names and ranges, and how pods resolve their priority.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const url = '/apis/scheduling.k8s.io/v1/priorityclasses'
  const pods = `/api/v1/namespaces/${ns}/pods`
  for (const n of ['kinds-pc-a', 'kinds-pc-b']) await t.clear(`${url}/${n}`)
  const pc = (name, more) => ({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    ...more,
  })
  const pod = (name, spec) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'busybox' }], ...spec },
  })
  await t.post(url, pc('kinds-pc-a', { value: 1000, description: 'middle' }))
  await t.get(`${url}/kinds-pc-a`, asTable)
  await t.post(url, pc('kinds-pc-b', { value: -5, preemptionPolicy: 'Never' }))
  await t.get(`${url}/kinds-pc-b`, asTable)
  await t.mergePatch(`${url}/kinds-pc-a`, { description: 'changed', metadata: { labels: { x: 'y' } } })
  await t.mergePatch(`${url}/kinds-pc-a`, { value: 1001 })
  await t.mergePatch(`${url}/kinds-pc-a`, { preemptionPolicy: 'Never' })
  await t.put(`${url}/kinds-pc-a`, pc('kinds-pc-a', { value: 1000 }))
  await t.put(`${url}/kinds-pc-missing`, pc('kinds-pc-missing', { value: 1 }))
  // pods
  await t.until(
    async () =>
      (await t.post(`${pods}?dryRun=All`, pod('probe', { priorityClassName: 'kinds-pc-b' }), { quiet: true }))
        .status === 201,
  )
  await t.post(pods, pod('a', { priorityClassName: 'kinds-pc-a' }))
  await t.post(pods, pod('b', { priorityClassName: 'kinds-pc-b' }))
  await t.post(pods, pod('system', { priorityClassName: 'system-node-critical' }))
  await t.post(pods, pod('wrong', { priorityClassName: 'kinds-pc-a', priority: 7 }))
  await t.post(pods, pod('wrong', { priority: 7 }))
  await t.post(pods, pod('right', { priorityClassName: 'kinds-pc-a', priority: 1000 }))
  await t.post(pods, pod('wrong', { priorityClassName: 'kinds-pc-none' }))
  await t.post(pods, pod('wrong', { priorityClassName: 'kinds-pc-b', preemptionPolicy: 'PreemptLowerPriority' }))
  // refused classes
  await t.post(url, pc('kinds-pc-bad', { value: 1000000001 }))
  await t.post(url, pc('system-kinds', { value: 5 }))
  await t.post(url, pc('kinds-pc-bad', { value: 1, preemptionPolicy: 'Sometimes' }))
  await t.post(url, pc('kinds-pc-bad', { value: 'high' }))
  await t.post(`${url}?dryRun=All`, pc('kinds-pc-global', { value: 3, globalDefault: true }))
  await t.delete(`${url}/system-node-critical`)
  await t.delete(`${url}/kinds-pc-a`)
}
