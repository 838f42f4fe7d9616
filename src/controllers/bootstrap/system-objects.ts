/** The namespaces and priority classes that every cluster has, and what extension servers must know. */
import type { WantedObject } from './ensure-objects.ts'

const namespaces = ['kube-system', 'kube-public', 'kube-node-lease', 'default']

export function systemNamespaces(): WantedObject[] {
  return namespaces.map((name) => ({
    group: '',
    resource: 'namespaces',
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
  }))
}

const priorityClasses = [
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
]

export function systemPriorityClasses(): WantedObject[] {
  return priorityClasses.map(({ name, value, description }) => ({
    group: 'scheduling.k8s.io',
    resource: 'priorityclasses',
    object: { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value, description },
  }))
}

export interface AuthenticationFacts {
  readonly clientCa?: string
  readonly requestHeader?: {
    readonly clientCa: string
    readonly allowedNames: readonly string[]
    readonly usernameHeaders: readonly string[]
    readonly uidHeaders: readonly string[]
    readonly groupHeaders: readonly string[]
    readonly extraHeaderPrefixes: readonly string[]
  }
}

/** What extension servers need to know to trust the same callers. Absent when no CA was given. */
export function authenticationFacts({ clientCa, requestHeader }: AuthenticationFacts): WantedObject[] {
  const data: Record<string, string> = {}
  if (clientCa !== undefined) data['client-ca-file'] = clientCa
  if (requestHeader !== undefined) {
    data['requestheader-allowed-names'] = JSON.stringify(requestHeader.allowedNames)
    data['requestheader-client-ca-file'] = requestHeader.clientCa
    data['requestheader-extra-headers-prefix'] = JSON.stringify(requestHeader.extraHeaderPrefixes)
    data['requestheader-group-headers'] = JSON.stringify(requestHeader.groupHeaders)
    data['requestheader-uid-headers'] = JSON.stringify(requestHeader.uidHeaders)
    data['requestheader-username-headers'] = JSON.stringify(requestHeader.usernameHeaders)
  }
  if (Object.keys(data).length === 0) return []
  const metadata = { name: 'extension-apiserver-authentication', namespace: 'kube-system' }
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }
  return [
    {
      group: '',
      resource: 'configmaps',
      object,
      reconcile(existing) {
        const known = existing['data'] as Record<string, string> | undefined
        const isSame = Object.entries(data).every(([key, value]) => known?.[key] === value)
        return isSame ? undefined : { ...existing, data: { ...known, ...data } }
      },
    },
  ]
}
