/** What a pod counts for: what its containers ask for, what they have after a resize, and what the pod asks for as a whole. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../api/json.ts'
import { Quantity } from '../api/quantity.ts'
import type { PodSpec, PodStatus } from '../catalog/types/core-v1.ts'
import { runToEnd } from '../lib/in-turns.ts'
import { hasPodLevelAmounts, isBestEffort, podAmountsInSteps } from './pod-resources.ts'
import { formatAmounts } from './quota/quota-object.ts'

const asking = (requests: JsonObject, limits: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  name: 'c',
  resources: { requests, limits },
  ...more,
})
const having = (requests: JsonObject, limits: JsonObject = {}, allocatedResources: JsonObject = {}, name = 'c') => ({
  name,
  resources: { requests, limits },
  allocatedResources,
})
const infeasible = [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }]

function amounts(part: 'requests' | 'limits', spec: JsonObject, status?: JsonObject, overhead = false): unknown {
  return formatAmounts(
    runToEnd(podAmountsInSteps(spec as unknown as PodSpec, part, { overhead, status: status as unknown as PodStatus })),
  )
}

describe('a pod that may be resized', () => {
  it.each<[string, JsonObject, JsonObject | undefined, JsonObject]>([
    ['asks for what it says', { containers: [asking({ cpu: '1' })] }, undefined, { cpu: '1' }],
    ['is to grow', { containers: [asking({ cpu: '2' })] }, { containerStatuses: [having({ cpu: '1' })] }, { cpu: '2' }],
    [
      'is to shrink',
      { containers: [asking({ cpu: '1' })] },
      { containerStatuses: [having({ cpu: '2' })] },
      { cpu: '2' },
    ],
    [
      'was promised more',
      { containers: [asking({ cpu: '1' })] },
      { containerStatuses: [having({ cpu: '1' }, {}, { cpu: '3', memory: '1' })] },
      { cpu: '3', memory: '1' },
    ],
    [
      'cannot grow',
      { containers: [asking({ cpu: '9' })] },
      { conditions: infeasible, containerStatuses: [having({ cpu: '1' }, {}, { cpu: '2' })] },
      { cpu: '2' },
    ],
    [
      'can grow later',
      { containers: [asking({ cpu: '9' })] },
      { conditions: [{ ...infeasible[0], reason: 'Deferred' }], containerStatuses: [having({ cpu: '1' })] },
      { cpu: '9' },
    ],
    [
      'has other conditions',
      { containers: [asking({ cpu: '9' })] },
      { conditions: [{ ...infeasible[0], type: 'Ready' }], containerStatuses: [having({ cpu: '1' })] },
      { cpu: '9' },
    ],
    [
      'is not told what it has',
      { containers: [asking({ cpu: '1' })] },
      { containerStatuses: [{ name: 'c', allocatedResources: { cpu: '5' } }] },
      { cpu: '1' },
    ],
    [
      'has another container',
      { containers: [asking({ cpu: '1' })] },
      { containerStatuses: [having({ cpu: '5' }, {}, {}, 'other')] },
      { cpu: '1' },
    ],
    [
      'has a side-car',
      { containers: [], initContainers: [asking({ cpu: '1' }, {}, { restartPolicy: 'Always' })] },
      { initContainerStatuses: [having({ cpu: '2' })] },
      { cpu: '2' },
    ],
    [
      'had an init container',
      { containers: [], initContainers: [asking({ cpu: '1' })] },
      { initContainerStatuses: [having({ cpu: '2' })] },
      { cpu: '1' },
    ],
  ])('%s', (_, spec, status, expected) => {
    expect(amounts('requests', spec, status)).toEqual(expected)
  })

  it.each<[string, JsonObject, JsonObject]>([
    ['the larger limit', { containerStatuses: [having({}, { cpu: '3' }, { cpu: '9' })] }, { cpu: '3' }],
    ['its own limit', { containerStatuses: [having({}, { cpu: '1' })] }, { cpu: '2' }],
    [
      'what it has where it cannot grow',
      { conditions: infeasible, containerStatuses: [having({}, { cpu: '1' })] },
      { cpu: '1' },
    ],
  ])('is limited to %s', (_, status, expected) => {
    expect(amounts('limits', { containers: [asking({}, { cpu: '2' })] }, status)).toEqual(expected)
  })
})

describe('a pod that asks as a whole', () => {
  const whole = { requests: { cpu: '5', 'hugepages-2Mi': '4', 'x.io/gpu': '7' }, limits: { memory: '8' } }
  const spec = {
    containers: [asking({ cpu: '1', memory: '2' }, { cpu: '3' })],
    resources: whole,
    overhead: { cpu: '1' },
  }

  it('counts for that, and for the rest by its containers', () => {
    expect(amounts('requests', spec)).toEqual({ cpu: '5', memory: '2', 'hugepages-2Mi': '4' })
    expect(amounts('limits', spec)).toEqual({ cpu: '3', memory: '8' })
    expect(amounts('requests', spec, undefined, true)).toMatchObject({ cpu: '6' })
  })

  it.each<[string, JsonObject, boolean]>([
    ['nothing', {}, false],
    ['an empty list', { resources: { requests: {} } }, false],
    ['what only containers can have', { resources: { requests: { 'x.io/gpu': '1' } } }, false],
    ['computing', { resources: { requests: { cpu: '1' } } }, true],
    ['a limit of memory', { resources: { limits: { memory: '1' } } }, true],
    ['huge pages', { resources: { limits: { 'hugepages-1Gi': '1' } } }, true],
  ])('asks for %s', (_, more, expected) => {
    expect(hasPodLevelAmounts({ containers: [], ...more } as unknown as PodSpec)).toBe(expected)
  })
})

describe('a pod of best effort', () => {
  it.each<[string, JsonObject, JsonObject | undefined, boolean]>([
    ['as it is told', { containers: [asking({ cpu: '1' })] }, { qosClass: 'BestEffort' }, true],
    ['not as it is told', { containers: [] }, { qosClass: 'Burstable' }, false],
    ['by its containers', { containers: [asking({ cpu: '0' })] }, { phase: 'Running' }, true],
    ['not by its containers', { containers: [asking({ cpu: '1' })] }, {}, false],
    ['as a whole', { containers: [asking({ cpu: '1' })], resources: {} }, undefined, true],
    ['not as a whole', { containers: [], resources: { limits: { memory: '1' } } }, undefined, false],
  ])('is one: %s', (_, spec, status, expected) => {
    expect(isBestEffort({ spec, ...(status === undefined ? {} : { status }) } as never)).toBe(expected)
  })
})

describe('init containers', () => {
  const names = ['cpu', 'memory', 'example.com/a', 'example.com/b']
  const asked = fc.dictionary(fc.constantFrom(...names), fc.integer({ min: 0, max: 9 }).map(String))
  const container = fc.record({ requests: asked, isSidecar: fc.boolean() })

  /** As the reference says it: each is weighed together with all side-cars that run beside it. */
  function weighed(init: readonly { requests: Record<string, string>; isSidecar: boolean }[]): Record<string, number> {
    const sidecars: Record<string, number> = {}
    const highest: Record<string, number> = {}
    for (const { requests, isSidecar } of init) {
      const beside: Record<string, number> = { ...sidecars }
      for (const [name, amount] of Object.entries(requests)) beside[name] = (beside[name] ?? 0) + Number(amount)
      if (isSidecar) Object.assign(sidecars, beside)
      for (const [name, amount] of Object.entries(beside)) highest[name] = Math.max(highest[name] ?? 0, amount)
    }
    return highest
  }

  it('count by the highest, with the side-cars that run beside them', () => {
    fc.assert(
      fc.property(fc.array(container, { maxLength: 6 }), (init) => {
        const initContainers = init.map(({ requests, isSidecar }) =>
          asking(requests, {}, isSidecar ? { restartPolicy: 'Always' } : {}),
        )
        const expected = Object.entries(weighed(init)).map(([name, amount]) => [name, String(amount)])
        expect(amounts('requests', { containers: [], initContainers })).toEqual(Object.fromEntries(expected))
      }),
    )
  })
})

it.each([
  ['a few containers', 255, 0],
  ['many containers', 256, 1],
  ['thousands of containers', 5120, 20],
])('%s are summed up in steps', (_, count, expected) => {
  const many = Array.from({ length: count }, () => asking({ cpu: '1m' }))
  for (const spec of [{ containers: many }, { containers: [], initContainers: many }]) {
    const steps = podAmountsInSteps(spec as unknown as PodSpec, 'requests')
    let taken = 0
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) taken++
    expect(taken).toBe(expected)
    expect(step.value.get('cpu')?.toString()).toBe(
      spec.containers.length > 0 ? Quantity.ofMilli(count).toString() : '1m',
    )
  }
})
