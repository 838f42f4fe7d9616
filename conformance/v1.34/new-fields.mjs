// Fields and kinds that v1.34 has by default, and those whose gate is off: kept, dropped, refused, shown.
const asTable = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  pick: (b) => {
    for (const r of b.rows ?? []) r.cells = r.cells?.map((c) => (/^\d+s$/.test(c) ? '<age>' : c))
    return b
  },
}

export default async (t) => {
  const ns = await t.namespace()
  const classes = '/apis/storage.k8s.io/v1/volumeattributesclasses'
  await t.clear(`${classes}/v134-vac`)
  await t.clear(`${classes}/v134-vac2`)
  const vac = (name, more = {}) => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttributesClass',
    metadata: { name },
    driverName: 'a.example.com',
    parameters: { iops: '1' },
    ...more,
  })
  await t.post(classes, vac('v134-vac'))
  await t.get(`${classes}/v134-vac`, asTable)
  await t.post(classes, vac('v134-vac2', { driverName: '' }))
  await t.post(classes, vac('v134-vac2', { parameters: {} }))
  await t.mergePatch(`${classes}/v134-vac`, { parameters: { iops: '2' } })
  await t.mergePatch(`${classes}/v134-vac`, { metadata: { annotations: { a: 'b' } } })
  await t.delete(`${classes}/v134-vac`)

  const pods = `/api/v1/namespaces/${ns}/pods`
  const container = (more) => ({ name: 'c', image: 'i', ...more })
  const pod = (name, spec) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [container()], ...spec },
  })
  const picks = { pick: (b) => (b.spec ? { spec: b.spec, qosClass: b.status?.qosClass } : b) }
  await t.post(
    pods,
    pod('levels', { resources: { requests: { cpu: '1' }, limits: { cpu: '2', memory: '1Gi' } } }),
    picks,
  )
  await t.post(pods, pod('x', { resources: { requests: { cpu: '3' }, limits: { cpu: '2' } } }))
  await t.post(pods, pod('x', { resources: { limits: { 'example.com/gpu': '1' } } }))
  await t.post(
    pods,
    pod('x', { resources: { limits: { cpu: '1' } }, containers: [container({ resources: { limits: { cpu: '2' } } })] }),
  )
  await t.post(pods, pod('named', { hostnameOverride: 'over' }), picks)
  await t.post(
    pods,
    pod('rules', {
      containers: [
        container({
          restartPolicy: 'Never',
          restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }],
        }),
      ],
    }),
    picks,
  )
  await t.post(
    pods,
    pod('files', {
      containers: [
        container({ env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'f', key: 'K' } } }] }),
      ],
    }),
    picks,
  )
  await t.post(pods, pod('none', { containers: [container({ env: [{ name: 'A', valueFrom: {} }] })] }))
  const wrong = {
    volumes: [
      {
        name: 'v',
        projected: {
          sources: [
            { podCertificate: { signerName: 'a.example.com/s', keyType: 'RSA3072', credentialBundlePath: 'b.pem' } },
          ],
        },
      },
    ],
  }
  await t.post(pods, pod('certificate', wrong), picks)
  await t.mergePatch(
    `${pods}/levels`,
    { spec: { containers: [container({ image: 'j', command: ['x'] })] } },
    { pick: (b) => ({ code: b.code, causes: b.details?.causes?.map((c) => [c.field, c.message.slice(0, 60)]) }) },
  )
  await t.post(pods, pod('x', { containers: [container({ lifecycle: { stopSignal: 'SIGUSR1' } })] }), picks)
  await t.post(
    pods,
    pod('x2', { os: { name: 'linux' }, containers: [container({ lifecycle: { stopSignal: 'SIGNO' } })] }),
  )
  await t.delete(`${pods}/levels?gracePeriodSeconds=0`, { pick: (b) => b.status?.phase })

  const sets = `/apis/apps/v1/namespaces/${ns}/statefulsets`
  const labels = { app: 'a' }
  const template = { metadata: { labels }, spec: { containers: [container()] } }
  const set = (name, spec) => ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name },
    spec: { selector: { matchLabels: labels }, serviceName: 's', template, ...spec },
  })
  await t.post(
    sets,
    set('a', {
      template: { ...template, spec: { containers: [container({ volumeMounts: [{ name: 'no', mountPath: '/m' }] })] } },
    }),
  )
  await t.post(sets, set('a', { volumeClaimTemplates: [{ metadata: { name: 'd' }, spec: {} }] }))
  await t.post(
    sets,
    set('a', {
      volumeClaimTemplates: [
        {
          metadata: { name: 'd' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
      template: { ...template, spec: { containers: [container({ volumeMounts: [{ name: 'd', mountPath: '/m' }] })] } },
    }),
    { pick: (b) => b.spec?.volumeClaimTemplates ?? b },
  )
  for (const [kind, plural] of [
    ['DaemonSet', 'daemonsets'],
    ['ReplicaSet', 'replicasets'],
    ['Deployment', 'deployments'],
  ]) {
    const url = `/apis/apps/v1/namespaces/${ns}/${plural}`
    await t.post(
      url,
      { apiVersion: 'apps/v1', kind, metadata: { name: 'w' }, spec: { selector: { matchLabels: labels }, template } },
      { pick: (b) => b.kind },
    )
    await t.mergePatch(`${url}/w`, { spec: { selector: { matchLabels: { app: 'b' } } } })
    await t.mergePatch(`${url}/w`, {
      spec: { selector: { matchLabels: { app: 'b' } }, template: { metadata: { labels: { app: 'b' } } } },
    })
    await t.mergePatch(`${url}/w`, { metadata: { labels: { 'a b': 'c' } } })
  }
  const jobs = `/apis/batch/v1/namespaces/${ns}/jobs`
  await t.post(
    jobs,
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [container()] } } },
    },
    { pick: (b) => b.spec?.podReplacementPolicy },
  )
  await t.mergePatch(
    `${jobs}/j/status`,
    {
      status: {
        startTime: '2024-01-01T00:00:00Z',
        conditions: [
          {
            type: 'SuccessCriteriaMet',
            status: 'True',
            lastTransitionTime: '2024-01-01T00:00:00Z',
            reason: 'R',
            message: '',
          },
        ],
      },
    },
    { pick: (b) => b.status?.conditions ?? b },
  )
  await t.get(`${jobs}/j`, { ...asTable, pick: (b) => b.rows?.[0]?.cells?.[1] })
  await t.mergePatch(`${jobs}/j/status`, { status: { completedIndexes: 'x' } })

  const services = `/api/v1/namespaces/${ns}/services`
  const service = (name, spec) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec })
  await t.post(
    services,
    service('h', { clusterIP: 'None', externalIPs: ['1.2.3.4'], sessionAffinity: 'ClientIP', ports: [{ port: 1 }] }),
    { pick: (b) => b.kind },
  )
  await t.post(services, service('1a', { ports: [{ port: 1 }] }))
  await t.post(services, service('d', { trafficDistribution: 'PreferSameNode', ports: [{ port: 1 }] }), {
    pick: (b) => b.spec?.trafficDistribution ?? b,
  })
  await t.post(services, service('e', { trafficDistribution: 'Odd', ports: [{ port: 1 }] }))
  await t.put(`/api/v1/namespaces/${ns}/configmaps/missing`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'missing', uid: 'u', resourceVersion: '1' },
  })
  const scalers = `/apis/autoscaling/v2/namespaces/${ns}/horizontalpodautoscalers`
  const scaler = (name, scaleTargetRef) => ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name },
    spec: { maxReplicas: 2, scaleTargetRef },
  })
  await t.post(scalers, scaler('a', { apiVersion: 'v1', kind: 'Deployment', name: 'd' }))
  await t.post(scalers, scaler('b', { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }), {
    pick: (b) => b.spec?.scaleTargetRef ?? b,
  })
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All'
  const definition = (schema, more = {}) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.v134.example.com' },
    spec: {
      group: 'v134.example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: schema && { openAPIV3Schema: schema }, ...more }],
    },
  })
  const rule = (text) => ({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        maxProperties: 3,
        properties: {
          v: { type: 'string', maxLength: 20 },
          l: { type: 'array', maxItems: 4, items: { type: 'integer' } },
        },
        'x-kubernetes-validations': [{ rule: text }],
      },
    },
  })
  await t.post(definitions, definition(rule('!has(self.v) || isSemver(self.v)')), { pick: (b) => b.kind })
  await t.post(definitions, definition(rule('self.l.sort() == self.l')))
  await t.post(definitions, definition(rule('self.no')))
  await t.post(definitions, definition(undefined, { selectableFields: [{ jsonPath: '.spec.v' }] }))
  await t.post(definitions, definition({ type: 'object', properties: { spec: { type: 'string', format: 'odd' } } }), {
    pick: (b) => b.kind,
  })
}
