/** What the fields of a service say about it. */
import { parseIp } from '../../../../api/ip.ts'
import type { KubeObject } from '../../../../api/object.ts'
import type { ServicePort, ServiceSpec, ServiceStatus } from '../../../../catalog/types/core-v1.ts'

export type ServiceObject = KubeObject & { spec: ServiceSpec; status?: ServiceStatus }

/** The cluster IP of a service without one. */
export const headless = 'None'

export const isHeadless = ({ clusterIPs = [] }: ServiceSpec): boolean =>
  clusterIPs.length === 1 && clusterIPs[0] === headless

export const needsClusterIp = ({ type }: ServiceSpec): boolean => type !== 'ExternalName'

export const hasNodePorts = ({ type }: ServiceSpec): boolean => type === 'NodePort' || type === 'LoadBalancer'

/** Whether ports without a node port get one. */
export const allocatesNodePorts = ({ type, allocateLoadBalancerNodePorts = true }: ServiceSpec): boolean =>
  type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts)

export const isExternallyAccessible = (spec: ServiceSpec): boolean =>
  hasNodePorts(spec) || (spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0)

export const needsHealthCheck = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === 'LoadBalancer' && externalTrafficPolicy === 'Local'

export const nodePortsOf = ({ ports = [] }: ServiceSpec): number[] =>
  ports.flatMap(({ nodePort = 0 }) => (nodePort === 0 ? [] : [nodePort]))

export const sameTexts = (a: readonly string[] = [], b: readonly string[] = []): boolean =>
  a.length === b.length && a.every((text, i) => text === b[i])

export const familyOf = (ip: string): string => parseIp(ip)?.family ?? ''

export const otherFamily = (family: string): string => (family === 'IPv4' ? 'IPv6' : 'IPv4')

/** The cluster IPs that belong to the service: none for headless and external ones. */
export function ownAddresses(spec: ServiceSpec): string[] {
  const { clusterIPs = [] } = spec
  return needsClusterIp(spec) && clusterIPs[0] !== headless ? clusterIPs : []
}

/** All node ports that belong to the service, that of its health check included. */
export function ownPorts(spec: ServiceSpec): number[] {
  const { healthCheckNodePort = 0 } = spec
  return [...nodePortsOf(spec), ...(needsHealthCheck(spec) && healthCheckNodePort > 0 ? [healthCheckNodePort] : [])]
}

/** A new spec: drafts share their parts with stored objects, so none of them is changed in place. */
export function changeSpec(
  service: ServiceObject,
  changes: { [K in keyof ServiceSpec]?: ServiceSpec[K] | undefined },
): void {
  const spec: Record<string, unknown> = { ...service.spec, ...changes }
  for (const key of Object.keys(changes)) if (spec[key] === undefined) delete spec[key]
  service.spec = spec as ServiceObject['spec']
}

export function withoutNodePort(port: ServicePort): ServicePort {
  const { nodePort: _, ...rest } = port
  return rest
}
