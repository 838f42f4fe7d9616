import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EndpointSlice, Pod, Service } from '../../objects.ts'
import { nodeOf, podOf, serviceOf } from '../common/test-objects.ts'
import { planSlices, reuseNames, type ServicePlan } from './slice-plan.ts'
import { TopologyHints } from './topology-hints.ts'
import { withTrafficHints } from './traffic-hints.ts'

const pods = (count: number, from = 0): Pod[] =>
  Array.from({ length: count }, (_, i) =>
    podOf(`web-${i + from}`, { ip: `10.0.${(i + from) >> 8}.${(i + from) & 255}` }),
  )

/** What the controller has written before: the plan for these pods, with names. */
function written(service: Service, given: readonly Pod[], maxEndpoints = 100): EndpointSlice[] {
  const { families } = plan(service, given, [], maxEndpoints)
  return families.flatMap(({ create }) =>
    create.map((slice, i) => ({ ...slice, metadata: { ...slice.metadata, name: `slice-${i}` } })),
  )
}

function plan(
  service: Service,
  given: readonly Pod[],
  slices: readonly EndpointSlice[] = [],
  maxEndpoints = 100,
): ServicePlan {
  const node = (name: string) => (name === 'gone' ? undefined : nodeOf(name))
  return planSlices({ service, pods: given, slices, node, maxEndpoints })
}

const sizes = (slices: readonly EndpointSlice[]): number[] => slices.map(({ endpoints }) => endpoints?.length ?? 0)

describe('the slices of a service', () => {
  it.each([
    ['no pods: a placeholder', 0, [], [0]],
    ['a few', 3, [], [3]],
    ['more than fit one', 250, [], [100, 100, 50]],
  ] as const)('%s', (_, count, slices, expected) => {
    const [family] = plan(serviceOf(), pods(count), slices).families
    expect(sizes(family?.create ?? [])).toEqual(expected)
    expect(family?.create[0]?.metadata).toMatchObject({ generateName: 'web-', namespace: 'ns' })
  })

  it('are left alone when nothing changed', () => {
    for (const count of [0, 3, 250]) {
      const before = written(serviceOf(), pods(count))
      const [family] = plan(serviceOf(), pods(count), before).families
      expect([family?.create, family?.update, family?.delete]).toEqual([[], [], []])
      expect(family?.unchanged).toHaveLength(before.length)
    }
  })

  it.each([
    // pods before, pods after, room in a slice, sizes of updates, creations, deletions
    ['new ones fill the fullest slice that has room', 4, [0, 6], 10, [6], [], 0],
    ['new ones that fit nowhere get a slice', 10, [0, 13], 10, [], [3], 0],
    ['a slice that loses all goes', 15, [0, 10], 10, [], [], 1],
    ['a slice that changes anyhow is filled first', 20, [1, 21], 10, [10], [], 0],
  ] as const)('%s', (_, count, [from, to], max, updates, creations, deletions) => {
    const before = written(serviceOf(), pods(count), max)
    const [family] = plan(serviceOf(), pods(to - from, from), before, max).families
    expect(sizes(family?.update ?? [])).toEqual(updates)
    expect(sizes(family?.create ?? [])).toEqual(creations)
    expect(family?.delete).toHaveLength(deletions)
  })

  it('keep as few writes as there can be when ports change', () => {
    const before = written(serviceOf(), pods(2))
    const service = serviceOf({ ports: [{ name: 'other', port: 80, targetPort: 9090, protocol: 'TCP' }] })
    const [family] = plan(service, pods(2), before).families
    const { create, update, delete: gone } = reuseNames(family as never, service)
    expect([create, gone]).toEqual([[], []])
    expect(update).toMatchObject([{ metadata: { name: 'slice-0' }, ports: [{ name: 'other', port: 9090 }] }])
  })

  it.each([
    ['ready', {}, { ready: true, serving: true, terminating: false }],
    ['not ready', { ready: false }, { ready: false, serving: false, terminating: false }],
    ['terminating', { isDeleting: true }, { ready: false, serving: true, terminating: true }],
  ])('hold a pod that is %s', (_, facts, conditions) => {
    const [family] = plan(serviceOf(), [podOf('web-0', facts)]).families
    expect(family?.create[0]?.endpoints).toMatchObject([{ conditions }])
  })

  it.each([
    ['without an address', { ip: '' }],
    ['that has failed', { phase: 'Failed' }],
    ['that has succeeded', { phase: 'Succeeded' }],
    ['on an unknown node', { node: 'gone' }],
  ])('do not hold a pod %s', (_, facts) => {
    const { families } = plan(serviceOf(), [podOf('web-0', facts)])
    expect(sizes(families[0]?.create ?? [])).toEqual([0])
  })

  it('publish pods that are not ready, and on unknown nodes, where the service says so', () => {
    const service = serviceOf({ publishNotReadyAddresses: true })
    const { families, skipped } = plan(service, [podOf('web-0', { ready: false, node: 'gone' })])
    expect(families[0]?.create[0]?.endpoints).toMatchObject([{ conditions: { ready: true, serving: false } }])
    expect(skipped).toEqual([])
  })

  it('are of the families of the service; the others go', () => {
    const before = written(serviceOf({ ipFamilies: ['IPv4', 'IPv6'] }), pods(1))
    expect(before.map(({ addressType }) => addressType)).toEqual(['IPv4', 'IPv6'])
    const { families, stale } = plan(serviceOf(), pods(1), before)
    expect(families.map(({ addressType }) => addressType)).toEqual(['IPv4'])
    expect(stale.map(({ addressType }) => addressType)).toEqual(['IPv6'])
  })

  it('carry the labels of the service, but not those that are reserved', () => {
    const labels = { tier: 'front', 'kubernetes.io/service-name': 'not-me', 'service.kubernetes.io/headless': 'x' }
    const before = written(serviceOf({ clusterIP: 'None' }), pods(1))
    const [family] = plan(serviceOf({ clusterIP: 'None' }, labels), pods(1), before).families
    expect(family?.update[0]?.metadata.labels).toEqual({
      tier: 'front',
      'kubernetes.io/service-name': 'web',
      'service.kubernetes.io/headless': '',
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
    })
  })
})

