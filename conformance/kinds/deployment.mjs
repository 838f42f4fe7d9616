// Deployment: defaults, table, generation, immutable selector, status and scale subresources, refusals, delete.
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
  const url = `/apis/apps/v1/namespaces/${ns}/deployments`
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'busybox:1' }] } }
  const base = { selector: { matchLabels: { app: 'a' } }, template }
  const deploy = (name, spec) => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec })
  await t.post(url, { ...deploy('a', base), status: { replicas: 5 } })
  await t.get(`${url}/a`, asTable)
  await t.post(
    url,
    deploy('b', {
      ...base,
      replicas: 0,
      paused: true,
      strategy: { type: 'Recreate' },
      revisionHistoryLimit: 0,
      minReadySeconds: 3,
      progressDeadlineSeconds: 60,
    }),
  )
  // generation: labels no, spec yes, annotations in the template yes
  await t.mergePatch(`${url}/a`, { metadata: { labels: { x: 'y' } } })
  await t.mergePatch(`${url}/a`, { spec: { replicas: 3 }, status: { replicas: 3 } })
  await t.strategicPatch(`${url}/a`, { spec: { template: { metadata: { annotations: { restarted: 'now' } } } } })
  await t.mergePatch(`${url}/a`, { spec: { replicas: 3 } })
  await t.mergePatch(`${url}/a`, {
    spec: { selector: { matchLabels: { app: 'b' } }, template: { metadata: { labels: { app: 'b' } } } },
  })
  await t.mergePatch(`${url}/a`, { spec: { template: { metadata: { labels: { app: null } } } } })
  // status
  await t.mergePatch(`${url}/a/status`, {
    spec: { replicas: 9 },
    status: {
      observedGeneration: 3,
      replicas: 3,
      updatedReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 1,
      unavailableReplicas: 2,
      conditions: [
        {
          type: 'Available',
          status: 'True',
          lastUpdateTime: '2024-01-01T00:00:00Z',
          lastTransitionTime: '2024-01-01T00:00:00Z',
          reason: 'R',
          message: 'm',
        },
      ],
    },
  })
  await t.get(`${url}/a`, asTable)
  await t.mergePatch(`${url}/a/status`, { status: { readyReplicas: 9, availableReplicas: -1, collisionCount: -1 } })
  // scale
  await t.get(`${url}/a/scale`)
  await t.mergePatch(`${url}/a/scale`, { spec: { replicas: 6 } })
  await t.put(`${url}/a/scale`, {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'a', resourceVersion: '1' },
    spec: { replicas: 6 },
  })
  await t.put(`${url}/a/scale`, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec: {} })
  await t.put(`${url}/missing`, deploy('missing', base))
  // refused
  await t.post(url, deploy('bad', {}))
  await t.post(url, deploy('bad', { ...base, replicas: -1, selector: { matchLabels: { app: 'b' } } }))
  await t.post(url, deploy('bad', { ...base, strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } }))
  await t.post(
    url,
    deploy('bad', {
      ...base,
      strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } },
      template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } },
    }),
  )
  await t.post(
    url,
    deploy('bad', {
      ...base,
      strategy: { rollingUpdate: { maxSurge: 'lots', maxUnavailable: '200%' } },
      progressDeadlineSeconds: 5,
      minReadySeconds: 10,
    }),
  )
  await t.post(url, deploy('bad', { ...base, replicas: '3' }))
  await t.delete(`${url}/a`)
}
