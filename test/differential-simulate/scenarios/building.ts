/** Manifests that scenarios are made of. */
import type { JsonMap } from '../../differential/json.ts'
import type { Wait } from '../scenario.ts'

export const labels = { app: 'web' }
const selector = { matchLabels: labels }

export const object = (apiVersion: string, kind: string, name: string, rest: JsonMap = {}): JsonMap => {
  const { metadata, ...members } = rest
  return { apiVersion, kind, metadata: { name, ...(metadata as JsonMap) }, ...members }
}

export const container = (more: JsonMap = {}): JsonMap => ({ name: 'main', image: 'nginx:1', ...more })

export const template = (spec: JsonMap = {}, metadata: JsonMap = {}): JsonMap => ({
  metadata: { labels, ...metadata },
  spec: { containers: [container()], terminationGracePeriodSeconds: 1, ...spec },
})

/** A workload of pods with the label `app=web`. */
const workload =
  (kind: string) =>
  (name: string, spec: JsonMap): JsonMap =>
    object('apps/v1', kind, name, { spec: { selector, template: template(), ...spec } })

export const deployment = workload('Deployment')
export const replicaSet = workload('ReplicaSet')
export const statefulSet = (name: string, spec: JsonMap): JsonMap =>
  workload('StatefulSet')(name, { serviceName: name, ...spec })
export const daemonSet = workload('DaemonSet')

export const replicationController = (name: string, spec: JsonMap): JsonMap =>
  object('v1', 'ReplicationController', name, { spec: { selector: labels, template: template(), ...spec } })

export const pod = (name: string, spec: JsonMap = {}, metadata: JsonMap = { labels }): JsonMap =>
  object('v1', 'Pod', name, {
    metadata,
    spec: { containers: [container()], terminationGracePeriodSeconds: 1, ...spec },
  })

/** The container does what a shell makes of the command. */
export const jobTemplate = (command: string, spec: JsonMap = {}, metadata: JsonMap = {}): JsonMap => ({
  metadata,
  spec: {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 1,
    containers: [container({ image: 'busybox', command: ['sh', '-c', command] })],
    ...spec,
  },
})

export const job = (name: string, spec: JsonMap): JsonMap =>
  object('batch/v1', 'Job', name, { spec: { template: jobTemplate('exit 0'), ...spec } })

export const service = (name: string, spec: JsonMap): JsonMap => object('v1', 'Service', name, { spec })

/** What a pod of a scripted container does, as the simulation's kubelets read it. */
export const scripted = (script: JsonMap): JsonMap => ({
  annotations: { 'simulate.pilothouse.dev/script': JSON.stringify(script) },
})

export const rolledOut = (name: string, replicas: number, generation: number): Wait => ({
  until: `apps/v1/deployments/${name}`,
  has: {
    status: { observedGeneration: generation, replicas, updatedReplicas: replicas, availableReplicas: replicas },
  },
})

export const hasStatus = (until: string, status: JsonMap): Wait => ({ until, has: { status } })

export const hasCondition = (until: string, type: string, status = 'True'): Wait => ({
  until,
  has: { status: { conditions: [{ type, status }] } },
})

/** An event tells of something once it has this reason. */
export const told = (reason: string, has: JsonMap = {}): Wait => ({
  until: 'v1/events',
  atLeast: 1,
  has: { reason, ...has },
})
