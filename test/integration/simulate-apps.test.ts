import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ApiObject } from '../../src/testing/api/objects.ts'
import { startTestServer } from '../../src/testing/open-test-server.ts'
import type { RunningTestServer } from '../../src/testing/running-test-server.ts'

const second = 1000
let server: RunningTestServer

beforeAll(async () => {
  server = await startTestServer({ simulate: { nodes: 2, seed: 7, heartbeat: 0 } })
})

afterEach(() => server.reset())
afterAll(() => server.close())

/** `script` is what the pods do. */
const podTemplate = (image = 'nginx:1', script: object = {}) => ({
  metadata: {
    labels: { app: 'web' },
    annotations: { 'simulate.pilothouse.dev/script': JSON.stringify({ stop: { takes: 0 }, ...script }) },
  },
  spec: { containers: [{ name: 'web', image }] },
})

/** Pods that become ready after ten minutes. */
const slow = { ready: { after: 600_000 } }

function workload(kind: string, spec: object, name = 'web'): ApiObject {
  const selector = kind === 'ReplicationController' ? { app: 'web' } : { matchLabels: { app: 'web' } }
  const apiVersion = kind === 'ReplicationController' ? 'v1' : 'apps/v1'
  return { apiVersion, kind, metadata: { name }, spec: { selector, template: podTemplate(), ...spec } }
}

async function settledStatus(resource: string, name = 'web'): Promise<ApiObject> {
  await server.settled()
  return (await server.get(resource, name))?.['status']
}

const conditionsOf = ({ conditions = [] }: ApiObject): string[] =>
  conditions.map(({ type, status, reason }: ApiObject) => `${type}=${status} ${reason}`).sort()

const messages = async (kind: string, reason: string): Promise<string[]> =>
  (await server.events({ kind, reason })).map(({ message }) => message)

describe('ReplicaSets and ReplicationControllers', () => {
  for (const [kind, resource] of [
    ['ReplicaSet', 'replicasets'],
    ['ReplicationController', 'replicationcontrollers'],
  ] as const) {
    it(`has as many pods as a ${kind} asks for`, async () => {
      await server.apply(workload(kind, { replicas: 3 }))
      expect(await settledStatus(resource)).toEqual({
        replicas: 3,
        fullyLabeledReplicas: 3,
        readyReplicas: 3,
        availableReplicas: 3,
        observedGeneration: 1,
      })
      const pods = await server.list('pods', 'default')
      expect(pods.map(({ metadata }) => metadata?.name)).toEqual(
        [1, 2, 3].map(() => expect.stringMatching(/^web-[a-z0-9]{5}$/)),
      )
      const owner = { kind, name: 'web', controller: true, blockOwnerDeletion: true }
      for (const pod of pods) expect(pod.metadata?.['ownerReferences']).toMatchObject([owner])
      await server.call('DELETE', `/api/v1/namespaces/default/pods/${pods[0]?.metadata?.name}`)
      expect(await settledStatus(resource)).toMatchObject({ replicas: 3 })
      await server.apply(workload(kind, { replicas: 1 }))
      expect(await settledStatus(resource)).toMatchObject({ replicas: 1 })
      expect((await server.list('pods', 'default')).length).toBe(1)
      expect((await messages(kind, 'SuccessfulCreate')).length).toBe(4)
      expect((await messages(kind, 'SuccessfulDelete')).length).toBe(2)
    })
  }

  it('adopts pods that it selects and releases those that it no longer does', async () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'lonely', labels: { app: 'web' } } }
    await server.apply({ ...pod, spec: podTemplate().spec })
    await server.apply(workload('ReplicaSet', { replicas: 2 }))
    await server.settled()
    expect((await server.list('pods', 'default')).length).toBe(2)
    expect((await server.get('pods', 'lonely'))?.metadata?.['ownerReferences']).toMatchObject([{ name: 'web' }])
    const headers = { 'content-type': 'application/merge-patch+json' }
    const patch = { metadata: { labels: { app: 'else' } } }
    await server.call('PATCH', '/api/v1/namespaces/default/pods/lonely', patch, { headers })
    await server.settled()
    expect((await server.list('pods', 'default')).length).toBe(3)
    expect((await server.get('pods', 'lonely'))?.metadata?.['ownerReferences']).toBeUndefined()
  })

  it('tells why pods cannot be created, and goes on when they can', async () => {
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'few' }, spec: { hard: { pods: '1' } } }
    await server.apply(quota)
    await server.waitFor('resourcequotas', ({ status }) => status.hard !== undefined)
    await server.apply(workload('ReplicaSet', { replicas: 3 }))
    await server.clock.advance(second)
    const status = (await server.get('replicasets', 'web'))?.['status']
    expect(conditionsOf(status)).toEqual(['ReplicaFailure=True FailedCreate'])
    expect(status.replicas).toBe(1)
    expect((await messages('ReplicaSet', 'FailedCreate'))[0]).toMatch(
      /^Error creating: pods "web-\w{5}" is forbidden: exceeded quota/,
    )
    await server.call('DELETE', '/api/v1/namespaces/default/resourcequotas/few')
    await server.clock.advance(120 * second)
    expect(await settledStatus('replicasets')).not.toHaveProperty('conditions')
  })

  it('counts pods as available after minReadySeconds', async () => {
    await server.apply(workload('ReplicaSet', { replicas: 2, minReadySeconds: 30 }))
    const early = await settledStatus('replicasets')
    expect(early).toMatchObject({ readyReplicas: 2 })
    expect(early).not.toHaveProperty('availableReplicas')
    await server.clock.advance(31 * second)
    expect(await settledStatus('replicasets')).toMatchObject({ readyReplicas: 2, availableReplicas: 2 })
  })
})

