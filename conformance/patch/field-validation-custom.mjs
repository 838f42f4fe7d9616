// fieldValidation for custom resources: pruning, unknown and duplicate fields, in POST, PUT and patches, JSON and YAML.
const group = 'patch-strict.example.com'
const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `gadgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer' },
                  parts: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
                  extra: {
                    type: 'object',
                    'x-kubernetes-preserve-unknown-fields': true,
                    properties: { known: { type: 'object', properties: { a: { type: 'string' } } } },
                  },
                },
              },
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
  const url = `/apis/${group}/v1/namespaces/${ns}/gadgets`
  await t.until(async () => (await t.get(url, { quiet: true })).status === 200)
  const pick = (o) => {
    if (o.kind !== 'Status') return { spec: o.spec, keys: Object.keys(o).sort(), labels: o.metadata.labels }
    // the message may repeat the whole patched object
    return JSON.parse(JSON.stringify(o), (_, v) =>
      typeof v === 'string' ? v.replace(/Invalid value: "\{.*\}": /, 'Invalid value: <patched object>: ') : v,
    )
  }
  const body = (name, spec, top = '', meta = '') =>
    `{"apiVersion":"${group}/v1","kind":"Gadget","metadata":{"name":"${name}"${meta}},"spec":${spec}${top}}`
  const unknown = body(
    'u',
    '{"size":1,"bogus":2,"parts":[{"name":"p","what":1}],"extra":{"free":1,"known":{"a":"x","b":"y"}}}',
    ',"top":1',
    ',"nope":"x"',
  )
  await t.post(`${url}?fieldValidation=Strict`, unknown, { pick })
  await t.post(`${url}?fieldValidation=Warn`, unknown, { pick })
  await t.post(`${url}?fieldValidation=Ignore`, body('i', '{"size":1,"bogus":2}'), { pick })
  await t.post(url, body('n', '{"size":1,"bogus":2}'), { pick })
  await t.post(`${url}?fieldValidation=Strict`, body('d', '{"size":1,"size":2}'), { pick })
  await t.post(`${url}?fieldValidation=Warn`, body('d', '{"size":1,"size":2}'), { pick })
  await t.post(`${url}?fieldValidation=Strict`, body('e', '{"size":1,"size":2,"bogus":1}'), { pick })
  await t.post(
    `${url}?fieldValidation=Strict`,
    `apiVersion: ${group}/v1\nkind: Gadget\nmetadata:\n  name: yam\nspec:\n  size: 1\n  size: 2\n  bogus: x\n`,
    { type: 'application/yaml', pick },
  )
  await t.post(
    `${url}?fieldValidation=Warn`,
    `apiVersion: ${group}/v1\nkind: Gadget\nmetadata:\n  name: yam\nspec:\n  size: 1\n  size: 2\n  bogus: x\n`,
    { type: 'application/yaml', pick },
  )
  const n = `${url}/n`
  await t.patch(`${n}?fieldValidation=Strict`, '{"spec":{"bogus":1}}', 'application/merge-patch+json', { pick })
  await t.patch(`${n}?fieldValidation=Warn`, '{"spec":{"bogus":1,"size":3}}', 'application/merge-patch+json', { pick })
  await t.patch(`${n}?fieldValidation=Strict`, '{"spec":{"size":4,"size":5}}', 'application/merge-patch+json', { pick })
  await t.patch(
    `${n}?fieldValidation=Strict`,
    '[{"op":"add","path":"/spec/bogus","value":1}]',
    'application/json-patch+json',
    { pick },
  )
  await t.patch(
    `${n}?fieldValidation=Warn`,
    '[{"op":"add","path":"/spec/bogus","value":1}]',
    'application/json-patch+json',
    { pick },
  )
  const live = (await t.get(n, { quiet: true })).body
  await t.put(`${n}?fieldValidation=Strict`, { ...live, spec: { size: 6, bogus: 1 } }, { pick })
  await t.put(`${n}?fieldValidation=Warn`, { ...live, spec: { size: 6, bogus: 1 } }, { pick })
  await t.post(`${url}?fieldValidation=Strict`, body('t', '{"size":"big"}'), { pick })
  await t.post(url, body('t', '{"parts":{"name":"p"}}'), { pick })
  await t.post(url, body('t', '"text"'), { pick })
}
