// Workloads, and what may change in jobs that are suspended, sets, volumes and definitions behind gates.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const workloads = `/apis/scheduling.k8s.io/v1alpha1/namespaces/${ns}/workloads`
  const workload = (name, spec) => ({
    apiVersion: 'scheduling.k8s.io/v1alpha1',
    kind: 'Workload',
    metadata: { name },
    spec,
  })
  const gang = (name, minCount = 2) => ({ name, policy: { gang: { minCount } } })
  const controllerRef = { apiGroup: 'batch', kind: 'Job', name: 'j' }
  await t.post(workloads, workload('a', { podGroups: [gang('g')] }))
  await t.post(
    workloads,
    workload('b', { controllerRef, podGroups: [{ name: 'g', policy: { basic: {} } }, gang('h')] }),
  )
  await t.get(`${workloads}/a`, asTable)
  await t.post(workloads, workload('x', {}))
  await t.post(workloads, workload('Bad_', { podGroups: [gang('Bad_'), gang('g'), gang('g')] }))
  await t.post(
    workloads,
    workload('x', { podGroups: [{ name: '' }, { name: 'b', policy: { basic: {}, gang: { minCount: 1 } } }] }),
  )
  await t.post(workloads, workload('x', { podGroups: [gang('g', 0), gang('h', -1)] }))
  await t.post(workloads, workload('x', { podGroups: Array.from({ length: 9 }, (_, i) => gang(`g${i}`)) }))
  await t.post(
    workloads,
    workload('x', { controllerRef: { apiGroup: 'Bad_', kind: '', name: '' }, podGroups: [gang('g')] }),
  )
  await t.post(workloads, workload('x', { controllerRef: { kind: 'a/b', name: '..' }, podGroups: [gang('g')] }))
  await t.mergePatch(`${workloads}/a`, { metadata: { labels: { a: 'b' } } }, { pick: (b) => b.metadata?.labels ?? b })
  await t.mergePatch(`${workloads}/a`, { spec: { controllerRef } }, { pick: (b) => b.spec ?? b })
  await t.mergePatch(`${workloads}/a`, { spec: { controllerRef: { name: 'k' } } })
  await t.mergePatch(`${workloads}/a`, { spec: { podGroups: [gang('other')] } })
  await t.apply(`${workloads}/c`, workload('c', { podGroups: [gang('g')] }), 'one')
  await t.apply(`${workloads}/c`, workload('c', { podGroups: [gang('h')] }), 'two')
  await t.get(workloads, { pick: (b) => b.items?.map((i) => i.metadata.name) ?? b })
  await t.delete(`${workloads}/b`)

  const jobs = `/apis/batch/v1/namespaces/${ns}/jobs`
  const container = (more) => ({ name: 'c', image: 'i', ...more })
  const template = (spec) => ({ spec: { restartPolicy: 'Never', containers: [container()], ...spec } })
  const job = (name, suspend) => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: { suspend, template: template() },
  })
  const short = {
    pick: (b) =>
      b.kind === 'Status'
        ? { code: b.code, causes: b.details?.causes?.map((c) => [c.reason, c.field, c.message.slice(-60)]) }
        : { spec: b.spec?.template?.spec },
  }
  const kinds = { pick: (b) => (b.kind === 'Status' ? b : b.kind) }
  const resources = { limits: { cpu: '1' } }
  const changed = template({ containers: [container({ resources })] })
  const suspended = (status, active) => ({
    status: {
      active,
      conditions: [
        {
          type: 'Suspended',
          status,
          reason: 'R',
          message: '',
          lastTransitionTime: '2024-01-01T00:00:00Z',
          lastProbeTime: null,
        },
      ],
    },
  })
  await t.post(jobs, job('j', true), kinds)
  await t.mergePatch(`${jobs}/j`, { spec: { template: changed } }, short)
  await t.mergePatch(`${jobs}/j/status`, suspended('True', 0), { pick: (b) => b.status?.conditions?.length ?? b })
  await t.mergePatch(`${jobs}/j`, { spec: { template: changed } }, short)
  await t.mergePatch(`${jobs}/j`, { spec: { template: template({ containers: [container({ image: 'j' })] }) } }, short)
  await t.mergePatch(
    `${jobs}/j`,
    { spec: { template: template({ nodeSelector: { a: 'b' }, containers: [container()] }) } },
    short,
  )
  await t.mergePatch(
    `${jobs}/j`,
    { spec: { template: template({ containers: [container({ resources: { limits: { cpu: '-1' } } })] }) } },
    short,
  )
  await t.mergePatch(
    `${jobs}/j/status`,
    { status: { startTime: '2024-01-01T00:00:00Z' } },
    { pick: (b) => b.status ?? b.message },
  )
  await t.mergePatch(`${jobs}/j/status`, suspended('True', 1), { pick: (b) => b.status?.active ?? b })
  await t.mergePatch(`${jobs}/j`, { spec: { template: template({ nodeSelector: { a: 'c' } }) } }, short)
  await t.post(jobs, job('k', false), kinds)
  await t.mergePatch(`${jobs}/k`, { spec: { template: changed } }, short)

  const sets = `/apis/apps/v1/namespaces/${ns}/statefulsets`
  const labels = { app: 'a' }
  const set = (name, rollingUpdate) => ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      serviceName: 's',
      template: { metadata: { labels }, spec: { containers: [container()] } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate },
    },
  })
  const strategies = { pick: (b) => b.spec?.updateStrategy ?? b }
  await t.post(sets, set('a', {}), strategies)
  await t.post(sets, set('b', { maxUnavailable: '30%' }), strategies)
  await t.post(sets, set('x', { maxUnavailable: 0 }))
  await t.post(sets, set('x', { maxUnavailable: '200%' }))
  await t.mergePatch(`${sets}/b`, { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 3 } } } }, strategies)

  const volumes = '/api/v1/persistentvolumes'
  await t.clear(`${volumes}/v135-gated`)
  const affinity = (operator, values) => ({
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'k', operator, values }] }] },
  })
  const volume = (nodeAffinity) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'v135-gated' },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/v' }, nodeAffinity },
  })
  const affinities = { pick: (b) => (b.kind === 'Status' ? b : (b.spec?.nodeAffinity ?? null)) }
  await t.post(volumes, volume(affinity('In', ['a'])), affinities)
  await t.mergePatch(`${volumes}/v135-gated`, { spec: { nodeAffinity: affinity('In', ['b']) } }, affinities)
  await t.mergePatch(`${volumes}/v135-gated`, { spec: { nodeAffinity: affinity('Odd', ['b']) } }, affinities)
  await t.mergePatch(`${volumes}/v135-gated`, { spec: { nodeAffinity: null } }, affinities)
  await t.mergePatch(`${volumes}/v135-gated`, { spec: { nodeAffinity: affinity('Exists', undefined) } }, affinities)
  await t.delete(`${volumes}/v135-gated`)

  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const name = 'things.v135-gated.example.com'
  await t.clear(`${definitions}/${name}`)
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  await t.post(
    definitions,
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name },
      spec: {
        group: 'v135-gated.example.com',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    },
    kinds,
  )
  const observed = {
    pick: (b) => ({
      generation: b.metadata?.generation,
      observed: b.status?.observedGeneration,
      conditions: b.status?.conditions?.map((c) => [c.type, c.observedGeneration]).toSorted(),
    }),
  }
  const isEstablished = (b) => b.status?.conditions?.some((c) => c.type === 'Established' && c.status === 'True')
  await t.until(async () => isEstablished((await t.get(`${definitions}/${name}`, { quiet: true })).body))
  await t.get(`${definitions}/${name}`, observed)
  await t.mergePatch(
    `${definitions}/${name}`,
    { spec: { names: { shortNames: ['thg'] } } },
    { pick: (b) => b.metadata?.generation },
  )
  await t.until(async () =>
    (await t.get(`${definitions}/${name}`, { quiet: true })).body.status?.acceptedNames?.shortNames?.includes('thg'),
  )
  await t.get(`${definitions}/${name}`, observed)
  await t.mergePatch(
    `${definitions}/${name}/status`,
    { status: { observedGeneration: 7 } },
    { pick: (b) => b.status?.observedGeneration },
  )
  await t.delete(`${definitions}/${name}`, undefined, { quiet: true })
}