describe('Deployments', () => {
  const sets = async (): Promise<string[]> =>
    (await server.list('replicasets', 'default'))
      .map(({ metadata, spec }) => `${metadata?.annotations?.['deployment.kubernetes.io/revision']}: ${spec.replicas}`)
      .sort()

  it('rolls out, keeps history, and rolls back', async () => {
    await server.apply(workload('Deployment', { replicas: 3 }))
    const status = await settledStatus('deployments')
    expect(status).toMatchObject({ replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 })
    expect(conditionsOf(status)).toEqual([
      'Available=True MinimumReplicasAvailable',
      'Progressing=True NewReplicaSetAvailable',
    ])
    for (const image of ['nginx:2', 'nginx:3']) {
      await server.apply(workload('Deployment', { replicas: 3, template: podTemplate(image) }))
      await server.settled()
    }
    expect(await sets()).toEqual(['1: 0', '2: 0', '3: 3'])
    await server.apply(workload('Deployment', { replicas: 3, revisionHistoryLimit: 1 }))
    await server.settled()
    expect(await sets()).toEqual(['3: 0', '4: 3'])
    const [found] = (await server.list('replicasets', 'default')).filter(({ spec }) => spec.replicas === 3)
    expect(found?.metadata?.annotations).toMatchObject({ 'deployment.kubernetes.io/revision-history': '1' })
    const [first] = await messages('Deployment', 'ScalingReplicaSet')
    expect(first).toMatch(/^Scaled up replica set web-\w+ from 0 to 3$/)
  })

  it('scales without a rollout, and in proportion while one is stuck', async () => {
    const strategy = { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } }
    await server.apply(workload('Deployment', { replicas: 10, strategy }))
    await server.settled()
    await server.apply(workload('Deployment', { replicas: 10, strategy, template: podTemplate('nginx:2', slow) }))
    await server.settled()
    expect(await sets()).toEqual(['1: 8', '2: 5'])
    await server.apply(workload('Deployment', { replicas: 15, strategy, template: podTemplate('nginx:2', slow) }))
    await server.settled()
    expect(await sets()).toEqual(['1: 11', '2: 7'])
    await server.clock.advance(1800 * second)
    expect(await sets()).toEqual(['1: 0', '2: 15'])
  })

  it('recreates: no new pod before the last old one is gone', async () => {
    const strategy = { type: 'Recreate' }
    const template = podTemplate('nginx:1', { stop: { takes: 20_000 } })
    await server.apply(workload('Deployment', { replicas: 2, strategy, template }))
    await server.settled()
    await server.apply(workload('Deployment', { replicas: 2, strategy, template: podTemplate('nginx:2') }))
    await server.settled()
    expect(await sets()).toEqual(['1: 0'])
    await server.clock.advance(30 * second)
    expect(await sets()).toEqual(['1: 0', '2: 2'])
  })

  it('tells when it makes no progress, and that it is paused', async () => {
    const template = podTemplate('nginx:1', slow)
    await server.apply(workload('Deployment', { replicas: 1, progressDeadlineSeconds: 60, template }))
    expect(conditionsOf(await settledStatus('deployments'))).toContain('Progressing=True ReplicaSetUpdated')
    await server.clock.advance(65 * second)
    const late = await settledStatus('deployments')
    expect(conditionsOf(late)).toEqual([
      'Available=False MinimumReplicasUnavailable',
      'Progressing=False ProgressDeadlineExceeded',
    ])
    const [timedOut] = late['conditions'].filter(({ type }: ApiObject) => type === 'Progressing')
    expect(timedOut.message).toMatch(/^ReplicaSet "web-\w+" has timed out progressing\.$/)
    await server.clock.advance(600 * second)
    expect(conditionsOf(await settledStatus('deployments'))).toContain('Progressing=True NewReplicaSetAvailable')
    await server.apply(workload('Deployment', { replicas: 1, paused: true, template: podTemplate('nginx:9') }))
    expect(conditionsOf(await settledStatus('deployments'))).toContain('Progressing=Unknown DeploymentPaused')
    expect(await sets()).toEqual(['1: 1'])
    await server.apply(workload('Deployment', { replicas: 1, paused: false, template: podTemplate('nginx:9') }))
    expect(conditionsOf(await settledStatus('deployments'))).toContain('Progressing=True NewReplicaSetAvailable')
    expect(await sets()).toEqual(['1: 0', '2: 1'])
  })
})

