// The rules for a CustomResourceDefinition's versions, subresources, printer columns and conversion: what is refused and how.
import { crd } from '../support/definitions.mjs'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const group = 'versions.extend.conformance.example.com'
const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          replicas: { type: 'integer' },
          colour: { type: 'string' },
          tags: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
}
const v = (name, more = {}) => ({ name, served: true, storage: false, schema, ...more })
const body = (versions, more = {}) => crd({ group, plural: 'things', kind: 'Thing', versions, ...more })

export default async (t) => {
  await t.clear(`${CRDS}/things.${group}`)
  const bad = (versions, more, opts) => t.post(`${CRDS}?dryRun=All`, body(versions, more), opts)
  // The message holds the versions as the server prints them for itself: only that they are there counts here.
  const brief = {
    pick: (b) =>
      JSON.parse(
        JSON.stringify(b).replace(/Invalid value: \[\]apiextensions.*?: must/g, 'Invalid value: <versions>: must'),
      ),
  }
  await bad([])
  await bad([v('v1')])
  await bad([v('v1', { storage: true }), v('v2', { storage: true })], {}, brief)
  await bad([v('v1', { storage: true }), v('v1')], {}, brief)
  await bad([v('V1_0', { storage: true })])
  await bad([v('v1', { storage: true, schema: undefined })])
  await bad([v('v1', { storage: true, schema: {} }), v('v2', { schema: undefined })])
  await bad([v('v1', { storage: true, deprecationWarning: 'gone soon' })])
  await bad([v('v1', { storage: true, deprecated: true, deprecationWarning: 'two\nlines' })])
  // Subresources.
  await bad([v('v1', { storage: true, subresources: { scale: {} } })])
  await bad([
    v('v1', {
      storage: true,
      subresources: {
        scale: {
          specReplicasPath: '.status.replicas',
          statusReplicasPath: '.spec.replicas',
          labelSelectorPath: '.metadata.labels',
        },
      },
    }),
  ])
  await bad(
    [
      v('v1', {
        storage: true,
        subresources: { scale: { specReplicasPath: '.spec.rows[0]', statusReplicasPath: '.status..n' } },
      }),
    ],
    {},
    { pick: (b) => b.spec?.versions?.[0].subresources ?? b },
  )
  // Printer columns.
  await bad([
    v('v1', {
      storage: true,
      additionalPrinterColumns: [
        { name: '', type: '', jsonPath: '' },
        { name: 'Bad', type: 'float', format: 'weird', jsonPath: '.spec.[' },
        { name: 'Two', type: 'string', jsonPath: 'spec.colour' },
      ],
    }),
  ])
  // Selectable fields.
  await bad([
    v('v1', {
      storage: true,
      selectableFields: [
        { jsonPath: '.spec.colour' },
        { jsonPath: '.spec.colour' },
        { jsonPath: '.spec.none' },
        { jsonPath: '.spec.tags' },
        { jsonPath: '.metadata.name' },
        { jsonPath: '' },
        { jsonPath: 'spec.colour' },
      ],
    }),
  ])
  // Conversion.
  await bad([v('v1', { storage: true })], { conversion: { strategy: 'Magic' } })
  await bad([v('v1', { storage: true })], { conversion: { strategy: 'Webhook' } })
  await bad([v('v1', { storage: true })], {
    conversion: {
      strategy: 'None',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://127.0.0.1:1/' } },
    },
  })
  await bad([v('v1', { storage: true })], {
    conversion: {
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: ['v7', 'v7', 'V!'],
        clientConfig: {
          url: 'http://127.0.0.1:1/?a=b#c',
          service: { name: 'x', namespace: 'y', path: 'z', port: 70000 },
        },
      },
    },
  })
  await bad([v('v1', { storage: true })], {
    conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: [], clientConfig: {} } },
  })
  // Nothing served at all is allowed.
  await t.post(`${CRDS}?dryRun=All`, body([v('v1', { storage: true, served: false })]), {
    pick: (b) => ({ versions: b.spec?.versions, status: b.status }),
  })
}
