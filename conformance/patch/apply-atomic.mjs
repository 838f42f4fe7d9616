// Atomic lists and maps under apply: owned and replaced as a whole; nested maps are merged key by key.
export default async (t) => {
  const ns = await t.namespace()
  const d = `/apis/apps/v1/namespaces/${ns}/deployments/d`
  const deployment = (pod, container, spec) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: { app: 'd' } },
      template: {
        metadata: { labels: { app: 'd' } },
        spec: { containers: [{ name: 'c', image: 'img:1', ...container }], ...pod },
      },
      ...spec,
    },
  })
  const pick = (o) => {
    if (o.kind === 'Status') {
      o.details?.causes?.sort((x, y) => (x.message + x.field < y.message + y.field ? -1 : 1))
      return o
    }
    const owned = {}
    for (const m of o.metadata.managedFields ?? []) owned[`${m.manager} ${m.operation}`] = m.fieldsV1['f:spec']
    const {
      containers: [c],
      nodeSelector,
      tolerations,
      affinity,
      hostAliases,
      imagePullSecrets,
      topologySpreadConstraints,
    } = o.spec.template.spec
    return {
      owned,
      selector: o.spec.selector,
      args: c.args,
      command: c.command,
      requests: c.resources.requests,
      nodeSelector,
      tolerations,
      affinity,
      hostAliases,
      imagePullSecrets,
      topologySpreadConstraints,
    }
  }
  const pod = {
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'x', operator: 'Exists' }],
    imagePullSecrets: [{ name: 's1' }],
    hostAliases: [{ ip: '10.0.0.1', hostnames: ['h'] }],
  }
  await t.apply(d, deployment(pod, { args: ['a', 'b'], resources: { requests: { cpu: '1' } } }), 'one', { pick })
  // maps and lists that are atomic conflict as a whole
  await t.apply(d, deployment({ nodeSelector: { zone: 'a' } }), 'two', { pick })
  await t.apply(d, deployment({ tolerations: [{ key: 'y', operator: 'Exists' }] }, { args: ['c'] }), 'two', { pick })
  await t.apply(
    d,
    deployment(
      { nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 'x', operator: 'Exists' }] },
      { args: ['a', 'b'] },
    ),
    'two',
    { pick },
  )
  // these are merged
  await t.apply(
    d,
    deployment(
      { imagePullSecrets: [{ name: 's2' }], hostAliases: [{ ip: '10.0.0.2', hostnames: ['i'] }] },
      { resources: { requests: { memory: '1Gi' } } },
    ),
    'two',
    { pick },
  )
  await t.apply(
    d,
    deployment(
      { ...pod, nodeSelector: { disk: 'hdd', zone: 'b' } },
      { args: ['b'], resources: { requests: { cpu: '1' } } },
    ),
    'one',
    { pick },
  )
  // the selector is one atomic value, and immutable besides
  await t.apply(d, deployment({}, {}, { selector: { matchLabels: { app: 'other' } } }), 'two', { pick })
  await t.apply(d, deployment({}, {}, { selector: { matchLabels: { app: 'other' } } }), 'two', { force: true, pick })
  await t.apply(d, deployment({ hostAliases: [{ ip: '10.0.0.1', hostnames: ['other'] }] }), 'two', { pick })
  await t.apply(
    d,
    deployment({
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 'd' } },
        },
      ],
    }),
    'two',
    { pick },
  )
  await t.apply(
    d,
    deployment({
      topologySpreadConstraints: [{ maxSkew: 2, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
    }),
    'three',
    { pick },
  )
  await t.apply(d, deployment({ nodeSelector: {} }), 'one', { pick })
  await t.apply(d, deployment(), 'one', { pick })
}
