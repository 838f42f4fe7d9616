/** The role that lets a user see what the console shows beyond the resource API. Made where there is a console; bound by the administrator. */
import { reconciledPolicy } from '../../auth/rbac/bootstrap-policy.ts'
import type { WantedObject } from './ensure-objects.ts'

export const consoleRole: WantedObject = {
  group: 'rbac.authorization.k8s.io',
  resource: 'clusterroles',
  object: {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: 'pilothouse:console',
      annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    },
    rules: [{ nonResourceURLs: ['/console/v1', '/console/v1/*'], verbs: ['get', 'post', 'delete'] }],
  },
  reconcile: reconciledPolicy,
}
