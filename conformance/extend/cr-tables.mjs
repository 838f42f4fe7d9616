// Custom resources as Tables: default and additional printer columns, types, priorities, missing values, includeObject.
import { crd, install } from '../support/definitions.mjs'
import { stable } from '../support/picks.mjs'

export default async (t) => {
  const ns = await t.namespace()
  const group = 'tables.extend.conformance.example.com'
  const column = (name, type, jsonPath, more = {}) => ({ name, type, jsonPath, ...more })
  const schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  }
  await install(t, crd({ group, plural: 'plains', kind: 'Plain', schema }))
  await install(
    t,
    crd({
      group,
      plural: 'things',
      kind: 'Thing',
      schema,
      version: {
        additionalPrinterColumns: [
          column('Colour', 'string', '.spec.colour', { description: 'Its colour.' }),
          column('Count', 'integer', '.spec.count', { format: 'int32' }),
          column('Ratio', 'number', '.spec.ratio'),
          column('On', 'boolean', '.spec.on', { priority: 1 }),
          column('Since', 'date', '.spec.since'),
          column('First', 'string', '.spec.list[0].name'),
          column('Names', 'string', '.spec.list[*].name'),
          column('Ready', 'string', '.status.conditions[?(@.type=="Ready")].status'),
          column('Label', 'string', '.metadata.labels.app\\.kind'),
          column('Whole', 'string', '.spec.map'),
          column('Age', 'date', '.metadata.creationTimestamp'),
        ],
      },
    }),
  )
  const url = `/apis/${group}/v1/namespaces/${ns}/things`
  const plains = `/apis/${group}/v1/namespaces/${ns}/plains`
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  // Cells that tell an age depend on the clock.
  const pick = (b) => stable(JSON.parse(JSON.stringify(b).replace(/"\d+(s|m|h|d|y)[0-9smhdy]*"/g, '"<age>"')))
  const post = (name, spec, more = {}) =>
    t.post(
      url,
      { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name, labels: more.labels }, spec, status: more.status },
      { quiet: true },
    )

  await t.post(plains, { apiVersion: `${group}/v1`, kind: 'Plain', metadata: { name: 'p' } }, { quiet: true })
  await post(
    'full',
    {
      colour: 'red',
      count: 3,
      ratio: 0.5,
      on: true,
      since: '2020-01-01T00:00:00Z',
      list: [{ name: 'x' }, { name: 'y' }],
      map: { a: 1 },
    },
    {
      labels: { 'app.kind': 'web' },
      status: {
        conditions: [
          { type: 'Other', status: 'False' },
          { type: 'Ready', status: 'True' },
        ],
      },
    },
  )
  await post('none', {})
  await post('wrong', { colour: 5, count: 'many', ratio: 'x', on: 'yes', since: 'someday', list: [] })
  await t.get(plains, { accept: table, pick })
  await t.get(`${plains}/p`, { accept: table, pick })
  await t.get(url, { accept: table, pick })
  await t.get(`${url}/full`, { accept: table, pick })
  await t.get(`${url}/none?includeObject=None`, { accept: table, pick })
  await t.get(`${url}/none?includeObject=Object`, { accept: table, pick })
  await t.get(`${url}?includeObject=Everything`, { accept: table, pick })
  await t.get(`${url}/missing`, { accept: table, pick })
  await t.get(`${url}?fieldSelector=metadata.name%3Dfull`, {
    accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
    pick,
  })
  await t.get(`${url}/full`, { accept: 'application/json;as=Table;v=v1beta1;g=meta.k8s.io', pick })
  await t.get(url, { accept: 'application/vnd.kubernetes.protobuf' })
  await t.get(`${plains}?watch=1&resourceVersion=0&timeoutSeconds=1`, { accept: table, pick })
}