describe('StatefulSets', () => {
  const set = (spec: object): ApiObject => workload('StatefulSet', { serviceName: 'web', ...spec })
  const podNames = async (): Promise<string[]> =>
    (await server.list('pods', 'default')).map(({ metadata }) => metadata?.name ?? '')
  const images = async (): Promise<string[]> =>
    (await server.list('pods', 'default')).map(({ spec }) => spec.containers[0].image)
  const claims = [
    {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ]
  const claimNames = async (): Promise<string[]> =>
    (await server.list('persistentvolumeclaims', 'default')).map(({ metadata }) => metadata?.name ?? '')

  it('starts its pods one after the other, with names, revisions and labels', async () => {
    await server.apply(set({ replicas: 3, template: podTemplate('nginx:1', { ready: { after: 10_000 } }) }))
    await server.settled()
    expect(await podNames()).toEqual(['web-0'])
    await server.clock.advance(11 * second)
    expect(await podNames()).toEqual(['web-0', 'web-1'])
    await server.clock.advance(25 * second)
    const status = await settledStatus('statefulsets')
    expect(status).toMatchObject({ replicas: 3, readyReplicas: 3, currentReplicas: 3, updatedReplicas: 3 })
    expect(status).toMatchObject({ availableReplicas: 3, collisionCount: 0, observedGeneration: 1 })
    expect(status['currentRevision']).toBe(status['updateRevision'])
    const pod = await server.get('pods', 'web-1')
    expect(pod?.['spec']).toMatchObject({ hostname: 'web-1', subdomain: 'web' })
    expect(pod?.metadata?.labels).toMatchObject({
      'apps.kubernetes.io/pod-index': '1',
      'statefulset.kubernetes.io/pod-name': 'web-1',
      'controller-revision-hash': status['currentRevision'],
    })
    expect(await messages('StatefulSet', 'SuccessfulCreate')).toContain(
      'create Pod web-2 in StatefulSet web successful',
    )
  })

  it('scales down from the end, and begins at another ordinal', async () => {
    await server.apply(set({ replicas: 3, ordinals: { start: 5 } }))
    await server.settled()
    expect(await podNames()).toEqual(['web-5', 'web-6', 'web-7'])
    await server.apply(set({ replicas: 1, ordinals: { start: 5 } }))
    await server.settled()
    expect(await podNames()).toEqual(['web-5'])
  })

  it('starts all at once when asked to', async () => {
    const template = podTemplate('nginx:1', slow)
    await server.apply(set({ replicas: 3, podManagementPolicy: 'Parallel', template }))
    await server.settled()
    expect(await podNames()).toEqual(['web-0', 'web-1', 'web-2'])
  })

  it('updates from the end down to the partition, and keeps history', async () => {
    await server.apply(set({ replicas: 3 }))
    await server.settled()
    const updateStrategy = (partition: number) => ({ rollingUpdate: { partition } })
    const template = podTemplate('nginx:2')
    await server.apply(set({ replicas: 3, template, updateStrategy: updateStrategy(2) }))
    expect(await settledStatus('statefulsets')).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 })
    expect(await images()).toEqual(['nginx:1', 'nginx:1', 'nginx:2'])
    await server.call('DELETE', '/api/v1/namespaces/default/pods/web-0')
    await server.settled()
    expect(await images()).toEqual(['nginx:1', 'nginx:1', 'nginx:2'])
    await server.apply(set({ replicas: 3, template, updateStrategy: updateStrategy(0) }))
    const status = await settledStatus('statefulsets')
    expect(status).toMatchObject({ currentReplicas: 3, updatedReplicas: 3 })
    expect(await images()).toEqual(['nginx:2', 'nginx:2', 'nginx:2'])
    const revisions = await server.list('controllerrevisions', 'default')
    expect(revisions.map(({ revision }) => revision).sort()).toEqual([1, 2])
    expect(revisions.map(({ metadata }) => metadata?.name)).toContain(status['currentRevision'])
  })

  it('has claims that stay, or go when it is scaled down or deleted', async () => {
    const volumes = { volumeClaimTemplates: claims }
    await server.apply(set({ replicas: 2, ...volumes }))
    await server.settled()
    expect(await claimNames()).toEqual(['data-web-0', 'data-web-1'])
    expect((await server.get('pods', 'web-1'))?.['spec'].volumes).toContainEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'data-web-1' },
    })
    await server.apply(set({ replicas: 1, ...volumes }))
    await server.settled()
    expect(await claimNames()).toEqual(['data-web-0', 'data-web-1'])
    const persistentVolumeClaimRetentionPolicy = { whenScaled: 'Delete', whenDeleted: 'Delete' }
    await server.apply(set({ replicas: 2, ...volumes, persistentVolumeClaimRetentionPolicy }))
    await server.settled()
    await server.apply(set({ replicas: 1, ...volumes, persistentVolumeClaimRetentionPolicy }))
    await server.settled()
    expect(await claimNames()).toEqual(['data-web-0'])
    await server.call('DELETE', '/apis/apps/v1/namespaces/default/statefulsets/web')
    await server.settled()
    expect(await claimNames()).toEqual([])
  })
})

