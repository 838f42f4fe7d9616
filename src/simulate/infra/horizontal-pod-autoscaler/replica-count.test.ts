import { describe, expect, it } from 'vitest'
import type { Pod } from '../../objects.ts'
import { podOf } from '../common/test-objects.ts'
import { averageReplicas, perPodReplicas, replicasForTotal, resourceReplicas } from './replica-count.ts'

const now = 3_600_000
const tolerances = { up: 0.1, down: 0.1 }

const requesting = (pod: Pod, cpu: string): Pod => ({
  ...pod,
  spec: { ...pod.spec, containers: [{ name: 'c', image: 'x', resources: { requests: { cpu } } }] } as NonNullable<
    Pod['spec']
  >,
})
const podsOf = (count: number, cpu = '1'): Pod[] =>
  Array.from({ length: count }, (_, i) => requesting(podOf(`p${i}`), cpu))
const metricsOf = (values: readonly number[]) =>
  new Map(values.map((value, i) => [`p${i}`, { value, timestamp: now, windowMs: 60_000 }]))

describe('a target in percent of requests', () => {
  const count = (pods: Pod[], values: readonly number[], target: number) =>
    resourceReplicas(
      { replicas: pods.length, pods, tolerances, now, resource: 'cpu', container: '', target },
      metricsOf(values),
    )
  it.each([
    // pods, usage in thousandths, target, replicas, utilization
    [3, [300, 500, 700], 30, 5, 50],
    [5, [100, 300, 500, 250, 250], 50, 3, 28],
    [3, [1010, 1030, 1020], 100, 3, 102],
    [10, Array<number>(10).fill(120), 100, 2, 12],
    // A pod without a metric damps the change.
    [3, [300, 950], 100, 3, 62],
    [4, [900, 1000], 60, 4, 95],
  ])('%i pods with %j at %i %%', (pods, values, target, replicas, utilization) => {
    expect(count(podsOf(pods), values, target)).toMatchObject({ replicas, utilization })
  })

  it('counts pods that are not ready as idle on the way up, and not at all on the way down', () => {
    const pods = podsOf(3)
    pods[2] = requesting(podOf('p2', { phase: 'Pending' }), '1')
    expect(count(pods, [1000, 1000, 1000], 50).replicas).toBe(4)
    expect(count(pods, [100, 100], 50).replicas).toBe(1)
  })

  it.each([
    [[], [], 'no pods returned by selector while calculating replica count'],
    [podsOf(1), [], 'did not receive metrics for targeted pods (pods might be unready)'],
    [[podOf('p0')], [1], 'missing request for cpu in container c of Pod p0'],
  ])('needs pods, metrics and requests', (pods, values, message) => {
    expect(() => count(pods, values, 50)).toThrow(message)
  })
})

it.each([
  [3, [20_000, 10_000, 30_000], 15_000, 4, 20_000],
  [3, [10_000, 10_000, 10_000], 10_000, 3, 10_000],
  [3, [1000, 1000, 1000], 10_000, 1, 1000],
])('an average of pods: %i with %j at %i', (count, values, target, replicas, usage) => {
  const request = { replicas: count, pods: podsOf(count), tolerances, now, resource: '', target }
  expect(averageReplicas(request, metricsOf(values))).toEqual({ replicas, usage })
})

it.each([
  [3, 20_000, 15_000, 4],
  [3, 15_500, 15_000, 3],
  [3, 5000, 15_000, 1],
  [0, 30_000, 15_000, 2],
])('a total: %i replicas with %i at %i', (count, usage, target, replicas) => {
  expect(replicasForTotal({ replicas: count, pods: podsOf(count), tolerances, now }, usage, target).replicas).toBe(
    replicas,
  )
})

it.each([
  [4, 40_000, 10_000, 4, 10_000],
  [4, 80_000, 10_000, 8, 20_000],
  [5, 9_000, 10_000, 1, 1800],
])('an average of a total: %i replicas with %i at %i', (count, usage, target, replicas, shown) => {
  expect(perPodReplicas({ replicas: count, tolerances }, usage, target)).toEqual({ replicas, usage: shown })
})
