// Apply on a Deployment: which fields are owned, conflicts over replicas, and removal that falls back to the default.
export default async (t) => {
  const ns = await t.namespace()
  const d = `/apis/apps/v1/namespaces/${ns}/deployments/d`
  const deployment = (spec, container) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: { app: 'd' } },
      template: {
        metadata: { labels: { app: 'd' } },
        spec: { containers: [{ name: 'c', image: 'img:1', ...container }] },
      },
      ...spec,
    },
  })
  const pick = (o) => {
    if (o.kind === 'Status') return o
    const c = o.spec.template.spec.containers[0]
    const managedFields = o.metadata.managedFields?.sort((x, y) => (x.manager < y.manager ? -1 : 1))
    return {
      managedFields,
      generation: o.metadata.generation,
      replicas: o.spec.replicas,
      paused: o.spec.paused,
      strategy: o.spec.strategy,
      minReadySeconds: o.spec.minReadySeconds,
      imagePullPolicy: c.imagePullPolicy,
      resources: c.resources,
      restartPolicy: o.spec.template.spec.restartPolicy,
    }
  }
  await t.apply(d, deployment({ replicas: 3 }), 'one', { pick })
  await t.apply(d, deployment({ replicas: 5 }), 'two', { pick })
  await t.apply(d, deployment({ replicas: 3 }), 'two', { pick })
  // given up by one, still applied by two
  await t.apply(d, deployment(), 'one', { pick })
  // given up by both: the default comes back
  await t.apply(d, deployment(), 'two', { pick })
  await t.apply(d, deployment({ strategy: { type: 'Recreate' }, paused: true, minReadySeconds: 7 }), 'one', { pick })
  await t.apply(d, deployment({ strategy: { rollingUpdate: { maxSurge: 1 } } }), 'one', { pick })
  await t.apply(d, deployment({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } }), 'one', { pick })
  await t.apply(d, deployment(), 'one', { pick })
  await t.apply(
    d,
    deployment({}, { imagePullPolicy: 'Always', resources: { limits: { cpu: '100m', memory: '1Gi' } } }),
    'one',
    { pick },
  )
  // an equal quantity written otherwise
  await t.apply(
    d,
    deployment({}, { imagePullPolicy: 'Always', resources: { limits: { cpu: '0.1', memory: '1024Mi' } } }),
    'one',
    { pick },
  )
  await t.apply(d, deployment(), 'one', { pick })
  // a default written out is owned like any other value
  await t.apply(d, deployment({ replicas: 1 }), 'three', { pick })
  await t.apply(
    d,
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec: { replicas: 1 } },
    'four',
    { pick },
  )
  await t.apply(d, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec: {} }, 'five', { pick })
}
