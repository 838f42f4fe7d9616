// A CustomResourceDefinition from creation to deletion: filled-in fields, conditions, its endpoint and what becomes of its objects.
import { crd } from '../support/definitions.mjs'
import { stable } from '../support/picks.mjs'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

export default async (t) => {
  const ns = await t.namespace()
  const group = 'life.extend.conformance.example.com'
  const body = crd({
    group,
    plural: 'widgets',
    kind: 'Widget',
    spec: { type: 'object', properties: { size: { type: 'integer' } } },
  })
  body.metadata.labels = { 'extend-conformance': 'life' }
  const url = `${CRDS}/widgets.${group}`
  const widgets = `/apis/${group}/v1/namespaces/${ns}/widgets`
  await t.clear(url)

  await t.get(widgets)
  await t.post(CRDS, body)
  await t.until(async () => (await t.get(`/apis/${group}/v1/widgets`, { quiet: true })).status === 200)
  await t.get(url, { pick: stable })
  await t.post(CRDS, body)
  await t.get(`${CRDS}?labelSelector=extend-conformance%3Dlife`, {
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
    pick: stable,
  })
  await t.get(`${url}/status`, { pick: stable })

  // A change of metadata does not raise the generation, a change of spec does.
  await t.mergePatch(
    url,
    { metadata: { annotations: { a: 'b' } } },
    { pick: (b) => ({ generation: b.metadata?.generation, annotations: b.metadata?.annotations, message: b.message }) },
  )
  await t.mergePatch(
    url,
    { spec: { names: { shortNames: ['wd'] } } },
    { pick: (b) => ({ generation: b.metadata?.generation, names: b.spec?.names, message: b.message }) },
  )
  await t.until(async () => (await t.get(url, { quiet: true })).body.status?.acceptedNames?.shortNames).catch(() => {})
  await t.get(url, { pick: (b) => ({ accepted: b.status?.acceptedNames, conditions: b.status?.conditions }) })
  // What cannot change.
  await t.put(url, body)
  await t.mergePatch(url, { spec: { scope: 'Cluster', names: { plural: 'gadgets', kind: 'Gadget' } } })
  await t.mergePatch(url, { spec: { group: 'other.extend.conformance.example.com' } })

  await t.post(widgets, { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'one' }, spec: { size: 3 } })
  const watch = await t.watch(`${widgets}?watch=1&resourceVersion=0`)
  await t.delete(url, undefined, { pick: stable })
  await t.until(async () => (await t.get(url, { quiet: true })).status === 404)
  await watch.take(2)
  await t.get(url)
  await t.until(async () => (await t.get(widgets, { quiet: true })).status === 404)
  await t.get(widgets)
  await t.get(`/apis/${group}`)
  await t.delete(url)

  // The same name again starts with no objects.
  await t.post(CRDS, body, { quiet: true })
  await t.until(async () => (await t.get(widgets, { quiet: true })).status === 200)
  await t.get(widgets, { pick: (b) => ({ kind: b.kind, items: b.items }) })
}
