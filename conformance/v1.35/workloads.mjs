// Jobs, sets, scalers, quotas, evictions and access of v1.35: new words, warnings and fields, and updates that are checked once.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const container = (more) => ({ name: 'c', image: 'i', ...more })
  const labels = { app: 'a' }
  const kinds = { pick: (b) => (b.kind === 'Status' ? b : b.kind) }

  const jobs = `/apis/batch/v1/namespaces/${ns}/jobs`
  const template = (spec) => ({ spec: { restartPolicy: 'Never', containers: [container()], ...spec } })
  await t.post(
    jobs,
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j' },
      spec: { suspend: true, managedBy: 'example.com/m', template: template() },
    },
    { pick: (b) => b.spec?.managedBy ?? b },
  )
  const short = {
    pick: (b) =>
      b.kind === 'Status'
        ? { code: b.code, causes: b.details?.causes?.map((c) => [c.reason, c.field, c.message.slice(-60)]) }
        : b.spec?.template?.spec?.containers,
  }
  const resources = { limits: { cpu: '1' } }
  await t.mergePatch(`${jobs}/j`, { spec: { template: template({ containers: [container({ resources })] }) } }, short)
  await t.mergePatch(`${jobs}/j`, { spec: { template: template({ nodeSelector: { a: 'b' } }) } }, short)
  const condition = (type, status = 'True') => ({
    type,
    status,
    reason: 'R',
    message: '',
    lastTransitionTime: '2024-01-01T00:00:00Z',
    lastProbeTime: null,
  })
  const times = { pick: (b) => (b.kind === 'Status' ? b : { startTime: b.status?.startTime }) }
  await t.mergePatch(`${jobs}/j`, { spec: { suspend: false } }, { pick: (b) => b.spec?.suspend })
  await t.mergePatch(`${jobs}/j/status`, { status: { startTime: '2024-01-01T00:00:00Z' } }, times)
  await t.mergePatch(`${jobs}/j/status`, { status: { startTime: null } }, times)
  await t.mergePatch(`${jobs}/j/status`, { status: { startTime: '2024-01-02T00:00:00Z' } }, times)
  await t.mergePatch(`${jobs}/j`, { spec: { suspend: true } }, { pick: (b) => b.spec?.suspend })
  await t.mergePatch(`${jobs}/j/status`, { status: { startTime: null, conditions: [condition('Suspended')] } }, times)
  await t.mergePatch(
    `${jobs}/j`,
    { spec: { template: template({ nodeSelector: { a: 'c' }, containers: [container({ resources })] }) } },
    short,
  )
  await t.mergePatch(
    `${jobs}/j/status`,
    { status: { startTime: '2024-01-03T00:00:00Z', conditions: [condition('Suspended', 'False')] } },
    times,
  )
  const crons = `/apis/batch/v1/namespaces/${ns}/cronjobs?dryRun=All`
  const cron = (name, schedule) => ({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name },
    spec: { schedule, jobTemplate: { spec: { template: template() } } },
  })
  await t.post(crons, cron('c', 'TZ=0'), { pick: (b) => b.details?.causes ?? b })
  await t.post(crons, cron('c', 'TZ=Odd/Zone * * * * *'), { pick: (b) => b.details?.causes ?? b })
  await t.post(crons, cron('Bad_', '* * * * *'), { pick: (b) => b.details?.causes ?? b })

  const controllers = `/api/v1/namespaces/${ns}/replicationcontrollers`
  const controller = (name, spec) => ({
    apiVersion: 'v1',
    kind: 'ReplicationController',
    metadata: { name },
    spec: { selector: labels, template: { metadata: { labels }, spec: { containers: [container()] } }, ...spec },
  })
  await t.post(controllers, controller('Bad_', {}))
  await t.post(controllers, controller('r', { replicas: -1, minReadySeconds: -1 }))
  await t.post(controllers, controller('r', { replicas: 0 }), kinds)
  await t.mergePatch(`${controllers}/r`, { spec: { replicas: -1 } })
  await t.mergePatch(`${controllers}/r`, { spec: { minReadySeconds: -1 }, metadata: { labels: { 'a b': 'c' } } })

  const apps = `/apis/apps/v1/namespaces/${ns}`
  const workload = (kind, name, spec) => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container()] } },
      ...spec,
    },
  })
  await t.post(
    `${apps}/statefulsets`,
    workload('StatefulSet', 's', {
      serviceName: 's',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0, maxUnavailable: 2 } },
    }),
    { pick: (b) => b.spec?.updateStrategy ?? b },
  )
  await t.post(`${apps}/deployments`, workload('Deployment', 'd', {}), kinds)
  await t.mergePatch(
    `${apps}/deployments/d/status`,
    { status: { replicas: 1, terminatingReplicas: 2 } },
    { pick: (b) => b.status },
  )
  await t.mergePatch(`${apps}/deployments/d/status`, { status: { terminatingReplicas: -1 } })
  await t.post(`${apps}/replicasets`, workload('ReplicaSet', 'r', {}), kinds)
  await t.mergePatch(`${apps}/replicasets/r/status`, { status: { terminatingReplicas: -1 } })
  const scaler = (tolerance) => ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'h' },
    spec: {
      maxReplicas: 2,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      behavior: { scaleUp: { tolerance } },
    },
  })
  const scalers = `/apis/autoscaling/v2/namespaces/${ns}/horizontalpodautoscalers?dryRun=All`
  await t.post(scalers, scaler('50m'), { pick: (b) => b.spec?.behavior ?? b })
  await t.post(scalers, scaler('-1'))

  const quotas = `/api/v1/namespaces/${ns}/resourcequotas`
  const quota = (hard) => ({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard } })
  const hards = { pick: (b) => b.spec?.hard ?? b }
  await t.post(quotas, quota({ 'requests.cpu': '3', 'limits.cpu': '2', memory: '2Gi', 'limits.memory': '1Gi' }), hards)
  await t.mergePatch(
    `${quotas}/q`,
    { spec: { hard: { 'requests.ephemeral-storage': '2', 'limits.ephemeral-storage': '1500m', 'limits.cpu': '3' } } },
    hards,
  )
  await t.mergePatch(
    `${quotas}/q`,
    { spec: { hard: { 'limits.memory': '2Gi', 'limits.ephemeral-storage': '2' } } },
    hards,
  )
  await t.delete(`${quotas}/q`)

  // evictions that a budget does not allow
  const pods = `/api/v1/namespaces/${ns}/pods`
  await t.post(
    pods,
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', labels }, spec: { containers: [container()] } },
    { pick: (b) => b.kind },
  )
  await t.post(
    `${pods}/p/binding`,
    { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } },
    { pick: (b) => b.status },
  )
  await t.mergePatch(
    `${pods}/p/status`,
    { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
    { pick: (b) => b.status?.phase },
  )
  const budgets = `/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets`
  await t.post(
    budgets,
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'b' },
      spec: { minAvailable: 1, selector: { matchLabels: labels } },
    },
    kinds,
  )
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } }
  const evict = async (status) => {
    await t.mergePatch(
      `${budgets}/b/status`,
      { status: { observedGeneration: 1, disruptionsAllowed: 0, expectedPods: 1, ...status } },
      { quiet: true },
    )
    await t.post(`${pods}/p/eviction`, eviction)
  }
  const allowed = (reason, message) => ({
    ...condition('DisruptionAllowed', 'False'),
    reason,
    message,
    lastProbeTime: undefined,
  })
  await evict({ currentHealthy: 1, desiredHealthy: 1 })
  await evict({ currentHealthy: 2, desiredHealthy: 1 })
  await evict({ currentHealthy: 2, desiredHealthy: 1, conditions: [allowed('Insufficient', 'too few')] })
  await evict({ currentHealthy: 0, desiredHealthy: 1, conditions: [allowed('SyncFailed', 'it broke')] })

  // updates that are checked once
  const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}`
  const binding = (name, roleRef, subjects) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name },
    roleRef,
    subjects,
  })
  const ref = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' }
  await t.post(`${roles}/rolebindings`, binding('b', { ...ref, name: '' }, [{ kind: 'User', name: '' }]))
  await t.post(`${roles}/rolebindings`, binding('b', ref, []), kinds)
  await t.mergePatch(`${roles}/rolebindings/b`, { subjects: [{ kind: 'Odd', name: 'x' }] })
  await t.mergePatch(`${roles}/rolebindings/b`, { roleRef: { name: 'other' }, subjects: [{ kind: 'User', name: '' }] })
  await t.post(
    `/api/v1/namespaces/${ns}/serviceaccounts`,
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' }, secrets: [{ name: 's' }] },
    kinds,
  )
  await t.get(`/api/v1/namespaces/${ns}/serviceaccounts`, {
    ...asTable,
    pick: (b) => b.columnDefinitions?.map((c) => c.name),
  })
  await t.get(`/api/v1/namespaces/${ns}/pods?labelSelector=${'a'.repeat(64)}=b`)
  await t.get(`/api/v1/namespaces/${ns}/pods?labelSelector=a=${'b'.repeat(64)}`)
}
