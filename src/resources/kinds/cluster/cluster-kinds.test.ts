import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import { writerOf } from '../pods/test-writer.ts'
import { namespaceRules } from './namespace/namespace.ts'

const nodes = writerOf('v1', 'nodes', (name) => name !== 'StrictIPCIDRValidation')
const node = (more: JsonObject = {}, annotations: JsonObject = {}): JsonObject => ({
  metadata: { name: 'n', annotations },
  ...more,
})
const texts = (errors: readonly { field: string; message: string }[]): string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`)

const taints = 'scheduler.alpha.kubernetes.io/taints'
const avoid = 'scheduler.alpha.kubernetes.io/preferAvoidPods'
const controlled = (controller: boolean): string =>
  JSON.stringify({ preferAvoidPods: [{ podSignature: { podController: { controller } } }] })

describe('a node', () => {
  test.each<[string, JsonObject, string[]]>([
    [
      'taints',
      node({
        spec: {
          taints: [
            { key: 'a', effect: 'NoSchedule' },
            { key: 'a', effect: 'NoSchedule', value: 'b' },
            { key: 'a', effect: 'NoSchedule', timeAdded: '2024-05-06T07:08:09Z' },
          ],
        },
      }),
      [
        'metadata.taints[1]: Duplicate value: core.Taint{Key:"a", Value:"b", Effect:"NoSchedule", TimeAdded:<nil>}: taints must be unique by key and effect pair',
        'metadata.taints[2]: Duplicate value: core.Taint{Key:"a", Value:"", Effect:"NoSchedule", TimeAdded:time.Date(2024, time.May, 6, 7, 8, 9, 0, time.Local)}: taints must be unique by key and effect pair',
      ],
    ],
    [
      'taints in the annotation that cannot be read',
      node({}, { [taints]: '{}' }),
      [
        `metadata.annotations: Invalid value: "${taints}": json: cannot unmarshal object into Go value of type []core.Taint`,
      ],
    ],
    [
      'taints in the annotation',
      node({}, { [taints]: '[{"key": "a"}]' }),
      [`metadata.annotations.${taints}[0].effect: Required value`],
    ],
    [
      'pods to avoid that cannot be read',
      node({}, { [avoid]: 'x' }),
      [
        `metadata.annotations.AvoidPods: Invalid value: "${avoid}": invalid character 'x' looking for beginning of value`,
      ],
    ],
    [
      'pods of nobody to avoid',
      node({}, { [avoid]: '{"preferAvoidPods": [{}]}' }),
      [`metadata.annotations.${avoid}[0].PodSignature: Required value`],
    ],
    [
      'pods of no controller to avoid',
      node({}, { [avoid]: controlled(false) }),
      [
        `metadata.annotations.${avoid}[0].PodSignature.PodController.Controller: Invalid value: false: must point to a controller`,
      ],
    ],
    ['pods to avoid', node({}, { [avoid]: controlled(true) }), []],
    [
      'swap',
      node({ status: { nodeInfo: { swap: { capacity: -1 } } } }),
      ['metadata.nodeSwapStatus.capacity: Invalid value: -1: must be greater than zero'],
    ],
    [
      'ranges of one family',
      node({ spec: { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24', '10.0.1.0/24'] } }),
      [
        'spec.podCIDRs: Invalid value: []string{"10.0.0.0/24", "10.0.1.0/24"}: may specify no more than one CIDR for each IP family',
      ],
    ],
    [
      'ranges that are none',
      node({ spec: { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24', 'x'] } }),
      [
        'spec.podCIDRs[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
        'spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[1]: <nil> (invalid CIDR address: x)',
        'spec.podCIDRs: Invalid value: []string{"10.0.0.0/24", "x"}: may specify no more than one CIDR for each IP family',
      ],
    ],
  ])('and its %s', (_, body, wanted) => {
    expect(texts(nodes.create(body).errors)).toEqual(wanted)
  })

  test('is warned of ranges that are not written as ranges are', () => {
    expect(nodes.create(node({ spec: { podCIDR: '10.0.0.1/24' } })).warnings).toEqual([
      'spec.podCIDRs[0]: CIDR value "10.0.0.1/24" is ambiguous in this context (should be "10.0.0.0/24" or "10.0.0.1/32"?)',
    ])
  })

  test('is never told where its configuration is', () => {
    const { object } = nodes.create(node({ status: { config: { error: 'e' } } }))
    expect(object['status']).not.toHaveProperty('config')
  })

  test('has each address once', () => {
    const address = { type: 'InternalIP', address: '10.0.0.1' }
    const old = nodes.create(node()).object
    const { errors } = nodes.update(node({ status: { addresses: [address, address] } }), old, 'status')
    expect(texts(errors)).toEqual([
      'status.addresses[1]: Duplicate value: core.NodeAddress{Type:"InternalIP", Address:"10.0.0.1"}',
    ])
  })

  test('keeps its ranges', () => {
    const ranges = (...podCIDRs: [string, ...string[]]): JsonObject =>
      node({ spec: { podCIDR: podCIDRs[0], podCIDRs } })
    const old = nodes.create(ranges('10.0.0.0/24', 'fd00::/64')).object
    const why = 'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'
    expect(texts(nodes.update(ranges('10.0.0.0/24', 'fd00::/64'), old).errors)).toEqual([])
    expect(texts(nodes.update(ranges('10.0.0.0/24'), old).errors)).toEqual([why])
    expect(texts(nodes.update(ranges('10.1.0.0/24', 'fd01::/64'), old).errors)).toEqual([why, why])
  })
})

test('a namespace with a wrong name is reported the name, not of the label that is made of it', () => {
  const { object, errors } = writerOf('v1', 'namespaces', () => false).create({ metadata: { name: 'Bad' } })
  expect(object.metadata.labels).toEqual({ 'kubernetes.io/metadata.name': 'Bad' })
  const generated = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'bad_1', generateName: 'bad_' } }
  namespaceRules().strategy.prepareForCreate?.(generated as never, {} as never)
  expect(generated.metadata).toEqual({ name: 'bad_1', generateName: 'bad_' })
  expect(errors.map(({ field }) => field)).toContain('metadata.name')
})
