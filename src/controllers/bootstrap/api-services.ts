/** The APIService objects of the groups that this server serves itself. */
import { formatGroupVersion, type GroupVersion } from '../../api/group-version.ts'
import { equalJson } from '../../api/json.ts'
import type { WantedObject } from './ensure-objects.ts'

const automanagedLabel = 'kube-aggregator.kubernetes.io/automanaged'

/** How early groups come in discovery: the highest first. */
const groupPriorities: Readonly<Record<string, number>> = {
  '': 18000,
  apps: 17800,
  'events.k8s.io': 17750,
  'authentication.k8s.io': 17700,
  'authorization.k8s.io': 17600,
  autoscaling: 17500,
  batch: 17400,
  'certificates.k8s.io': 17300,
  'networking.k8s.io': 17200,
  policy: 17100,
  'rbac.authorization.k8s.io': 17000,
  'storage.k8s.io': 16800,
  'apiextensions.k8s.io': 16700,
  'admissionregistration.k8s.io': 16700,
  'scheduling.k8s.io': 16600,
  'coordination.k8s.io': 16500,
  'node.k8s.io': 16300,
  'discovery.k8s.io': 16200,
  'resource.k8s.io': 16200,
  'flowcontrol.apiserver.k8s.io': 16100,
  'internal.apiserver.k8s.io': 16000,
  'storagemigration.k8s.io': 16000,
}

/** Versions whose place is not that of their stage. */
const versionPriorities: Readonly<Record<string, number>> = {
  v1: 1,
  'autoscaling/v2': 30,
  'flowcontrol.apiserver.k8s.io/v1': 21,
}

/** A group version with the places that an earlier release gave it, and its group. */
export interface LocalVersion extends GroupVersion {
  readonly priority?: readonly [group: number, version: number]
}

export function localApiServices(served: readonly LocalVersion[]): WantedObject[] {
  return served.filter(({ group }) => group !== 'apiregistration.k8s.io').map(localApiService)
}

function localApiService({ group, version, priority }: LocalVersion): WantedObject {
  const spec = {
    ...(group === '' ? {} : { group }),
    version,
    groupPriorityMinimum: priority?.[0] ?? groupPriorities[group] ?? 1000,
    versionPriority:
      priority?.[1] ?? versionPriorities[formatGroupVersion({ group, version })] ?? stagePriority(version),
  }
  const object = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}`, labels: { [automanagedLabel]: 'onstart' } },
    spec,
  }
  return {
    group: 'apiregistration.k8s.io',
    resource: 'apiservices',
    object,
    reconcile: (existing) => {
      const labels = { ...existing.metadata.labels, [automanagedLabel]: 'onstart' }
      if (equalJson(existing['spec'], spec) && equalJson(existing.metadata.labels, labels)) return undefined
      return { ...existing, metadata: { ...existing.metadata, labels }, spec }
    },
  }
}

function stagePriority(version: string): number {
  if (version.includes('alpha')) return 9
  return version.includes('beta') ? 12 : 15
}
