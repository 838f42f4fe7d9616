// Selectable fields of a custom resource: field selectors on them in lists, watches and collection deletes, and what is refused.
import { crd, install } from '../support/definitions.mjs'
import { stable } from '../support/picks.mjs'

export default async (t) => {
  const ns = await t.namespace()
  const group = 'selectable.extend.conformance.example.com'
  await install(
    t,
    crd({
      group,
      plural: 'things',
      kind: 'Thing',
      spec: {
        type: 'object',
        properties: {
          colour: { type: 'string' },
          count: { type: 'integer' },
          on: { type: 'boolean' },
          deep: { type: 'object', properties: { name: { type: 'string' } } },
          other: { type: 'string' },
        },
      },
      version: {
        selectableFields: [
          { jsonPath: '.spec.colour' },
          { jsonPath: '.spec.count' },
          { jsonPath: '.spec.on' },
          { jsonPath: '.spec.deep.name' },
        ],
      },
    }),
  )
  const url = `/apis/${group}/v1/namespaces/${ns}/things`
  const thing = (name, spec) => ({ apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name }, spec })
  await t.post(url, thing('a', { colour: 'red', count: 1, on: true, deep: { name: 'x' } }), { quiet: true })
  await t.post(url, thing('b', { colour: 'red', count: 2, on: false }), { quiet: true })
  await t.post(url, thing('c', { colour: 'blue', deep: { name: 'x' } }), { quiet: true })
  await t.post(url, thing('d', {}), { quiet: true })
  const list = (selector) =>
    t.get(`${url}?fieldSelector=${encodeURIComponent(selector)}`, {
      pick: (b) => (b.items ? b.items.map((i) => i.metadata.name) : b),
    })

  await list('spec.colour=red')
  await list('spec.colour==red,spec.count!=1')
  await list('spec.count=2')
  await list('spec.on=true')
  await list('spec.on=false')
  await list('spec.deep.name=x')
  await list('spec.colour=')
  await list('spec.colour!=red')
  await list(`metadata.namespace=${ns},metadata.name=c`)
  await list('spec.other=x')
  await list('.spec.colour=red')
  await list('spec.colour')
  await list('spec.colour in (red)')
  const watch = await t.watch(`${url}?watch=1&resourceVersion=0&fieldSelector=spec.colour%3Dblue`)
  await watch.take(1)
  await t.mergePatch(`${url}/a`, { spec: { colour: 'blue' } }, { quiet: true })
  await t.mergePatch(`${url}/c`, { spec: { colour: 'red' } }, { quiet: true })
  await watch.take(2)
  await t.delete(`${url}?fieldSelector=spec.colour%3Dred`, undefined, {
    pick: (b) => b.items?.map((i) => i.metadata.name) ?? b,
  })
  await t.get(url, { pick: (b) => b.items?.map((i) => i.metadata.name) })
  await t.get(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.${group}`, {
    pick: (b) => stable(b.spec.versions[0].selectableFields),
  })
}
