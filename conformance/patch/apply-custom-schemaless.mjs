// Apply to custom resources whose schema says nothing: maps merge, lists are atomic, unknown fields are kept.
const group = 'patch-loose.example.com'
const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${group}` },
  spec: {
    group,
    scope: 'Cluster',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}
export default async (t) => {
  await t.clear(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`)
  await t.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd, { quiet: true })
  const url = `/apis/${group}/v1/things`
  await t.until(async () => (await t.get(url, { quiet: true })).status === 200)
  const w = `${url}/patch-a`
  const thing = (more, metadata) => ({
    apiVersion: `${group}/v1`,
    kind: 'Thing',
    metadata: { name: 'patch-a', ...metadata },
    ...more,
  })
  const pick = (o) => {
    if (o.kind === 'Status') {
      o.details?.causes?.sort((x, y) => (x.message + x.field < y.message + y.field ? -1 : 1))
      return o
    }
    o.metadata.managedFields?.sort((x, y) => (x.manager + x.operation < y.manager + y.operation ? -1 : 1))
    return o
  }
  await t.apply(
    w,
    thing({ spec: { a: 1, list: [{ name: 'x', v: 1 }], deep: { p: 'q' } }, top: 'level' }, { labels: { x: '1' } }),
    'one',
    { pick },
  )
  await t.apply(w, thing({ spec: { b: 2, deep: { r: 's' } } }), 'two', { pick })
  await t.apply(w, thing({ spec: { list: [{ name: 'y', v: 2 }] } }), 'two', { pick })
  await t.apply(w, thing({ spec: { a: '1' } }), 'two', { pick })
  await t.apply(w, thing({ spec: { deep: 'no longer a map' } }), 'two', { pick })
  await t.apply(w, thing({ spec: { deep: { p: 'q' } } }), 'one', { pick })
  await t.apply(w, thing({ spec: { nothing: null, empty: {}, none: [] } }), 'one', { pick })
  await t.mergePatch(`${w}?fieldManager=three`, { spec: { empty: { now: 'full' }, list: [1, 2, 3] } }, { pick })
  await t.jsonPatch(`${w}?fieldManager=three`, [{ op: 'add', path: '/spec/list/1', value: 'between' }], { pick })
  await t.put(`${w}?fieldManager=four`, thing({ spec: { only: true } }), { pick })
  const live = (await t.get(w, { quiet: true })).body
  await t.put(`${w}?fieldManager=four`, { ...live, spec: { only: true } }, { pick })
  await t.strategicPatch(w, { spec: { only: false } })
  await t.apply(w, thing({ spec: { only: false } }), 'one', { pick })
  await t.apply(w, thing({ spec: { only: false } }), 'one', { force: true, pick })
  await t.apply(w, { ...thing({}), kind: 'Other' }, 'one')
  await t.apply(w, { ...thing({}), apiVersion: `${group}/v2` }, 'one')
  await t.apply(w, thing({}, { labels: { x: 7 } }), 'one')
}