describe('DaemonSets', () => {
  const daemons = (spec: object = {}): ApiObject => workload('DaemonSet', spec)
  const nodes = async (): Promise<string[]> =>
    (await server.list('pods', 'default')).map(({ spec }) => spec.nodeName).sort()

  it('has a pod on every node, and on those that come later', async () => {
    await server.apply(daemons())
    expect(await settledStatus('daemonsets')).toEqual({
      currentNumberScheduled: 2,
      desiredNumberScheduled: 2,
      numberAvailable: 2,
      numberMisscheduled: 0,
      numberReady: 2,
      observedGeneration: 1,
      updatedNumberScheduled: 2,
    })
    const all = (await server.list('nodes')).map(({ metadata }) => metadata?.name ?? '').sort()
    expect(await nodes()).toEqual(all)
    await server.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'late' } })
    await server.clock.advance(second)
    expect(await settledStatus('daemonsets')).toMatchObject({ desiredNumberScheduled: 3 })
    const headers = { 'content-type': 'application/merge-patch+json' }
    const taint = { spec: { taints: [{ key: 'own', effect: 'NoExecute' }] } }
    await server.call('PATCH', `/api/v1/nodes/${all[0]}`, taint, { headers })
    await server.clock.advance(60 * second)
    expect(await settledStatus('daemonsets')).toMatchObject({ desiredNumberScheduled: 2, numberMisscheduled: 0 })
    expect(await nodes()).not.toContain(all[0])
  })

  it('updates node by node, or with a pod more at a time, or when its pods are deleted', async () => {
    const images = async (): Promise<string[]> =>
      (await server.list('pods', 'default')).map(({ spec }) => spec.containers[0].image).sort()
    await server.apply(daemons())
    await server.settled()
    await server.apply(daemons({ template: podTemplate('nginx:2', { ready: { after: 5000 } }) }))
    await server.settled()
    expect(await images()).toEqual(['nginx:1', 'nginx:2'])
    await server.clock.advance(20 * second)
    expect(await images()).toEqual(['nginx:2', 'nginx:2'])
    const updateStrategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
    await server.apply(daemons({ updateStrategy, template: podTemplate('nginx:3', { ready: { after: 5000 } }) }))
    await server.settled()
    expect(await images()).toEqual(['nginx:2', 'nginx:2', 'nginx:3'])
    await server.clock.advance(20 * second)
    expect(await images()).toEqual(['nginx:3', 'nginx:3'])
    await server.apply(
      daemons({ updateStrategy: { type: 'OnDelete', rollingUpdate: null }, template: podTemplate('nginx:4') }),
    )
    await server.settled()
    expect(await images()).toEqual(['nginx:3', 'nginx:3'])
    const [pod] = await server.list('pods', 'default')
    await server.call('DELETE', `/api/v1/namespaces/default/pods/${pod?.metadata?.name}`)
    await server.settled()
    expect(await images()).toEqual(['nginx:3', 'nginx:4'])
    expect((await server.list('controllerrevisions', 'default')).map(({ revision }) => revision).sort()).toEqual([
      1, 2, 3, 4,
    ])
  })
})
