import { describe, expect, test } from 'vitest'
import type { PodDisruptionBudget } from '../objects.ts'
import { cloneRuns } from './cycle.ts'
import { node, object, type PodOptions, pod, TestCluster } from './testing/test-cluster.ts'
import { budgetOf, leastHarm, type PreemptionCandidate, selectVictims } from './victims.ts'

const budget = (app: string, disruptionsAllowed: number, disruptedPods = {}) =>
  object(
    'PodDisruptionBudget',
    app,
    { spec: { selector: { matchLabels: { app } } }, status: { disruptionsAllowed, disruptedPods } },
    'default',
  ) as PodDisruptionBudget
const web = { labels: { app: 'web' } }

function victims(
  pods: PodOptions[],
  asks: PodOptions,
  budgets: PodDisruptionBudget[] = [],
  on = node('a', { cpu: '4' }),
) {
  const placed = pods.map((options, i) => pod(`v${i}`, { node: 'a', ...options }))
  const cluster = new TestCluster({ nodes: [on], pods: placed })
  const cycle = cluster.cycle(pod('p', asks))
  cycle.feasibleNodes(0)
  const [info] = cluster.view.nodes
  if (info === undefined) throw new Error('there is a node')
  const outcome = selectVictims(info.clone(), cloneRuns(cycle.runs), {
    cycle,
    budgets: budgets.map(budgetOf),
    now: 1e12,
  })
  if ('code' in outcome) return outcome.reasons.join(', ')
  return [outcome.victims.map(({ pod: { metadata } }) => metadata.name).join(' '), outcome.violations]
}

describe('victims on a node', () => {
  test.each<[string, PodOptions[], PodOptions, unknown, PodDisruptionBudget[]?]>([
    [
      'nobody is less important',
      [{ cpu: '4', priority: 10 }],
      { cpu: '1', priority: 10 },
      'No preemption victims found for incoming pod',
    ],
    ['it would not fit all the same', [{ cpu: '4' }], { cpu: '5', priority: 10 }, 'Insufficient cpu'],
    ['one', [{ cpu: '4' }], { cpu: '1', priority: 10 }, ['v0', 0]],
    ['no more than it takes', [{ cpu: '2' }, { cpu: '2' }], { cpu: '2', priority: 10 }, ['v1', 0]],
    [
      'the less important',
      [
        { cpu: '2', priority: 1 },
        { cpu: '2', priority: 2 },
      ],
      { cpu: '2', priority: 10 },
      ['v0', 0],
    ],
    [
      'the one that started later',
      [
        { cpu: '2', startTime: '2001-01-01T00:00:00Z' },
        { cpu: '2', startTime: '2000-01-01T00:00:00Z' },
      ],
      { cpu: '2', priority: 10 },
      ['v0', 0],
    ],
    [
      'small ones are spared where one large is enough',
      [{ cpu: '3' }, { cpu: '500m', priority: 1 }, { cpu: '500m', priority: 1 }],
      { cpu: '3', priority: 10 },
      ['v0', 0],
    ],
    [
      'the one that no budget protects',
      [
        { cpu: '2', ...web },
        { cpu: '2', priority: 1 },
      ],
      { cpu: '2', priority: 10 },
      ['v1', 0],
      [budget('web', 0)],
    ],
    [
      'one that a budget can spare',
      [
        { cpu: '2', ...web },
        { cpu: '2', priority: 1, ...web },
      ],
      { cpu: '2', priority: 10 },
      ['v1', 0],
      [budget('web', 1)],
    ],
    ['one against its budget', [{ cpu: '4', ...web }], { cpu: '1', priority: 10 }, ['v0', 1], [budget('web', 0)]],
    [
      'one that is being disrupted already',
      [{ cpu: '4', ...web }],
      { cpu: '1', priority: 10 },
      ['v0', 0],
      [budget('web', 0, { v0: '2026-01-01T00:00:00Z' })],
    ],
    [
      'a budget that selects everything protects nothing',
      [{ cpu: '4', ...web }],
      { cpu: '1', priority: 10 },
      ['v0', 0],
      [{ ...budget('web', 0), spec: { selector: {} } }],
    ],
  ])('%s', (_, pods, asks, expected, budgets) => {
    expect(victims(pods, asks, budgets)).toEqual(expected)
  })

  test('ports and anti-affinity are freed, too', () => {
    const port = { spec: { containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort: 80 }] }] } }
    expect(victims([port], { ...port, priority: 10 })).toEqual(['v0', 0])
    const terms = [{ labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' }]
    const shy = { spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } } }
    expect(victims([shy, {}], { ...web, priority: 10 })).toEqual(['v0', 0])
  })

  test('many pods are no problem', () => {
    const pods = Array.from({ length: 2000 }, (): PodOptions => ({ cpu: '1m' }))
    expect(victims(pods, { cpu: '3999m', priority: 10 }, [], node('a', { cpu: '4', pods: '3000' }))).toEqual([
      expect.any(String),
      0,
    ])
  })
})

describe('the node where it hurts least', () => {
  const cluster = new TestCluster({ nodes: [] })
  const candidate = (name: string, violations: number, ...pods: PodOptions[]): PreemptionCandidate => ({
    node: name,
    violations,
    victims: pods.map((options, i) => cluster.info(pod(`${name}${i}`, options))),
  })
  test.each<[string, PreemptionCandidate[], string]>([
    ['fewest budgets', [candidate('a', 1, { priority: 0 }), candidate('b', 0, { priority: 9 })], 'b'],
    [
      'lowest first victim',
      [candidate('a', 0, { priority: 9 }), candidate('b', 0, { priority: 8 }, { priority: 8 })],
      'b',
    ],
    [
      'lowest sum',
      [candidate('a', 0, { priority: 5 }, { priority: 4 }), candidate('b', 0, { priority: 5 }, { priority: 3 })],
      'b',
    ],
    [
      'fewest pods, which the sum sees first',
      [candidate('a', 0, { priority: 5 }, { priority: -9 }), candidate('b', 0, { priority: 5 })],
      'b',
    ],
    [
      'latest start',
      [
        candidate('a', 0, { startTime: '2000-01-01T00:00:00Z' }),
        candidate('b', 0, { startTime: '2001-01-01T00:00:00Z' }),
      ],
      'b',
    ],
    ['the first of equals', [candidate('a', 0, {}), candidate('b', 0, {})], 'a'],
  ])('%s', (_, candidates, expected) => {
    expect(leastHarm(candidates, 1e12)?.node).toBe(expected)
  })
})
