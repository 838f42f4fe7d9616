// HorizontalPodAutoscaler: autoscaling/v1 and v2 see one object; defaults, annotations for what v1 cannot say, table, status, refusals.
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
  const v1 = `/apis/autoscaling/v1/namespaces/${ns}/horizontalpodautoscalers`
  const v2 = `/apis/autoscaling/v2/namespaces/${ns}/horizontalpodautoscalers`
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }
  const one = (name, spec) => ({
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name },
    spec,
  })
  const two = (name, spec) => ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name },
    spec,
  })
  // made in v1, read in v2
  await t.post(v1, one('a', { scaleTargetRef, maxReplicas: 3 }))
  await t.get(`${v2}/a`)
  await t.get(`${v1}/a`, asTable)
  await t.get(`${v2}/a`, asTable)
  // made in v2, read in v1: what does not fit goes to annotations
  await t.post(
    v2,
    two('b', {
      scaleTargetRef,
      minReplicas: 2,
      maxReplicas: 5,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '100Mi' } } },
        { type: 'Pods', pods: { metric: { name: 'rps' }, target: { type: 'AverageValue', averageValue: '10' } } },
      ],
      behavior: { scaleDown: { stabilizationWindowSeconds: 60 } },
    }),
  )
  await t.get(`${v1}/b`)
  await t.get(`${v2}/b`, asTable)
  // a v1 write keeps what v2 said
  await t.mergePatch(`${v1}/b`, { spec: { maxReplicas: 6, targetCPUUtilizationPercentage: 70 } })
  await t.get(`${v2}/b`)
  // status, in either version
  await t.mergePatch(`${v1}/a`, { status: { currentReplicas: 1, desiredReplicas: 1 } })
  await t.mergePatch(`${v2}/a/status`, {
    spec: { maxReplicas: 100 },
    status: {
      currentReplicas: 2,
      desiredReplicas: 3,
      conditions: [
        { type: 'AbleToScale', status: 'True', reason: 'R', message: 'm', lastTransitionTime: '2024-01-01T00:00:00Z' },
      ],
      currentMetrics: [
        { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 42, averageValue: '10m' } } },
      ],
    },
  })
  await t.get(`${v1}/a`)
  await t.get(`${v2}/a`, asTable)
  // refused
  await t.post(
    v1,
    one('bad', {
      scaleTargetRef: { kind: '', name: '' },
      minReplicas: 0,
      maxReplicas: 0,
      targetCPUUtilizationPercentage: 0,
    }),
  )
  await t.post(v2, two('bad', { scaleTargetRef, minReplicas: 5, maxReplicas: 2 }))
  await t.post(
    v2,
    two('bad', {
      scaleTargetRef,
      maxReplicas: 2,
      metrics: [
        { type: 'Magic' },
        { type: 'Resource' },
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } },
      ],
    }),
  )
  await t.post(v2, two('bad', { scaleTargetRef, maxReplicas: 'many' }))
  await t.post(v2, one('bad', { scaleTargetRef, maxReplicas: 2 }))
  await t.put(`${v2}/a`, two('a', { scaleTargetRef, maxReplicas: 4 }))
  await t.put(`${v2}/missing`, two('missing', { scaleTargetRef, maxReplicas: 4 }))
  await t.delete(`${v1}/b`)
}
