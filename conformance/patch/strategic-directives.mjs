// Strategic merge patch directives: $patch replace and delete, $retainKeys, $setElementOrder, $deleteFromPrimitiveList.
export default async (t) => {
  const ns = await t.namespace()
  const url = `/apis/apps/v1/namespaces/${ns}/deployments`
  const pick = (o) =>
    o.kind === 'Status'
      ? o
      : {
          finalizers: o.metadata.finalizers,
          labels: o.metadata.labels,
          strategy: o.spec.strategy,
          spec: {
            containers: o.spec.template.spec.containers.map((c) => ({ name: c.name, image: c.image, env: c.env })),
            volumes: o.spec.template.spec.volumes,
            nodeSelector: o.spec.template.spec.nodeSelector,
          },
        }
  await t.post(
    url,
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {
        name: 'd',
        labels: { a: '1', b: '2' },
        finalizers: ['example.com/a', 'example.com/b', 'example.com/c'],
      },
      spec: {
        selector: { matchLabels: { app: 'd' } },
        template: {
          metadata: { labels: { app: 'd' } },
          spec: {
            containers: [
              {
                name: 'one',
                image: 'img:1',
                env: [
                  { name: 'A', value: '1' },
                  { name: 'B', value: '2' },
                  { name: 'C', value: '3' },
                ],
              },
              { name: 'two', image: 'img:2' },
            ],
            volumes: [{ name: 'v', emptyDir: {} }],
            nodeSelector: { disk: 'ssd', zone: 'a' },
          },
        },
      },
    },
    { pick },
  )
  const d = `${url}/d`
  const patch = (body) => t.strategicPatch(d, body, { pick })
  const template = (spec) => patch({ spec: { template: { spec } } })
  // the strategy is one of several: $retainKeys clears the rest
  await patch({ spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } })
  await patch({
    spec: {
      strategy: { $retainKeys: ['type', 'rollingUpdate'], type: 'RollingUpdate', rollingUpdate: { maxSurge: 3 } },
    },
  })
  await patch({ spec: { strategy: { $retainKeys: ['rollingUpdate'], type: 'Recreate' } } })
  await template({ volumes: [{ name: 'v', $retainKeys: ['name', 'configMap'], configMap: { name: 'cm' } }] })
  // a volume without $retainKeys keeps its old source, which is one too many
  await template({ volumes: [{ name: 'v', emptyDir: {} }] })
  await template({ nodeSelector: { $patch: 'replace', only: 'this' } })
  await template({ nodeSelector: { $patch: 'delete' } })
  await template({ containers: [{ name: 'one', env: [{ $patch: 'replace' }, { name: 'Z', value: '26' }] }] })
  await template({
    containers: [
      { name: 'one', env: [{ name: 'Y', value: '25' }], '$setElementOrder/env': [{ name: 'Y' }, { name: 'Z' }] },
    ],
  })
  await template({
    '$setElementOrder/containers': [{ name: 'three' }, { name: 'two' }, { name: 'one' }],
    containers: [{ name: 'three', image: 'img:3' }],
  })
  await patch({ metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/b'] } })
  await patch({ metadata: { finalizers: ['example.com/d'] } })
  await patch({
    metadata: {
      '$setElementOrder/finalizers': ['example.com/d', 'example.com/a', 'example.com/e'],
      finalizers: ['example.com/e'],
    },
  })
  await patch({ metadata: { labels: { $patch: 'replace', c: '3' } } })
  await patch({
    metadata: {
      '$deleteFromPrimitiveList/finalizers': ['example.com/a', 'example.com/c', 'example.com/d', 'example.com/e'],
    },
  })
  // leave nothing that holds the namespace
  await t.mergePatch(d, { metadata: { finalizers: null } }, { quiet: true })
}
