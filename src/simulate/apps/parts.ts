/** The workload controllers. One line a controller. */
import type { Part } from '../framework/part.ts'

export const appsParts: readonly Part[] = [
  { name: 'deployment-controller', load: async () => (await import('./deployment/deployment.ts')).deployment },
  { name: 'replicaset-controller', load: async () => (await import('./replicaset/replicaset.ts')).replicaSet },
  {
    name: 'replicationcontroller-controller',
    load: async () => (await import('./replicaset/replicaset.ts')).replicationController,
  },
]
