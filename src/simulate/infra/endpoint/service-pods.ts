/**
 * What makes a pod an endpoint of a service. Shared by the controllers of Endpoints and of EndpointSlices.
 * Mirrors k8s.io/endpointslice/util: ShouldPodBeInEndpoints, ShouldSetHostname, GetServicesToUpdateOnPodChange.
 */

import { formatIp, parseIp } from '../../../api/ip.ts'
import { equalSemantic } from '../../../api/json.ts'
import type { PodCondition, ServicePort } from '../../../catalog/types/core-v1.ts'
import { keyOf } from '../../framework/reconciler.ts'
import type { Pod, Service } from '../../objects.ts'

export const headlessLabel = 'service.kubernetes.io/headless'
export const triggerTimeAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time'

export const hasClusterIp = ({ spec }: Service): boolean =>
  spec?.clusterIP !== undefined && spec.clusterIP !== '' && spec.clusterIP !== 'None'

/** Whether the service's endpoints are made from pods: the others get theirs from elsewhere. */
export const selectsPods = ({ spec }: Service): boolean => spec?.type !== 'ExternalName' && spec?.selector !== undefined

export function readyCondition({ status }: Pod): PodCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')
}

export const isPodReady = (pod: Pod): boolean => readyCondition(pod)?.status === 'True'

export function shouldBeEndpoint({ metadata, status }: Pod, includeTerminating: boolean): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return false
  if (!status?.podIP && !status?.podIPs?.length) return false
  return includeTerminating || metadata.deletionTimestamp === undefined
}

/** The name that the service's DNS has for the pod alone. */
export function endpointHostname({ metadata, spec }: Pod, service: Service): string | undefined {
  const belongs = spec?.subdomain === service.metadata.name && metadata.namespace === service.metadata.namespace
  return belongs && spec?.hostname ? spec.hostname : undefined
}

/** The pod's addresses of one family, in canonical form. */
export function podAddresses({ status }: Pod, family: string): string[] {
  return (status?.podIPs ?? []).flatMap(({ ip }) => {
    const address = parseIp(ip ?? '')
    return address?.family === family ? [formatIp(address)] : []
  })
}

/** The number behind the service's target port; undefined when the pod has no such port. */
export function findPort({ spec }: Pod, { targetPort, protocol }: ServicePort): number | undefined {
  if (typeof targetPort === 'number') return targetPort
  if (targetPort === undefined) return undefined
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  for (const { ports } of [...(spec?.containers ?? []), ...sidecars]) {
    const found = ports?.find((port) => port.name === targetPort && port.protocol === protocol)
    if (found !== undefined) return found.containerPort
  }
  return undefined
}

export function matchesSelector(selector: Readonly<Record<string, string>> | undefined, { metadata }: Pod): boolean {
  if (selector === undefined) return false
  const labels = metadata.labels ?? {}
  return Object.entries(selector).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)
}

/** A change of a pod; its earlier state is parsed when it is asked for. */
export interface PodChange {
  readonly object: Pod
  readonly old: Pod | undefined
}

/** The services of the pod's namespace that a change of the pod may matter to. */
export function affectedServices(services: readonly Service[], change: PodChange): string[] {
  const selecting = services.filter(({ spec }) => spec?.selector !== undefined)
  if (selecting.length === 0) return []
  const { object: pod, old } = change
  const member = (which: Pod) => selecting.filter(({ spec }) => matchesSelector(spec?.selector, which)).map(keyOf)
  if (old === undefined) return member(pod)
  const podChanged = endpointChanged(old, pod)
  const labelsChanged =
    !equalSemantic(old.metadata.labels, pod.metadata.labels) ||
    old.spec?.hostname !== pod.spec?.hostname ||
    old.spec?.subdomain !== pod.spec?.subdomain
  if (!podChanged && !labelsChanged) return []
  const now = member(pod)
  if (!labelsChanged) return now
  const before = member(old)
  if (podChanged) return [...new Set([...now, ...before])]
  return [...now.filter((key) => !before.includes(key)), ...before.filter((key) => !now.includes(key))]
}

function endpointChanged(old: Pod, pod: Pod): boolean {
  if (old.metadata.deletionTimestamp !== pod.metadata.deletionTimestamp) return true
  if (isPodReady(old) !== isPodReady(pod)) return true
  // Not in the reference, whose kubelet always changes the Ready condition with the phase.
  if (shouldBeEndpoint(old, true) !== shouldBeEndpoint(pod, true)) return true
  return !equalSemantic(old.status?.podIPs, pod.status?.podIPs) || old.spec?.nodeName !== pod.spec?.nodeName
}
