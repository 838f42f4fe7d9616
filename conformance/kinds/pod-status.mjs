// Pod: the status subresource keeps spec, the main endpoint keeps status; conditions and container statuses drive the table row.
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
  await t.delete(`/api/v1/namespaces/${t.ns}/pods?gracePeriodSeconds=0`, undefined, { quiet: true })
  const ns = await t.namespace()
  const url = `/api/v1/namespaces/${ns}/pods`
  await t.post(url, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a' },
    spec: { nodeName: 'kinds-no-node', containers: [{ name: 'c', image: 'busybox' }] },
  })
  await t.get(`${url}/a/status`)
  // the main endpoint drops status
  await t.mergePatch(`${url}/a`, { metadata: { labels: { x: 'y' } }, status: { phase: 'Failed', message: 'no' } })
  // the status endpoint drops spec, and labels and annotations pass through
  await t.mergePatch(`${url}/a/status`, {
    metadata: { labels: { from: 'status' }, annotations: { note: 'n' } },
    spec: { containers: [{ name: 'c', image: 'other' }] },
    status: {
      phase: 'Running',
      podIP: '10.1.2.3',
      podIPs: [{ ip: '10.1.2.3' }],
      hostIP: '10.9.9.9',
      startTime: '2024-01-01T00:00:00Z',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [
        {
          name: 'c',
          image: 'busybox',
          imageID: 'x',
          ready: true,
          restartCount: 3,
          state: { running: { startedAt: '2024-01-01T00:00:00Z' } },
        },
      ],
    },
  })
  await t.get(`${url}/a`, asTable)
  await t.strategicPatch(`${url}/a/status`, {
    status: { conditions: [{ type: 'PodScheduled', status: 'True', reason: 'R' }] },
  })
  // a waiting reason wins the Status column
  await t.mergePatch(`${url}/a/status`, {
    status: {
      containerStatuses: [
        {
          name: 'c',
          image: 'busybox',
          imageID: 'x',
          ready: false,
          restartCount: 4,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
        },
      ],
    },
  })
  await t.get(`${url}/a`, asTable)
  // refused
  await t.mergePatch(`${url}/a/status`, { status: { podIPs: [{ ip: '10.1.2.3' }, { ip: 'not-an-ip' }] } })
  await t.mergePatch(`${url}/a/status`, { status: { podIPs: [{ ip: '10.1.2.3' }, { ip: '10.1.2.4' }] } })
  await t.mergePatch(`${url}/a/status`, { status: { conditions: [{ type: 'Bad Type', status: 'True' }] } })
  await t.mergePatch(`${url}/a/status`, { status: { qosClass: 'Guaranteed' } })
  // a wrong type in a patch: the message quotes the whole object, so only its end is kept
  await t.mergePatch(
    `${url}/a/status`,
    { status: { containerStatuses: 'none' } },
    { pick: (b) => ({ ...b, message: b.message?.split('": ').pop(), details: null }) },
  )
  await t.put(`${url}/missing/status`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'missing' },
    spec: { containers: [{ name: 'c', image: 'busybox' }] },
  })
  // a bound pod is only marked for deletion; a second delete with no grace removes it
  await t.delete(`${url}/a`)
  await t.get(`${url}/a`, asTable)
  await t.mergePatch(`${url}/a`, { metadata: { finalizers: ['example.com/late'] } })
  await t.delete(`${url}/a?gracePeriodSeconds=0`)
  await t.get(`${url}/a`)
}
