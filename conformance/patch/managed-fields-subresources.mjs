// managedFields of subresources: status by apply, patch and PUT, scale, and what each may not touch.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/apis/apps/v1/namespaces/${ns}/deployments`
  const d = `${url}/d`
  const spec = {
    replicas: 1,
    selector: { matchLabels: { app: 'd' } },
    template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'img:1' }] } },
  }
  const head = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } }
  const pick = (o) => {
    if (o.kind !== 'Deployment') return o
    const managedFields = o.metadata.managedFields?.sort((x, y) =>
      x.manager + x.operation + x.subresource < y.manager + y.operation + y.subresource ? -1 : 1,
    )
    return {
      managedFields,
      replicas: o.spec.replicas,
      status: o.status,
      labels: o.metadata.labels,
      generation: o.metadata.generation,
    }
  }
  const scale = (o) =>
    o.kind === 'Status' ? o : { ...o, metadata: { name: o.metadata.name, managedFields: o.metadata.managedFields } }
  await t.apply(d, { ...head, spec, status: { replicas: 9 } }, 'one', { pick })
  await t.apply(`${d}/status`, { ...head, status: { replicas: 1, observedGeneration: 1 } }, 'one', { pick })
  await t.apply(`${d}/status`, { ...head, status: { replicas: 2 } }, 'two', { pick })
  await t.apply(
    `${d}/status`,
    {
      ...head,
      spec: { replicas: 7 },
      status: {
        readyReplicas: 0,
        conditions: [
          {
            type: 'Available',
            status: 'True',
            reason: 'R',
            message: 'm',
            lastUpdateTime: '2020-01-01T00:00:00Z',
            lastTransitionTime: '2020-01-01T00:00:00Z',
          },
        ],
      },
    },
    'two',
    { pick },
  )
  await t.apply(
    `${d}/status`,
    { ...head, status: { conditions: [{ type: 'Progressing', status: 'True' }] } },
    'three',
    { pick },
  )
  await t.mergePatch(
    `${d}/status?fieldManager=four`,
    { status: { replicas: 4, readyReplicas: 2 }, spec: { replicas: 8 }, metadata: { labels: { x: '1' } } },
    { pick },
  )
  await t.apply(`${d}/status`, { ...head, status: { replicas: 1 } }, 'one', { pick })
  // the scale subresource shows no managedFields but is entered in those of the object
  await t.mergePatch(`${d}/scale?fieldManager=scaler`, { spec: { replicas: 3 } }, { pick: scale })
  await t.get(d, { pick })
  await t.apply(d, { ...head, spec }, 'one', { pick })
  const current = (await t.get(`${d}/scale`, { quiet: true })).body
  await t.put(`${d}/scale?fieldManager=putter`, { ...current, spec: { replicas: 5 } }, { pick: scale })
  await t.apply(
    `${d}/scale`,
    { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'd' }, spec: { replicas: 6 } },
    'applier',
    { pick: scale },
  )
  await t.apply(
    `${d}/scale`,
    { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'd' }, spec: { replicas: 6 } },
    'applier',
    { force: true, pick: scale },
  )
  await t.get(d, { pick })
  await t.apply(`${url}/missing/status`, { ...head, metadata: { name: 'missing' }, status: { replicas: 1 } }, 'one')
  await t.apply(
    `${url}/missing/scale`,
    { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'missing' }, spec: { replicas: 1 } },
    'one',
  )
}
