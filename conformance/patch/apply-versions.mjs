// One object applied and updated through several API versions: entries keep their version, and only fields of that version.
export default async (t) => {
  const ns = await t.namespace()
  const h1 = `/apis/autoscaling/v1/namespaces/${ns}/horizontalpodautoscalers`
  const h2 = `/apis/autoscaling/v2/namespaces/${ns}/horizontalpodautoscalers`
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }
  const v1 = (spec) => ({
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'h' },
    spec: { scaleTargetRef: target, ...spec },
  })
  const v2 = (spec) => ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'h' },
    spec: { scaleTargetRef: target, ...spec },
  })
  const cpu = (averageUtilization) => [
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } },
  ]
  const pick = (o) => {
    if (o.kind === 'Status') {
      o.details?.causes?.sort((x, y) => (x.message + x.field < y.message + y.field ? -1 : 1))
      return o
    }
    const managedFields = o.metadata.managedFields?.sort((x, y) =>
      x.manager + x.apiVersion < y.manager + y.apiVersion ? -1 : 1,
    )
    return { apiVersion: o.apiVersion, managedFields, spec: o.spec, annotations: o.metadata.annotations }
  }
  await t.apply(`${h1}/h`, v1({ maxReplicas: 5, targetCPUUtilizationPercentage: 50 }), 'one', { pick })
  await t.get(`${h2}/h`, { pick })
  await t.apply(`${h2}/h`, v2({ maxReplicas: 6 }), 'two', { pick })
  await t.apply(`${h2}/h`, v2({ maxReplicas: 5, minReplicas: 2 }), 'two', { pick })
  await t.apply(`${h2}/h`, v2({ maxReplicas: 5, metrics: cpu(60) }), 'three', { pick })
  await t.apply(`${h2}/h`, v2({ maxReplicas: 5, metrics: cpu(60) }), 'three', { force: true, pick })
  await t.get(`${h1}/h`, { pick })
  // the same manager through another version
  await t.apply(`${h2}/h`, v2({ maxReplicas: 7 }), 'one', { pick })
  await t.apply(`${h2}/h`, v2({ maxReplicas: 7 }), 'one', { force: true, pick })
  await t.mergePatch(`${h1}/h?fieldManager=updater`, { spec: { minReplicas: 3 } }, { pick })
  await t.mergePatch(`${h2}/h?fieldManager=updater`, { spec: { maxReplicas: 9 } }, { pick })
  await t.apply(`${h1}/h`, v1({ maxReplicas: 9, minReplicas: 4 }), 'four', { pick })
  // the body must be of the version of the URL
  await t.apply(`${h2}/h`, v1({ maxReplicas: 9 }), 'four', { pick })
  await t.apply(`${h1}/h`, v2({ maxReplicas: 9 }), 'four', { pick })
  await t.put(`${h1}/h`, v2({ maxReplicas: 9 }), { pick })
  await t.apply(`${h1}/h?fieldValidation=Strict`, v1({ maxReplicas: 9, metrics: cpu(60) }), 'four', { pick })
}
