// After a schema got stricter: an update passes while the invalid parts stay as they were, and fails once they change.
import { crd, install } from '../support/definitions.mjs'
import { unordered } from '../support/picks.mjs'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

export default async (t) => {
  const ns = await t.namespace()
  const group = 'ratchet.extend.conformance.example.com'
  const loose = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      count: { type: 'integer' },
      other: { type: 'string' },
      rows: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['id'],
        items: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, v: { type: 'string' } } },
      },
      plain: { type: 'array', items: { type: 'string' } },
      cel: { type: 'string' },
      pair: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' } } },
      must: { type: 'object', properties: { x: { type: 'string' }, y: { type: 'string' } } },
    },
  }
  const strict = structuredClone(loose)
  strict.properties.name.maxLength = 3
  strict.properties.count.maximum = 5
  strict.properties.rows.items.properties.v.enum = ['ok']
  strict.properties.plain.items.maxLength = 2
  strict.properties.cel['x-kubernetes-validations'] = [{ rule: "self.startsWith('x')", message: 'must start with x' }]
  strict.properties.pair['x-kubernetes-validations'] = [{ rule: 'self.a < self.b', message: 'a under b' }]
  strict.properties.must.required = ['y']
  await install(t, crd({ group, plural: 'things', kind: 'Thing', spec: loose }))
  const url = `/apis/${group}/v1/namespaces/${ns}/things`
  const thing = (name, spec) => ({ apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name }, spec })
  const pick = (b) => (b.kind === 'Status' ? unordered(b) : { spec: b.spec, labels: b.metadata?.labels })
  const start = {
    name: 'toolong',
    count: 9,
    rows: [
      { id: 'a', v: 'bad' },
      { id: 'b', v: 'ok' },
    ],
    plain: ['long', 'x'],
    cel: 'bad',
    must: { x: '1' },
  }
  await t.post(url, thing('old', start), { pick })
  await t.post(url, thing('pair', { pair: { a: 2, b: 1 } }), { pick })
  await t.mergePatch(
    `${CRDS}/things.${group}`,
    { spec: { versions: crd({ group, plural: 'things', kind: 'Thing', spec: strict }).spec.versions } },
    { quiet: true },
  )
  await t.until(
    async () => (await t.post(`${url}?dryRun=All`, thing('probe', { count: 9 }), { quiet: true })).status === 422,
  )

  const change = (spec, more = {}) => t.mergePatch(`${url}/old`, { spec, ...more }, { pick })
  await t.post(url, thing('new', start), { pick })
  await change({}, { metadata: { labels: { touched: 'yes' } } })
  await change({ other: 'free' })
  await change({ name: 'alsolong' })
  await change({ count: 10 })
  await change({ count: 4 })
  await change({ count: 9 })
  await change({
    rows: [
      { id: 'b', v: 'ok' },
      { id: 'a', v: 'bad' },
    ],
  })
  await change({
    rows: [
      { id: 'a', v: 'worse' },
      { id: 'b', v: 'ok' },
    ],
  })
  await change({
    rows: [
      { id: 'a', v: 'bad' },
      { id: 'c', v: 'bad' },
    ],
  })
  await change({ plain: ['long', 'x', 'y'] })
  await change({ cel: 'still bad' })
  await t.mergePatch(`${url}/pair`, { spec: { other: 'x' } }, { pick })
  await t.mergePatch(`${url}/pair`, { spec: { pair: { a: 5 } } }, { pick })
  await change({ must: { x: '2' } })
  await change({ must: { y: '1' } })
}
