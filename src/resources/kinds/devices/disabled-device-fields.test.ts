import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { resolveFeatureGates } from '../../../config/feature-gates.ts'
import { dropDisabledInClaim, dropDisabledInTemplate } from './disabled-device-fields.ts'

const gateAt = (release: number, on: readonly string[]): ((name: string) => boolean) => {
  const gates = resolveFeatureGates(new Map(on.map((name) => [name, true])), { major: 1, minor: release })
  return (name) => gates.enabled(name)
}

const tolerations = [{ operator: 'Exists' }]
const request = { name: 'r', deviceClassName: 'c' }
const whole = {
  requests: [
    { ...request, tolerations, capacity: { requests: { a: '1' } } },
    { name: 's', firstAvailable: [{ ...request, tolerations, capacity: {} }] },
  ],
  constraints: [{ requests: ['r'], distinctAttribute: 'a.example/b' }],
}
const bare = {
  requests: [request, { name: 's', firstAvailable: [request] }],
  constraints: [{ requests: ['r'] }],
}
const taints = 'DRADeviceTaints'
const capacity = 'DRAConsumableCapacity'

describe('fields of claims whose gates are off', () => {
  const rows: [number, string[], JsonObject, JsonObject][] = [
    [35, [], whole, bare],
    [35, [taints, capacity], whole, whole],
    [
      35,
      [taints],
      whole,
      {
        requests: [
          { ...request, tolerations },
          { name: 's', firstAvailable: [{ ...request, tolerations }] },
        ],
        constraints: bare.constraints,
      },
    ],
    // The release before kept some of them, whatever their gates.
    [
      34,
      [],
      whole,
      {
        requests: [
          { ...request, tolerations },
          { name: 's', firstAvailable: [{ ...request, tolerations }] },
        ],
        constraints: whole.constraints,
      },
    ],
    // A request of nothing else is still one for exact devices.
    [34, [], { requests: [{ name: 'r', capacity: {} }] }, { requests: [{ name: 'r', allocationMode: '' }] }],
    [35, [], { requests: [{ name: 'r', tolerations }] }, { requests: [{ name: 'r', allocationMode: '' }] }],
    [36, [], whole, whole],
  ]

  test.each(rows)('at 1.%d with %j: %j', (release, on, given, wanted) => {
    const claim = { metadata: { name: 'c' }, spec: { devices: structuredClone(given) } } as unknown as KubeObject
    dropDisabledInClaim(claim, undefined, gateAt(release, on))
    expect(claim['spec']).toEqual({ devices: wanted })
    const template = { metadata: {}, spec: { spec: { devices: structuredClone(given) } } } as unknown as KubeObject
    dropDisabledInTemplate(template, undefined, gateAt(release, on))
    expect(template['spec']).toEqual({ spec: { devices: wanted } })
  })

  test('stay where the old object uses them', () => {
    const claim = { metadata: {}, spec: { devices: whole } } as unknown as KubeObject
    dropDisabledInClaim(claim, structuredClone(claim), gateAt(35, []))
    expect(claim['spec']).toEqual({ devices: whole })
  })
})
