// Schemas that are not structural, or misuse keywords and x-kubernetes extensions: the exact causes at creation.
import { crd } from '../support/definitions.mjs'
import { unordered } from '../support/picks.mjs'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const group = 'schemas.extend.conformance.example.com'

export default async (t) => {
  const whole = (schema) =>
    t.post(`${CRDS}?dryRun=All`, crd({ group, plural: 'things', kind: 'Thing', schema }), {
      pick: (b) => (b.kind === 'Status' ? unordered(b) : { allowed: b.spec?.versions?.[0].schema }),
    })
  const spec = (properties, more = {}) =>
    whole({ type: 'object', properties: { spec: { type: 'object', properties, ...more } } })

  // Types.
  await whole({})
  await whole({ type: 'array', items: { type: 'string' } })
  await spec({
    a: {},
    b: { type: 'text' },
    c: { properties: { d: { type: 'string' } } },
    e: { type: 'array' },
    f: { type: 'array', items: { type: 'object', properties: { g: {} } } },
  })
  // Value validation may not carry structure.
  await spec({
    a: {
      type: 'object',
      allOf: [{ type: 'object', properties: { b: { type: 'string', description: 'x', default: 'y' } } }],
      anyOf: [{ properties: { unknown: { minLength: 1 } } }],
      not: { additionalProperties: { type: 'string' } },
    },
  })
  await spec({
    a: { type: 'object', properties: { b: { type: 'string' } }, additionalProperties: { type: 'string' } },
    c: { type: 'object', additionalProperties: false },
  })
  // Keywords that are refused.
  await spec({
    a: { type: 'array', uniqueItems: true, items: { type: 'string' } },
    b: { $ref: '#/definitions/x' },
    c: { type: 'array', items: [{ type: 'string' }, { type: 'string' }] },
  })
  await spec({
    a: {
      type: 'object',
      patternProperties: { '^x': { type: 'string' } },
      definitions: { y: { type: 'string' } },
      dependencies: { z: ['a'] },
    },
  })
  await spec({
    a: { type: 'string', pattern: '[' },
    b: { type: 'string', format: 'no-such-format' },
    c: { type: 'string', enum: [] },
  })
  // Metadata at the root may only restrict name and generateName.
  await whole({
    type: 'object',
    properties: {
      apiVersion: { type: 'integer' },
      kind: { type: 'string', minLength: 2 },
      metadata: {
        type: 'object',
        properties: {
          labels: { type: 'object', additionalProperties: { type: 'string' } },
          name: { type: 'string', pattern: '^x' },
        },
        required: ['name'],
      },
    },
  })
  // Extensions.
  await spec({
    a: { type: 'string', 'x-kubernetes-preserve-unknown-fields': true },
    b: { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
    c: { type: 'string', 'x-kubernetes-int-or-string': true },
    d: { type: 'object', 'x-kubernetes-embedded-resource': true },
  })
  await spec({
    a: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'bag' },
    b: { type: 'object', 'x-kubernetes-map-type': 'open' },
    c: { type: 'string', 'x-kubernetes-list-type': 'set' },
    d: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-map-keys': ['x'] },
  })
  await spec({
    a: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      items: { type: 'object', properties: { name: { type: 'string' } } },
    },
    b: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name', 'name', 'other'],
      items: { type: 'object', properties: { name: { type: 'string' } } },
    },
    c: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: { type: 'object' } }, required: ['name'] },
    },
    d: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'string' },
    },
    e: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object', properties: {} } },
    f: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string', nullable: true } },
  })
  // Defaults must be valid, pruned and in place.
  await spec({
    a: { type: 'string', default: 7 },
    b: { type: 'object', properties: { c: { type: 'string' } }, default: { c: 'x', d: 'y' } },
    e: { type: 'integer', minimum: 5, default: 1 },
    f: { type: 'string', enum: ['x'], default: 'y' },
    g: { type: 'string', default: null },
  })
  await whole({ type: 'object', default: {}, properties: { metadata: { type: 'object', default: { name: 'x' } } } })
  // Required keys need not be declared; a wrong JSON type fails in decoding.
  await spec({ a: { type: 'string' } }, { required: ['nope', 'nope'] })
  await spec({ a: { type: ['string', 'null'] } })
  await spec({ a: { type: 'string', minLength: 'two' } })
  await spec({
    a: { type: 'integer', minimum: 10, maximum: 1, multipleOf: 0, exclusiveMinimum: true },
    b: { type: 'string', minLength: -1, maxLength: -5 },
  })
}
