// JSON Patch and merge patch of custom resources: validation, pruning, defaults, generation, the status subresource.
const group = 'patch-merge.example.com'
const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `parts.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'parts', singular: 'part', kind: 'Part', listKind: 'PartList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'integer', minimum: 1 },
                  color: { type: 'string', default: 'red', enum: ['red', 'blue'] },
                  tags: { type: 'array', maxItems: 2, items: { type: 'string' } },
                },
              },
              status: { type: 'object', properties: { phase: { type: 'string' } } },
            },
          },
        },
      },
    ],
  },
}
export default async (t) => {
  await t.clear(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`)
  const ns = await t.namespace()
  await t.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd, { quiet: true })
  const url = `/apis/${group}/v1/namespaces/${ns}/parts`
  await t.until(async () => (await t.get(url, { quiet: true })).status === 200)
  const p = `${url}/p`
  await t.post(url, {
    apiVersion: `${group}/v1`,
    kind: 'Part',
    metadata: { name: 'p' },
    spec: { size: 1 },
    status: { phase: 'Ignored' },
  })
  await t.mergePatch(p, { spec: { size: 2, tags: ['a'] } })
  await t.mergePatch(p, { spec: { color: null } })
  await t.mergePatch(p, { spec: { color: 'blue' }, status: { phase: 'Ignored' } })
  await t.mergePatch(p, { metadata: { labels: { x: '1' } } })
  await t.jsonPatch(p, [{ op: 'add', path: '/spec/tags/-', value: 'b' }])
  await t.jsonPatch(p, [{ op: 'add', path: '/spec/tags/-', value: 'c' }])
  await t.mergePatch(p, { spec: { size: 0 } })
  await t.mergePatch(p, { spec: { size: 'two' } })
  await t.mergePatch(p, { spec: { size: null } })
  await t.mergePatch(p, { spec: { color: 'green' } })
  await t.mergePatch(p, { spec: null })
  await t.mergePatch(`${p}/status`, {
    status: { phase: 'Ready' },
    spec: { size: 9 },
    metadata: { labels: { y: '2' }, annotations: { a: 'b' } },
  })
  await t.jsonPatch(`${p}/status`, [{ op: 'replace', path: '/status/phase', value: 'Done' }])
  await t.mergePatch(`${p}/status`, { status: { phase: 7 } })
  await t.mergePatch(`${p}/status`, { status: null })
  await t.mergePatch(p, { apiVersion: `${group}/v2` })
  await t.mergePatch(p, { kind: 'Other' })
  await t.mergePatch(p, { metadata: { resourceVersion: '1' } })
  await t.jsonPatch(p, [{ op: 'test', path: '/spec/size', value: 3 }])
  await t.strategicPatch(`${p}/status`, { status: { phase: 'No' } })
  await t.mergePatch(`${url}/missing`, {})
}
