/** What a simulated cluster does with too much, with contradictions, and with things that vanish in the middle. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ApiObject } from '../../src/testing/api/objects.ts'
import { startTestServer } from '../../src/testing/open-test-server.ts'
import type { RunningTestServer } from '../../src/testing/running-test-server.ts'

const minute = 60_000
let server: RunningTestServer

beforeAll(async () => {
  server = await startTestServer({ simulate: { nodes: 2, pods: 12, seed: 7, heartbeat: 0 } })
})
afterEach(() => server.reset())
afterAll(() => server.close())

const template = (more: object = {}) => ({
  metadata: { labels: { app: 'web' } },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'web', image: 'nginx' }], ...more },
})

const deployment = (replicas: number, namespace = 'default'): ApiObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace },
  spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: template() },
})

const phases = async (): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { status } of (await server.list('pods', 'default')) as ApiObject[]) {
    counts[status.phase] = (counts[status.phase] ?? 0) + 1
  }
  return counts
}

describe('too much', () => {
  it('more pods than there is room for wait, are reported why, and go when there is room', async () => {
    await server.apply(deployment(34))
    await server.settled()
    expect(await phases()).toEqual({ Running: 24, Pending: 10 })
    const told = await server.events({ kind: 'Pod', reason: 'FailedScheduling' })
    expect(told.length).toBe(10)
    expect(told[0]?.message).toMatch(/^0\/2 nodes are available: 2 Too many pods\./)
    await server.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'more' } })
    await server.clock.advance(minute)
    expect(await phases()).toEqual({ Running: 34 })
  })

  it('hundreds of pods for one room: one event each, counted when they are tried again', async () => {
    await server.apply(deployment(300))
    await server.settled()
    expect(await phases()).toEqual({ Running: 24, Pending: 276 })
    const failures = () => server.events({ kind: 'Pod', reason: 'FailedScheduling' })
    expect((await failures()).length).toBe(276)
    await server.clock.advance(6 * minute)
    const again = await failures()
    expect(again.length).toBe(276)
    expect(Math.min(...again.map(({ count }) => count))).toBeGreaterThan(1)
    expect((await server.get('deployments', 'web'))?.['status']).toMatchObject({
      replicas: 300,
      availableReplicas: 24,
      unavailableReplicas: 276,
    })
  })

  it('a CronJob every second runs once a minute, keeps few, and tells little', async () => {
    await server.apply({
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'tick' },
      spec: {
        schedule: '@every 1s',
        jobTemplate: { spec: { template: { spec: { ...template().spec, restartPolicy: 'Never' } } } },
      },
    })
    await server.clock.advance(10 * minute)
    await server.settled()
    const jobs = (await server.list('jobs', 'default')) as ApiObject[]
    const minutes = jobs.map(({ metadata }) => Number(metadata?.name?.replace('tick-', ''))).sort((a, b) => a - b)
    expect(minutes.length).toBe(3)
    expect(minutes).toEqual([0, 1, 2].map((i) => (minutes[0] ?? 0) + i))
    expect(Math.abs(server.clock.now() / minute - (minutes[2] ?? 0))).toBeLessThan(2)
    const events = await server.events({ kind: 'CronJob' })
    expect(events.map(({ reason }) => reason)).toContain('SawCompletedJob')
    expect(events.length).toBeLessThanOrEqual(25)
  })

  it('a quota that refuses pods for ever is no work that is left', async () => {
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'few' }, spec: { hard: { pods: '3' } } }
    await server.apply(quota)
    await server.settled()
    await server.apply(deployment(10))
    await server.settled()
    expect(await phases()).toEqual({ Running: 3 })
    await server.clock.advance(60 * minute)
    const refusals = await server.events({ kind: 'ReplicaSet', reason: 'FailedCreate' })
    expect(refusals.length).toBeGreaterThan(0)
    expect(refusals.length).toBeLessThanOrEqual(25)
    await server.apply({ ...quota, spec: { hard: { pods: '20' } } })
    await server.clock.advance(20 * minute)
    expect(await phases()).toEqual({ Running: 10 })
  })
})

describe('contradictions', () => {
  it('a user who scales the ReplicaSet of a Deployment loses, and the cluster comes to rest', async () => {
    await server.apply(deployment(3))
    await server.settled()
    const [set] = (await server.list('replicasets', 'default')) as ApiObject[]
    const name = set?.metadata?.name ?? ''
    const headers = { 'content-type': 'application/merge-patch+json' }
    for (let replicas = 0; replicas < 10; replicas++) {
      await server.call(
        'PATCH',
        `/apis/apps/v1/namespaces/default/replicasets/${name}`,
        { spec: { replicas } },
        { headers },
      )
    }
    await server.settled()
    expect((await server.get('replicasets', name))?.['status']).toMatchObject({ replicas: 3, availableReplicas: 3 })
    expect(await phases()).toEqual({ Running: 3 })
  })

  it('two autoscalers of one Deployment leave it alone', async () => {
    await server.apply(deployment(3))
    const scaler = (name: string, minReplicas: number) => ({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        minReplicas,
        maxReplicas: 10,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
      },
    })
    await server.apply([scaler('low', 1), scaler('high', 2)])
    await server.clock.advance(10 * minute)
    const status = (await server.get('horizontalpodautoscalers', 'low'))?.['status']
    expect(status.conditions).toContainEqual(
      expect.objectContaining({ type: 'ScalingActive', status: 'False', reason: 'AmbiguousSelector' }),
    )
    expect((await server.get('deployments', 'web'))?.['spec'].replicas).toBe(3)
  })
})

describe('what vanishes in the middle', () => {
  it('a namespace in the middle of a rollout goes, with all that is in it', async () => {
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'work', namespace: 'shop' },
      spec: { completions: 20, parallelism: 5, template: { spec: { ...template().spec, restartPolicy: 'Never' } } },
    }
    await server.namespace('shop')
    await server.apply([deployment(10, 'shop'), job])
    await server.call('DELETE', '/api/v1/namespaces/shop')
    await server.settled()
    await server.clock.advance(minute)
    expect(await server.get('namespaces', 'shop')).toBeUndefined()
    expect(await server.list('pods', 'shop')).toEqual([])
  })

  it('a node in the middle of a drain: its pods run elsewhere, and none is lost', async () => {
    const budget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
    }
    await server.apply([deployment(8), budget])
    await server.settled()
    const pods = (await server.list('pods', 'default')) as ApiObject[]
    const onFirst = pods.filter(({ spec }) => spec.nodeName === 'node-1')
    const headers = { 'content-type': 'application/merge-patch+json' }
    await server.call('PATCH', '/api/v1/nodes/node-1', { spec: { unschedulable: true } }, { headers })
    for (const { metadata } of onFirst.slice(0, 2)) {
      const name = metadata?.name ?? ''
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } }
      await server.call('POST', `/api/v1/namespaces/default/pods/${name}/eviction`, eviction).catch(() => {})
    }
    await server.call('DELETE', '/api/v1/nodes/node-1')
    await server.clock.advance(2 * minute)
    const after = (await server.list('pods', 'default')) as ApiObject[]
    expect(after.map(({ spec, status }) => [spec.nodeName, status.phase])).toEqual(
      Array.from({ length: 8 }, () => ['node-2', 'Running']),
    )
    expect((await server.get('deployments', 'web'))?.['status'].availableReplicas).toBe(8)
  })

  it('a node that is made again under its name runs pods anew', async () => {
    await server.apply(deployment(4))
    await server.settled()
    await server.call('DELETE', '/api/v1/nodes/node-2')
    await server.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-2' } })
    await server.clock.advance(2 * minute)
    expect(await phases()).toEqual({ Running: 4 })
  })
})

describe('stages that cannot be played', () => {
  const stage = (name: string, expression: object, template: string): ApiObject => ({
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name },
    spec: {
      resourceRef: { apiGroup: 'v1', kind: 'ConfigMap' },
      selector: { matchLabels: { stage: name }, matchExpressions: [expression] },
      steps: [{ patch: { root: 'data', template } }],
    },
  })
  const isNew = { key: '.data.done', operator: 'DoesNotExist' }

  it('are reported, and the others go on', async () => {
    await server.waitFor('customresourcedefinitions', ({ metadata }) => metadata?.name === 'stages.kwok.x-k8s.io')
    const bad: readonly [string, object, string, 'InvalidStage' | 'StageFailed' | 'nothing'][] = [
      ['syntax', isNew, '{{ if }}', 'InvalidStage'],
      ['function', isNew, '{{ explode . }}', 'StageFailed'],
      ['jq', { key: '.a | def f: 1; f', operator: 'Exists' }, 'done: "1"', 'InvalidStage'],
      ['cel', { cel: { expression: 'self.' } }, 'done: "1"', 'InvalidStage'],
      ['execution', isNew, '{{ index .metadata.name 99 "x" }}', 'StageFailed'],
      ['yaml', isNew, 'done: [', 'StageFailed'],
      ['endless', isNew, '{{ range until 9000 }}{{ range until 9000 }}x{{ end }}{{ end }}', 'StageFailed'],
      ['kind', isNew, '[1, 2]', 'StageFailed'],
      // As in KWOK: a filter that fails gives nothing.
      ['filter', { key: '.metadata.name | tonumber', operator: 'Exists' }, 'done: "1"', 'nothing'],
    ]
    await server.apply([
      ...bad.map(([name, expression, text]) => stage(name, expression, text)),
      stage('good', isNew, 'done: {{ .metadata.name | Quote }}'),
      ...[...bad.map(([name]) => name), 'good'].map((name) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, labels: { stage: name } },
      })),
    ])
    await server.clock.advance(5 * minute)
    const told = await server.events({})
    for (const [name, , , reason] of bad) {
      const about = told.filter((each) => each.about.endsWith(`/${name}`) || each.about.endsWith(` ${name}`))
      const reasons = new Set(about.map((each) => each.reason))
      expect([name, ...reasons]).toEqual(reason === 'nothing' ? [name] : [name, reason])
    }
    expect((await server.get('configmaps', 'good'))?.['data']).toEqual({ done: 'good' })
  })
})
