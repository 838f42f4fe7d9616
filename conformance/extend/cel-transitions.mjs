// CEL rules that compare with the old object: immutability, one-way changes, optionalOldSelf, lists and maps matched by key.
import { crd, install } from '../support/definitions.mjs'
import { unordered } from '../support/picks.mjs'

export default async (t) => {
  const ns = await t.namespace()
  const group = 'celold.extend.conformance.example.com'
  await install(
    t,
    crd({
      group,
      plural: 'things',
      kind: 'Thing',
      schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            'x-kubernetes-validations': [
              { rule: 'has(oldSelf.class) == has(self.class)', message: 'class cannot be added or removed' },
              {
                rule: 'self.size >= oldSelf.size',
                message: 'size may only grow',
                fieldPath: '.size',
                reason: 'FieldValueForbidden',
              },
            ],
            required: ['size'],
            properties: {
              class: {
                type: 'string',
                'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'class is immutable' }],
              },
              size: { type: 'integer' },
              once: {
                type: 'string',
                'x-kubernetes-validations': [
                  {
                    rule: "oldSelf.hasValue() ? self == oldSelf.value() : self.startsWith('new')",
                    optionalOldSelf: true,
                    message: 'must start with new, then stay',
                  },
                ],
              },
              rows: {
                type: 'array',
                maxItems: 4,
                'x-kubernetes-list-type': 'map',
                'x-kubernetes-list-map-keys': ['name'],
                items: {
                  type: 'object',
                  required: ['name'],
                  properties: {
                    name: { type: 'string', maxLength: 5 },
                    v: {
                      type: 'integer',
                      'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'v may only grow' }],
                    },
                  },
                },
              },
              set: {
                type: 'array',
                maxItems: 4,
                'x-kubernetes-list-type': 'set',
                items: { type: 'string', maxLength: 5 },
                'x-kubernetes-validations': [
                  { rule: 'oldSelf.all(x, x in self)', message: 'values cannot be taken away' },
                ],
              },
              map: {
                type: 'object',
                maxProperties: 4,
                additionalProperties: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
              },
            },
          },
          status: {
            type: 'object',
            properties: {
              done: {
                type: 'boolean',
                'x-kubernetes-validations': [{ rule: '!oldSelf || self', message: 'done cannot be undone' }],
              },
            },
          },
        },
      },
      version: { subresources: { status: {} } },
    }),
  )
  const url = `/apis/${group}/v1/namespaces/${ns}/things`
  const thing = (name, spec) => ({ apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name }, spec })
  const pick = (b) =>
    b.kind === 'Status' ? unordered(b) : { spec: b.spec, status: b.status, generation: b.metadata?.generation }
  const change = (spec) => t.mergePatch(`${url}/a`, { spec }, { pick })

  await t.post(
    url,
    thing('a', {
      size: 2,
      class: 'gold',
      rows: [
        { name: 'x', v: 2 },
        { name: 'y', v: 5 },
      ],
      set: ['p', 'q'],
      map: { k: 'v' },
    }),
    { pick },
  )
  await t.post(url, thing('b', { size: 2, once: 'old' }), { pick })
  await t.post(url, thing('b', { size: 2, once: 'newish' }), { pick })
  await t.mergePatch(`${url}/b`, { spec: { once: 'newer' } }, { pick })
  await t.mergePatch(`${url}/b`, { spec: { size: 3 } }, { pick })
  await change({ class: 'silver' })
  await change({ class: null })
  await change({ size: 1 })
  await change({ size: 3 })
  // Rows are matched by key, whatever their order.
  await change({
    rows: [
      { name: 'y', v: 5 },
      { name: 'x', v: 3 },
      { name: 'z', v: 0 },
    ],
  })
  await change({
    rows: [
      { name: 'x', v: 1 },
      { name: 'y', v: 6 },
    ],
  })
  await change({ rows: [{ name: 'y', v: 6 }] })
  await change({ set: ['q', 'r'] })
  await change({ set: ['r', 'q', 'p'] })
  await change({ map: { k: 'w', n: 'new' } })
  await change({ map: { k: null, n: 'new' } })
  await t.mergePatch(`${url}/a/status`, { status: { done: true } }, { pick })
  await t.mergePatch(`${url}/a/status`, { status: { done: false } }, { pick })
  await t.apply(`${url}/a`, thing('a', { size: 0, class: 'x' }), 'ext-manager', { force: true, pick })
}
