// Lists as sets and maps in a custom resource: duplicates refused, server-side apply merging by key, atomic lists, int-or-string and nullable values.
import { crd, install } from '../support/definitions.mjs'
import { stable, unordered } from '../support/picks.mjs'

export default async (t) => {
  const ns = await t.namespace()
  const group = 'lists.extend.conformance.example.com'
  await install(
    t,
    crd({
      group,
      plural: 'things',
      kind: 'Thing',
      spec: {
        type: 'object',
        properties: {
          set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
          numbers: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'number' } },
          ports: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['port', 'protocol'],
            items: {
              type: 'object',
              required: ['port'],
              properties: {
                port: { type: 'integer' },
                protocol: { type: 'string', default: 'TCP' },
                name: { type: 'string' },
              },
            },
          },
          atomic: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } },
          whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
          either: { 'x-kubernetes-int-or-string': true },
          ranged: {
            'x-kubernetes-int-or-string': true,
            anyOf: [{ type: 'integer' }, { type: 'string' }],
            pattern: '^[0-9]+%?$',
          },
          maybe: { type: 'string', nullable: true },
          never: { type: 'string' },
        },
      },
    }),
  )
  const url = `/apis/${group}/v1/namespaces/${ns}/things`
  const thing = (name, spec) => ({ apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name }, spec })
  const post = (name, spec) => t.post(url, thing(name, spec), { pick: unordered })

  await post('bad', { set: ['a', 'b', 'a', 'a'] })
  await post('bad', { numbers: [1, 1.0, 2] })
  await post('bad', {
    ports: [{ port: 80 }, { port: 80, protocol: 'UDP' }, { port: 80, protocol: 'TCP', name: 'again' }],
  })
  await post('bad', { ports: [{ name: 'x' }] })
  await post('bad', { either: 1.5 })
  await post('bad', { either: true, ranged: 'x%' })
  await post('nulls', { maybe: null, never: null, set: null, either: null })
  await post('either', { either: 'ten', ranged: 5 })

  await t.apply(
    `${url}/a`,
    thing('a', { set: ['x', 'y'], ports: [{ port: 80, name: 'web' }], atomic: ['1', '2'], whole: { a: '1' } }),
    'ext-one',
  )
  await t.apply(
    `${url}/a`,
    thing('a', {
      set: ['y', 'z'],
      ports: [
        { port: 443, name: 'tls' },
        { port: 80, protocol: 'UDP' },
      ],
    }),
    'ext-two',
    { pick: stable },
  )
  await t.apply(
    `${url}/a`,
    thing('a', { ports: [{ port: 80, name: 'http' }], atomic: ['3'], whole: { b: '2' } }),
    'ext-two',
  )
  await t.apply(
    `${url}/a`,
    thing('a', { set: ['z'], ports: [{ port: 443, name: 'tls' }], whole: { b: '2' } }),
    'ext-two',
    { force: true, pick: stable },
  )
  await t.apply(`${url}/a`, thing('a', { set: ['y'] }), 'ext-one', { pick: stable })
  await t.apply(`${url}/a`, thing('a', { ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] }), 'ext-one')
  await t.apply(`${url}/a`, thing('a', { set: ['q', 'q'] }), 'ext-one')
  await t.mergePatch(`${url}/a`, { spec: { set: ['m', 'm'] } })
}
