import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ClusterState } from './cluster-state.ts'
import { PodInfo } from './pod-info.ts'
import { node, type PodOptions, pod } from './testing/test-cluster.ts'

const options = { podLevelResources: false, inPlaceResize: true }
const names = ['a', 'b', 'c']
const anti = { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: {}, topologyKey: 'zone' }] }
const kinds: readonly PodOptions[] = [
  { cpu: '100m', memory: '1Mi' },
  { spec: { containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort: 80 }] }] } },
  { spec: { containers: [{ name: 'c' }], affinity: { podAntiAffinity: anti } } },
  { spec: { containers: [{ name: 'c' }], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'x' } }] } },
]

/** All that plugins see of the state. */
function seen(state: ClusterState) {
  const nodes = state.nodes.map((info) => ({
    name: info.name,
    pods: [...info.pods.keys()].sort(),
    requested: { ...info.requested },
    nonZero: { ...info.nonZeroRequested },
    groups: [...info.affinityGroups.values()].map(({ pods }) => pods),
    anti: [...info.antiAffinityPods.keys()].sort(),
    port: info.conflictsWith([{ ip: '0.0.0.0', port: 'TCP/80' }]),
    labels: [info.label('zone'), info.label('none')],
    images: [...info.images].map(([name, { nodes: on }]) => `${name} ${on.size}`),
  }))
  const sorted = nodes.sort((x, y) => (x.name < y.name ? -1 : 1))
  const affinity = [...state.antiAffinityNodes].filter((info) => info.node !== undefined).map(({ name }) => name)
  return { nodes: sorted, claim: state.isClaimInUse('default/x'), affinity: affinity.sort() }
}

describe('the state of the cluster', () => {
  test('images without names, which the API writes as null, are none', () => {
    const state = new ClusterState(options)
    state.setNode({ ...node('a'), status: { images: [{ names: null, sizeBytes: 1 }, { names: ['web'] }] } })
    expect(seen(state).nodes).toMatchObject([{ images: ['web 1'] }])
  })

  test('kept by delta is that of the objects', () => {
    const step = fc.record({
      op: fc.constantFrom('place', 'assume', 'forget', 'remove', 'node', 'no node'),
      id: fc.integer({ min: 0, max: 5 }),
      kind: fc.integer({ min: 0, max: kinds.length - 1 }),
      on: fc.constantFrom(...names),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const state = new ClusterState(options)
        const nodes = new Map<string, ReturnType<typeof node>>()
        const pods = new Map<string, { of: ReturnType<typeof pod>; on: string; isAssumed: boolean }>()
        for (const { op, id, kind, on } of steps) {
          const of = pod(`p${id}`, { ...kinds[kind], node: on })
          const uid = of.metadata.uid ?? ''
          if (op === 'place') {
            state.setPod(of)
            pods.set(uid, { of, on, isAssumed: false })
          } else if (op === 'assume') {
            state.assume(new PodInfo(of, options), on)
            pods.set(uid, { of, on, isAssumed: true })
          } else if (op === 'forget') {
            state.forget(uid)
            if (pods.get(uid)?.isAssumed === true) pods.delete(uid)
          } else if (op === 'remove') {
            state.removePod(uid)
            pods.delete(uid)
          } else if (op === 'node') {
            const made = node(on, { labels: { zone: `z${id}` }, images: [{ names: [`i${kind}`], sizeBytes: 1 }] })
            state.setNode(made)
            nodes.set(on, made)
          } else {
            state.removeNode(node(on))
            nodes.delete(on)
          }
          for (const info of state.nodes) info.label('zone')
        }
        const fresh = new ClusterState(options)
        for (const each of nodes.values()) fresh.setNode(each)
        for (const { of, on } of pods.values()) fresh.assume(new PodInfo(of, options), on)
        expect(seen(state)).toEqual(seen(fresh))
      }),
    )
  })
})
