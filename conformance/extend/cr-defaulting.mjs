// Defaults of a custom resource's schema: on create and update, with nulls, and on objects stored before the default existed.
import { crd, install } from '../support/definitions.mjs'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

export default async (t) => {
  const ns = await t.namespace()
  const group = 'defaults.extend.conformance.example.com'
  const spec = {
    type: 'object',
    properties: {
      colour: { type: 'string', default: 'red' },
      count: { type: 'integer', default: 3 },
      maybe: { type: 'string', nullable: true, default: 'x' },
      deep: { type: 'object', default: {}, properties: { a: { type: 'string', default: 'A' }, b: { type: 'string' } } },
      lazy: { type: 'object', properties: { a: { type: 'string', default: 'A' } } },
      rows: {
        type: 'array',
        items: { type: 'object', properties: { name: { type: 'string' }, port: { type: 'integer', default: 80 } } },
      },
      map: {
        type: 'object',
        additionalProperties: { type: 'object', properties: { on: { type: 'boolean', default: true } } },
      },
      list: { type: 'array', items: { type: 'string' }, default: ['one', 'two'] },
    },
  }
  const definition = crd({ group, plural: 'things', kind: 'Thing', spec })
  await install(t, definition)
  const url = `/apis/${group}/v1/namespaces/${ns}/things`
  const thing = (name, s) => ({
    apiVersion: `${group}/v1`,
    kind: 'Thing',
    metadata: { name },
    ...(s === undefined ? {} : { spec: s }),
  })

  await t.post(url, thing('none'))
  const made = await t.post(url, thing('empty', {}))
  await t.post(
    url,
    thing('filled', {
      colour: 'blue',
      lazy: {},
      rows: [{ name: 'a' }, { name: 'b', port: 1 }],
      map: { k: {} },
      deep: { b: 'B' },
      list: [],
    }),
  )
  await t.post(url, thing('nulls', { colour: null, maybe: null, count: null, deep: null }))
  // Taking a defaulted field away brings the default back.
  await t.mergePatch(`${url}/filled`, { spec: { colour: null, deep: null } })
  await t.jsonPatch(`${url}/filled`, [{ op: 'remove', path: '/spec/list' }])
  await t.put(`${url}/empty`, { ...made.body, spec: { count: 9 } })
  await t.apply(`${url}/applied`, thing('applied', { count: 1 }), 'ext-manager')

  // A default added later shows on reading old objects, without a write.
  const later = structuredClone(definition.spec.versions)
  later[0].schema.openAPIV3Schema.properties.spec.properties.added = { type: 'string', default: 'later' }
  later[0].schema.openAPIV3Schema.properties.spec.properties.colour.default = 'green'
  await t.mergePatch(`${CRDS}/things.${group}`, { spec: { versions: later } }, { quiet: true })
  await t.until(async () => (await t.get(`${url}/empty`, { quiet: true })).body.spec?.added).catch(() => {})
  await t.get(`${url}/empty`)
  await t.get(url, {
    pick: (b) => b.items?.map((i) => ({ name: i.metadata.name, generation: i.metadata.generation, spec: i.spec })),
  })
  // The next write, even of metadata only, stores it and does not raise the generation.
  await t.mergePatch(`${url}/empty`, { metadata: { labels: { touched: 'yes' } } })
  await t.mergePatch(`${url}/none`, { spec: {} })
}
