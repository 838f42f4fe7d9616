// Apply to custom resources: list types and map types of the schema decide how fields merge, and who owns them.
const group = 'patch-lists.example.com'
const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  plain: { type: 'array', items: { type: 'string' } },
                  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
                  atomic: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } },
                  keyed: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name', 'port'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: {
                        name: { type: 'string' },
                        port: { type: 'integer', default: 80 },
                        value: { type: 'string' },
                      },
                    },
                  },
                  free: { type: 'object', additionalProperties: { type: 'string' } },
                  atomicMap: {
                    type: 'object',
                    'x-kubernetes-map-type': 'atomic',
                    additionalProperties: { type: 'string' },
                  },
                  anything: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  size: { type: 'integer', default: 3 },
                  either: { 'x-kubernetes-int-or-string': true },
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
  const url = `/apis/${group}/v1/namespaces/${ns}/widgets`
  await t.until(async () => (await t.get(url, { quiet: true })).status === 200)
  const w = `${url}/w`
  const widget = (spec, more) => ({ apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'w' }, spec, ...more })
  const pick = (o) => {
    if (o.kind === 'Status') {
      o.details?.causes?.sort((x, y) => (x.message + x.field < y.message + y.field ? -1 : 1))
      return o
    }
    o.metadata.managedFields?.sort((x, y) => (x.manager < y.manager ? -1 : 1))
    return o
  }
  await t.apply(
    w,
    widget({
      set: ['a', 'b'],
      atomic: ['a'],
      plain: ['a'],
      keyed: [{ name: 'x', value: '1' }],
      free: { p: '1' },
      atomicMap: { p: '1' },
    }),
    'one',
    { pick },
  )
  await t.apply(w, widget({ set: ['c'], keyed: [{ name: 'x', port: 81, value: '2' }], free: { q: '2' } }), 'two', {
    pick,
  })
  await t.apply(w, widget({ atomic: ['b'], plain: ['b'], atomicMap: { q: '2' } }), 'two', { pick })
  await t.apply(w, widget({ keyed: [{ name: 'x', port: 80, value: '9' }], free: { p: '9' } }), 'two', { pick })
  await t.apply(w, widget({ set: ['b'], free: { p: '1' } }), 'one', { pick })
  await t.apply(w, widget({ anything: { deep: { list: [1, 2], text: 'x' } }, either: '50%', size: 5 }), 'one', { pick })
  await t.apply(w, widget({ anything: { deep: { list: [3] }, more: true }, either: 7 }), 'two', { pick })
  await t.apply(w, widget({ anything: { more: true } }), 'two', { pick })
  await t.apply(w, widget({}), 'one', { pick })
  await t.apply(w, widget({ set: ['a', 'a'] }), 'one', { pick })
  await t.apply(w, widget({ keyed: [{ name: 'x' }, { name: 'x', port: 80 }] }), 'one', { pick })
  await t.apply(w, widget({ keyed: [{ port: 80 }] }), 'one', { pick })
  await t.apply(w, widget({ size: 'big' }), 'one', { pick })
  await t.apply(
    `${w}?fieldValidation=Strict`,
    widget({ bogus: 1 }, { metadata: { name: 'w', nope: 'x' }, spec: {} }),
    'one',
    { pick },
  )
  await t.apply(`${w}?fieldValidation=Strict`, widget({ bogus: 1 }), 'one', { pick })
  await t.apply(`${w}/status`, widget(undefined, { status: { phase: 'Ready' } }), 'three', { pick })
  await t.strategicPatch(w, { spec: { size: 1 } })
}
