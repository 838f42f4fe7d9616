/** The workload controllers. One line a controller. */
import type { ControllerDescriptor } from '../framework/controller-descriptor.ts'

export const appsControllers: readonly ControllerDescriptor[] = [
  { name: 'cronjob-controller', load: async () => (await import('./cronjob/cronjob.ts')).cronJob },
  { name: 'daemonset-controller', load: async () => (await import('./daemonset/daemonset.ts')).daemonSet },
  { name: 'deployment-controller', load: async () => (await import('./deployment/deployment.ts')).deployment },
  { name: 'job-controller', load: async () => (await import('./job/job.ts')).job },
  { name: 'replicaset-controller', load: async () => (await import('./replicaset/replicaset.ts')).replicaSet },
  {
    name: 'replicationcontroller-controller',
    load: async () => (await import('./replicaset/replicaset.ts')).replicationController,
  },
  { name: 'statefulset-controller', load: async () => (await import('./statefulset/statefulset.ts')).statefulSet },
  {
    name: 'ttl-after-finished-controller',
    load: async () => (await import('./ttl-after-finished/ttl-after-finished.ts')).ttlAfterFinished,
  },
  {
    name: 'pod-garbage-collector-controller',
    load: async () => (await import('./pod-garbage-collector/pod-garbage-collector.ts')).podGarbageCollector,
  },
]
