// Strategic merge patch of a Deployment's pod template: lists merged by their keys, elements deleted, atomic lists replaced.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/apis/apps/v1/namespaces/${ns}/deployments`
  const container = ({ name, image, command, args, env, ports, volumeMounts }) => ({
    name,
    image,
    command,
    args,
    env,
    ports,
    volumeMounts,
  })
  const pick = (o) => {
    if (o.kind === 'Status') return o
    const { containers, volumes, tolerations, nodeSelector } = o.spec.template.spec
    return {
      containers: containers.map(container),
      volumes,
      tolerations,
      nodeSelector,
      generation: o.metadata.generation,
    }
  }
  await t.post(
    url,
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: { app: 'd' } },
        template: {
          metadata: { labels: { app: 'd' } },
          spec: {
            containers: [
              {
                name: 'one',
                image: 'img:1',
                args: ['a', 'b'],
                env: [
                  { name: 'A', value: '1' },
                  { name: 'B', value: '2' },
                ],
                ports: [{ name: 'http', containerPort: 80 }],
                volumeMounts: [{ name: 'v', mountPath: '/v' }],
              },
              { name: 'two', image: 'img:2' },
            ],
            volumes: [{ name: 'v', emptyDir: {} }],
            tolerations: [{ key: 'x', operator: 'Exists' }],
          },
        },
      },
    },
    { pick },
  )
  const d = `${url}/d`
  const patch = (spec) => t.strategicPatch(d, { spec: { template: { spec } } }, { pick })
  await patch({ containers: [{ name: 'two', image: 'img:2b' }] })
  await patch({ containers: [{ name: 'three', image: 'img:3' }] })
  await patch({
    containers: [
      {
        name: 'one',
        env: [
          { name: 'B', value: '22' },
          { name: 'C', value: '3' },
        ],
      },
    ],
  })
  await patch({ containers: [{ name: 'one', env: [{ name: 'A', $patch: 'delete' }] }] })
  await patch({ containers: [{ name: 'one', args: ['c'] }] })
  await patch({ containers: [{ name: 'one', ports: [{ containerPort: 80, name: 'web' }, { containerPort: 443 }] }] })
  await patch({ containers: [{ name: 'one', volumeMounts: [{ mountPath: '/w', name: 'v' }] }] })
  await patch({
    containers: [
      { name: 'two', $patch: 'delete' },
      { name: 'nobody', $patch: 'delete' },
    ],
  })
  await patch({ containers: [{ name: 'three', command: ['sh'], image: null }] })
  await patch({ containers: [{ name: 'one', env: null }] })
  await patch({ tolerations: [{ key: 'y', operator: 'Exists' }] })
  await patch({
    nodeSelector: { disk: 'ssd' },
    volumes: [
      { name: 'v', $patch: 'delete' },
      { name: 'w', emptyDir: {} },
    ],
    containers: [{ name: 'one', volumeMounts: null }],
  })
  await patch({ nodeSelector: { disk: null, zone: 'a' }, volumes: null })
  await t.strategicPatch(d, {}, { pick })
}
