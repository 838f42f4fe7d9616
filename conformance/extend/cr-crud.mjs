// Custom resources, namespaced: create, read, list, replace, the patch types, delete, and the requests that are refused.
import { crd, install } from '../support/definitions.mjs'
import { stable } from '../support/picks.mjs'

export default async (t) => {
  const ns = await t.namespace()
  const group = 'crud.extend.conformance.example.com'
  await install(
    t,
    crd({
      group,
      plural: 'widgets',
      kind: 'Widget',
      spec: {
        type: 'object',
        properties: { size: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } },
      },
    }),
  )
  const url = `/apis/${group}/v1/namespaces/${ns}/widgets`
  const widget = (name, spec, more = {}) => ({
    apiVersion: `${group}/v1`,
    kind: 'Widget',
    metadata: { name, ...more },
    spec,
  })

  const made = await t.post(url, widget('a', { size: 1, tags: ['x'] }, { labels: { app: 'one' } }))
  await t.post(url, widget('a', {}))
  await t.get(`${url}/a`)
  await t.put(`${url}/a`, { ...made.body, spec: { size: 2 } })
  await t.put(`${url}/a`, { ...made.body, spec: { size: 3 } })
  await t.put(`${url}/new`, widget('new', { size: 4 }))
  await t.mergePatch(`${url}/a`, { spec: { tags: ['y'] } })
  await t.jsonPatch(`${url}/a`, [
    { op: 'test', path: '/spec/size', value: 2 },
    { op: 'replace', path: '/spec/size', value: 9 },
  ])
  await t.strategicPatch(`${url}/a`, { spec: { size: 5 } })
  await t.apply(`${url}/b`, widget('b', { size: 7 }), 'ext-manager')
  await t.get(url, { pick: stable })
  await t.get(`${url}?labelSelector=app%3Done&fieldSelector=metadata.name%3Da`, {
    pick: (b) => ({ kind: b.kind, names: b.items?.map((i) => i.metadata.name), message: b.message }),
  })
  await t.get(`${url}?fieldSelector=spec.size%3D1`)

  // Refused.
  await t.post(url, widget(undefined, {}))
  await t.post(url, widget('Not_A_Name', {}))
  await t.post(url, { ...widget('c', {}), kind: 'Gadget' })
  await t.post(url, { ...widget('c', {}), apiVersion: `${group}/v2` })
  await t.post(url, { metadata: { name: 'c' }, spec: {} })
  await t.post(url, { ...widget('c', {}), metadata: { name: 'c', namespace: 'elsewhere' } })
  await t.post(url, '{"kind": "Widget"')
  await t.post(`/apis/${group}/v1/widgets`, widget('c', {}))
  await t.post(url, widget('gen', {}, { name: undefined, generateName: 'gen-' }))

  await t.delete(`${url}/a`)
  await t.get(`${url}/a`)
  await t.delete(`${url}?fieldSelector=metadata.name%3Db`, undefined, { pick: stable })
}
