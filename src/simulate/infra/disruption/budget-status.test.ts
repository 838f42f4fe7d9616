import { describe, expect, it } from 'vitest'
import type { PodDisruptionBudget } from '../../objects.ts'
import { podOf, time } from '../common/test-objects.ts'
import { budgetStatus, countHealthy, disruptedPods, podCounts, staleDisruptionIn } from './budget-status.ts'

const budget = (spec: object, status: object = {}): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'b', namespace: 'ns', generation: 2 },
  spec: spec as NonNullable<PodDisruptionBudget['spec']>,
  status: status as NonNullable<PodDisruptionBudget['status']>,
})

const owned = (name: string, uid: string) => {
  const pod = podOf(name)
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: uid, uid, controller: true }
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } }
}

describe('the counts of a disruption budget', () => {
  const scales = new Map([
    ['x', 10],
    ['y', 3],
  ])
  const find = ({ uid }: { uid: string }) => {
    const replicas = scales.get(uid)
    return replicas === undefined ? undefined : { uid, replicas }
  }
  it.each([
    [{ minAvailable: 2 }, ['x'], 1, 2],
    [{ minAvailable: '30%' }, ['x', 'x'], 10, 3],
    [{ minAvailable: '25%' }, ['x', 'y'], 13, 4],
    [{ maxUnavailable: 1 }, ['x'], 10, 9],
    [{ maxUnavailable: '30%' }, ['y'], 3, 2],
    [{ maxUnavailable: 20 }, ['x'], 10, 0],
    [{ maxUnavailable: 1 }, [], 0, 0],
  ])('%j of pods of %j', (spec, owners, expected, desiredHealthy) => {
    const pods = owners.map((uid, i) => owned(`p${i}`, uid))
    expect(podCounts(budget(spec), pods, find)).toEqual({ expected, desiredHealthy, unmanaged: [] })
  })

  it('name pods that nobody manages, and fail where the manager is gone', () => {
    expect(podCounts(budget({ maxUnavailable: 1 }), [podOf('alone')], find).unmanaged).toEqual(['alone'])
    expect(() => podCounts(budget({ maxUnavailable: 1 }), [owned('p', 'z')], find)).toThrow(
      'found no controllers for pod "p"',
    )
  })
})

it('counts pods that are ready and not about to go', () => {
  const pods = [
    podOf('ready'),
    podOf('unready', { ready: false }),
    podOf('going', { isDeleting: true }),
    podOf('evicted'),
  ]
  const evicted = { evicted: time(0) }
  expect(countHealthy(pods, evicted, 60_000)).toBe(1)
  expect(countHealthy(pods, evicted, 121_000)).toBe(2)
  const noted = disruptedPods(budget({}, { disruptedPods: { ...evicted, gone: time(0) } }), pods, 60_000)
  expect(noted).toEqual({ pods: evicted, recheckAt: 120_000, notDeleted: [] })
  expect(disruptedPods(budget({}, { disruptedPods: evicted }), pods, 121_000).notDeleted).toHaveLength(1)
})

it.each([
  [3, 2, 3, 1, 'True', 'SufficientPods'],
  [2, 2, 3, 0, 'False', 'InsufficientPods'],
  [1, 2, 3, 0, 'False', 'InsufficientPods'],
  [3, 0, 0, 0, 'False', 'InsufficientPods'],
])(
  'with %i healthy of %i wanted and %i expected %i may go',
  (healthy, desiredHealthy, expected, allowed, status, reason) => {
    const counts = { healthy, desiredHealthy, expected, disrupted: {} }
    const next = budgetStatus(budget({}), counts, time(5))
    expect(next).toMatchObject({
      disruptionsAllowed: allowed,
      observedGeneration: 2,
      conditions: [{ type: 'DisruptionAllowed', status, reason, lastTransitionTime: time(5) }],
    })
    expect(budgetStatus(budget({}, next), counts, time(9))).toBeUndefined()
  },
)

it.each([
  [{ status: 'True', reason: 'EvictionByEvictionAPI' }, {}, 60_000],
  [{ status: 'False' }, {}, undefined],
  [{ status: 'True', reason: 'TerminationByKubelet' }, {}, undefined],
  [{ status: 'True' }, { isDeleting: true }, undefined],
  [{ status: 'True' }, { phase: 'Failed' }, undefined],
])('a stale DisruptionTarget %j of a pod %j is reset in %s ms', (condition, facts, expected) => {
  const pod = podOf('p', facts)
  const conditions = [{ type: 'DisruptionTarget', lastProbeTime: null, lastTransitionTime: time(0), ...condition }]
  expect(staleDisruptionIn({ ...pod, status: { ...pod.status, conditions } }, 60_000)).toBe(expected)
})