describe('hints', () => {
  const zoned = (zone: string) =>
    nodeOf(`node-${zone}`, { labels: { 'topology.kubernetes.io/zone': zone }, more: { allocatable: { cpu: '2' } } })
  const nodes = ['a', 'b', 'c'].map(zoned)
  const spread = (zones: string): Pod[] =>
    [...zones].map((zone, i) => podOf(`web-${i}`, { ip: `10.0.0.${i}`, node: `node-${zone}` }))
  const familyOf = (zones: string) => {
    const node = (name: string) => nodes.find(({ metadata }) => metadata.name === name)
    const state = { service: serviceOf(), pods: spread(zones), slices: [], node, maxEndpoints: 100 }
    return planSlices(state).families[0] as never
  }

  it('of trafficDistribution keep traffic in its zone, or on its node', () => {
    const hints = (distribution: string) =>
      withTrafficHints(familyOf('ab'), distribution).create[0]?.endpoints?.map((each) => each.hints)
    expect(hints('PreferClose')).toEqual([{ forZones: [{ name: 'a' }] }, { forZones: [{ name: 'b' }] }])
    expect(hints('PreferSameNode')?.[0]).toEqual({ forZones: [{ name: 'a' }], forNodes: [{ name: 'node-a' }] })
  })

  it.each([
    ['abc', { a: 1, b: 1, c: 1 }, 'Topology Aware Hints has been enabled'],
    ['aaabbc', { a: 2, b: 2, c: 2 }, 'Topology Aware Hints has been enabled'],
    ['ab', undefined, 'Insufficient number of endpoints (2 endpoints, 3 zones)'],
  ] as const)('of topology spread %s over the zones', (zones, counts, message) => {
    const topology = new TopologyHints()
    topology.setNodes(nodes)
    const { plan: hinted, event } = topology.add('ns/web', familyOf(zones))
    const given: Record<string, number> = {}
    for (const { hints } of hinted.create[0]?.endpoints ?? []) {
      for (const { name } of hints?.forZones ?? []) given[name] = (given[name] ?? 0) + 1
    }
    expect(given).toEqual(counts ?? {})
    expect(event?.message).toBe(`${message}, addressType: IPv4`)
  })

  it('of topology need nodes with zones', () => {
    const topology = new TopologyHints()
    topology.setNodes([nodeOf('plain')])
    expect(topology.add('ns/web', familyOf('abc')).event?.reason).toBe('TopologyAwareHintsDisabled')
  })
})

describe('whatever happens to pods', () => {
  const max = 5
  /** What the server has after a plan was written. */
  function apply(service: Service, slices: readonly EndpointSlice[], made: ServicePlan, next: () => string) {
    const left = new Map(slices.map((slice) => [slice.metadata.name, slice]))
    for (const family of made.families) {
      const { create, update, delete: gone } = reuseNames(family, service)
      for (const slice of gone) left.delete(slice.metadata.name)
      for (const slice of update) left.set(slice.metadata.name, slice)
      for (const slice of create) {
        const name = next()
        left.set(name, { ...slice, metadata: { ...slice.metadata, name } })
      }
    }
    return [...left.values()]
  }
  const podFacts = fc.record({ id: fc.nat(12), ready: fc.boolean(), port: fc.constantFrom(80, 81) })

  it('each has one endpoint, slices are bounded, and a second look changes nothing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uniqueArray(podFacts, { selector: ({ id }) => id, maxLength: 12 }), { maxLength: 6 }),
        (states) => {
          const service = serviceOf({ ports: [{ name: 'x', port: 80, targetPort: 'p', protocol: 'TCP' }] })
          let slices: EndpointSlice[] = []
          let names = 0
          for (const state of states) {
            const given = state.map(({ id, ready, port }) => {
              const pod = podOf(`web-${id}`, { ip: `10.0.0.${id + 1}`, ready })
              const containers = [
                { name: 'c', image: 'x', ports: [{ name: 'p', containerPort: port, protocol: 'TCP' }] },
              ]
              return { ...pod, spec: { ...pod.spec, containers } as unknown as NonNullable<Pod['spec']> }
            })
            slices = apply(service, slices, plan(service, given, slices, max), () => `slice-${names++}`)
            const held = slices.flatMap(({ endpoints, ports }) =>
              (endpoints ?? []).map(
                ({ targetRef, conditions }) => `${targetRef?.name} ${conditions.ready} ${ports?.[0]?.port}`,
              ),
            )
            expect(held.sort()).toEqual(state.map(({ id, ready, port }) => `web-${id} ${ready} ${port}`).sort())
            expect(Math.max(...sizes(slices))).toBeLessThanOrEqual(max)
            expect(slices.length).toBeGreaterThan(0)
            const [again] = plan(service, given, slices, max).families
            expect([again?.create, again?.update, again?.delete]).toEqual([[], [], []])
          }
        },
      ),
      { numRuns: 60 },
    )
  })
})
