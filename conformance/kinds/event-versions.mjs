// Event: core/v1 and events.k8s.io/v1 see the same objects under different names, with different rules on create and update.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+[smhdy]/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const core = `/api/v1/namespaces/${ns}/events`
  const newer = `/apis/events.k8s.io/v1/namespaces/${ns}/events`
  const pod = { apiVersion: 'v1', kind: 'Pod', namespace: ns, name: 'p', fieldPath: 'spec.containers{c}' }
  await t.post(core, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'old' },
    involvedObject: pod,
    reason: 'Started',
    message: 'Started c',
    type: 'Normal',
    source: { component: 'kubelet', host: 'n1' },
    firstTimestamp: '2024-01-01T00:00:00Z',
    lastTimestamp: '2024-01-01T00:00:05Z',
    count: 3,
  })
  await t.get(`${newer}/old`)
  await t.get(`${core}/old`, asTable)
  await t.get(`${newer}/old`, asTable)
  await t.post(newer, {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'new' },
    regarding: pod,
    reason: 'Pulled',
    action: 'Pulling',
    note: 'Pulled image',
    type: 'Warning',
    reportingController: 'example.com/ctl',
    reportingInstance: 'ctl-0',
    eventTime: '2024-01-01T00:00:00.123456Z',
    series: { count: 2, lastObservedTime: '2024-01-01T00:00:01.500000Z' },
  })
  await t.get(`${core}/new`)
  await t.get(`${core}/new`, asTable)
  // a bare core event is enough, except for the namespace of its object
  await t.post(core, { apiVersion: 'v1', kind: 'Event', metadata: { name: 'bare' }, involvedObject: { namespace: ns } })
  await t.get(`${core}/bare`, asTable)
  await t.post(core, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'wrong' },
    involvedObject: { kind: 'Pod', namespace: 'elsewhere', name: 'p' },
  })
  await t.post(core, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'wrong' },
    involvedObject: { kind: 'Pod', name: 'p' },
  })
  // the newer version wants more
  await t.post(newer, { apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name: 'wrong' }, regarding: pod })
  await t.post(newer, {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'wrong' },
    regarding: pod,
    reason: 'r',
    action: 'a',
    type: 'Odd',
    reportingController: 'no slash here',
    reportingInstance: 'x',
    eventTime: '2024-01-01T00:00:00.000000Z',
    series: { count: 1, lastObservedTime: '2024-01-01T00:00:00.000000Z' },
  })
  await t.post(newer, {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'wrong' },
    regarding: pod,
    eventTime: 'now',
  })
  // updates: core is free, the newer one only takes a series
  await t.mergePatch(`${core}/old`, { count: 4, message: 'again', lastTimestamp: '2024-01-01T00:01:00Z' })
  await t.mergePatch(`${newer}/new`, { series: { count: 3 } })
  await t.mergePatch(`${newer}/new`, { note: 'changed', reason: 'Changed' })
  await t.put(`${core}/by-put`, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'by-put' },
    involvedObject: { namespace: ns },
  })
  // selecting by the object
  await t.get(`${core}?fieldSelector=involvedObject.name=p,reason=Started`, {
    pick: (b) => ({ kind: b.kind, names: b.items?.map((i) => i.metadata.name) }),
  })
  await t.get(`${newer}?fieldSelector=regarding.name=p`, {
    pick: (b) => (b.kind === 'Status' ? b : { kind: b.kind, names: b.items?.map((i) => i.metadata.name) }),
  })
  await t.delete(`${newer}/old`)
  await t.get(`${core}/old`)
}
