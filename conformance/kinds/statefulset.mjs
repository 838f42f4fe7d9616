// StatefulSet: defaults, claim templates, table, what may change, status and scale, refusals, delete.
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
  const url = `/apis/apps/v1/namespaces/${ns}/statefulsets`
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'busybox:1' }] } }
  const base = { selector: { matchLabels: { app: 'a' } }, serviceName: 'svc', template }
  const sts = (name, spec) => ({ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name }, spec })
  await t.post(url, sts('a', base))
  await t.get(`${url}/a`, asTable)
  await t.post(
    url,
    sts('b', {
      ...base,
      replicas: 2,
      podManagementPolicy: 'Parallel',
      ordinals: { start: 5 },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' },
      updateStrategy: { type: 'OnDelete' },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    }),
  )
  await t.mergePatch(`${url}/a`, {
    spec: {
      replicas: 2,
      minReadySeconds: 2,
      updateStrategy: { rollingUpdate: { partition: 1 } },
      template: { metadata: { labels: { v: '2' } } },
      persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' },
    },
  })
  // everything else is fixed
  await t.mergePatch(`${url}/a`, { spec: { serviceName: 'other' } })
  await t.mergePatch(`${url}/a`, { spec: { selector: { matchLabels: { v: '2' } } } })
  await t.mergePatch(`${url}/b`, { spec: { podManagementPolicy: 'OrderedReady', volumeClaimTemplates: null } })
  // status
  await t.mergePatch(`${url}/a/status`, {
    spec: { replicas: 9 },
    status: {
      replicas: 2,
      readyReplicas: 1,
      currentReplicas: 1,
      updatedReplicas: 1,
      currentRevision: 'a-1',
      updateRevision: 'a-2',
      observedGeneration: 2,
      collisionCount: 0,
    },
  })
  await t.get(`${url}/a`, asTable)
  await t.mergePatch(`${url}/a/status`, { status: { readyReplicas: 5 } })
  // scale
  await t.get(`${url}/a/scale`)
  await t.mergePatch(`${url}/a/scale`, { spec: { replicas: 0 } })
  await t.get(`${url}/a`)
  // refused
  await t.post(url, sts('bad', {}))
  await t.post(
    url,
    sts('bad', {
      ...base,
      podManagementPolicy: 'Random',
      updateStrategy: { type: 'Whenever' },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Maybe', whenScaled: 'Retain' },
      ordinals: { start: -1 },
    }),
  )
  await t.post(
    url,
    sts('bad', {
      ...base,
      updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } },
      template: { ...template, spec: { ...template.spec, restartPolicy: 'OnFailure' } },
    }),
  )
  await t.post(
    url,
    sts('bad', { ...base, updateStrategy: { rollingUpdate: { partition: -1 } }, minReadySeconds: -1, replicas: -1 }),
  )
  await t.post(url, sts('bad', { ...base, replicas: true }))
  await t.put(`${url}/missing`, sts('missing', base))
  await t.delete(`${url}/a`)
  await t.delete(
    `${url}/b`,
    { propagationPolicy: 'Orphan' },
    {
      pick: (b) => ({
        kind: b.kind,
        status: b.kind === 'Status' ? b.status : undefined,
        finalizers: b.metadata?.finalizers,
      }),
    },
  )
}
