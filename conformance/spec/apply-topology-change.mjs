// When a schema changes a field from granular to atomic or back: who owns it then, and whose later changes conflict.
import { crd, install } from '../support/definitions.mjs'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const group = 'spec-topology.example.com'

export default async (t) => {
  const ns = await t.namespace()
  const text = { type: 'string' }
  const versions = (marks) => [
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
                open: { type: 'object', properties: { a: text, b: text }, ...marks.open },
                closed: { type: 'object', properties: { a: text, b: text }, ...marks.closed },
              },
            },
          },
        },
      },
    },
  ]
  const granular = { 'x-kubernetes-map-type': 'granular' }
  const atomic = { 'x-kubernetes-map-type': 'atomic' }
  await install(t, crd({ group, plural: 'nets', kind: 'Net', versions: versions({ open: granular, closed: atomic }) }))
  const url = `/apis/${group}/v1/namespaces/${ns}/nets/n`
  const net = (spec) => ({ apiVersion: `${group}/v1`, kind: 'Net', metadata: { name: 'n' }, spec })
  const pick = (o) => {
    if (o.kind === 'Status') {
      o.details?.causes?.sort((x, y) => (x.message + x.field < y.message + y.field ? -1 : 1))
      return o
    }
    return {
      spec: o.spec,
      owners: Object.fromEntries(
        (o.metadata.managedFields ?? []).map((m) => [`${m.manager} ${m.operation}`, m.fieldsV1['f:spec']]),
      ),
    }
  }
  await t.apply(url, net({ open: { a: '1' }, closed: { a: '1', b: '1' } }), 'one', { pick })
  await t.apply(url, net({ open: { b: '1' } }), 'two', { pick })
  await t.apply(url, net({ closed: { a: '2' } }), 'three', { pick })

  // Both marks change places. The schema takes effect a little later: wait until OpenAPI shows it.
  await t.mergePatch(
    `${CRDS}/nets.${group}`,
    { spec: { versions: versions({ open: atomic, closed: granular }) } },
    { quiet: true },
  )
  await t
    .until(
      async () =>
        (await t.get(`/openapi/v3/apis/${group}/v1`, { quiet: true })).body.components?.schemas?.[
          'com.example.spec-topology.v1.Net'
        ]?.properties?.spec?.properties?.open?.['x-kubernetes-map-type'] === 'atomic',
      10_000,
    )
    .catch(() => {})
  // What was granular is now one value, owned by everyone who owned a part of it.
  await t.apply(url, net({ open: { a: '1', b: '2' } }), 'three', { pick })
  await t.apply(url, net({ open: { a: '1' } }), 'one', { pick })
  await t.get(url, { pick })
  // What was atomic keeps its owner at the top only: the inner fields are free.
  await t.apply(url, net({ closed: { a: '9' } }), 'four', { pick })
  await t.apply(url, net({ closed: { b: '9' } }), 'five', { pick })
  await t.apply(url, net({ open: { a: '5', b: '5' }, closed: { a: '9' } }), 'four', { pick })
  await t.apply(url, net({ open: { a: '5', b: '5' }, closed: { a: '9' } }), 'four', { force: true, pick })
}
