/** The service `kubernetes` in `default`, by which pods reach this server, with what is behind it. */
import { cidrSize, firstIp, formatIp, nextIp, parseCidr, parseIp } from '../../api/ip.ts'
import { equalJson, type JsonObject } from '../../api/json.ts'
import type { WantedObject } from './ensure-objects.ts'

export interface ServerEndpoint {
  /** The service address ranges, the first for the service itself. */
  readonly serviceRanges: readonly string[]
  /** How others reach this server. */
  readonly address: string
  readonly port: number
  /** Other servers share the store, and are behind the same service. */
  readonly shared: boolean
}

/** The default ServiceCIDR: what the service's address comes from. */
export function defaultServiceCidr({ serviceRanges }: ServerEndpoint, now: string): WantedObject {
  const ready = {
    type: 'Ready',
    status: 'True',
    lastTransitionTime: now,
    reason: '',
    message: 'Kubernetes default Service CIDR is ready',
  }
  return {
    group: 'networking.k8s.io',
    resource: 'servicecidrs',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'ServiceCIDR',
      metadata: { name: 'kubernetes' },
      spec: { cidrs: [...serviceRanges] },
    },
    status: { conditions: [ready] },
  }
}

export function kubernetesService(endpoint: ServerEndpoint): WantedObject {
  const ip = serviceIp(endpoint)
  const family = familyOf(ip)
  const ports = [{ name: 'https', protocol: 'TCP', port: 443, targetPort: endpoint.port }]
  return {
    group: '',
    resource: 'services',
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name: 'kubernetes',
        namespace: 'default',
        labels: { component: 'apiserver', provider: 'kubernetes' },
      },
      spec: {
        ports,
        clusterIP: ip,
        clusterIPs: [ip],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ipFamilies: [family],
        ipFamilyPolicy: 'SingleStack',
      },
    },
    reconcile(existing) {
      const spec = existing['spec'] as JsonObject
      return equalJson(spec['ports'], ports) ? undefined : { ...existing, spec: { ...spec, ports } }
    },
  }
}

/** The address of the service, marked as taken. The allocator of addresses makes it, too: whoever comes first. */
export function kubernetesAddress(endpoint: ServerEndpoint): WantedObject {
  const name = serviceIp(endpoint)
  return {
    group: 'networking.k8s.io',
    resource: 'ipaddresses',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IPAddress',
      metadata: {
        name,
        labels: {
          'ipaddress.kubernetes.io/ip-family': familyOf(name),
          'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
        },
      },
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'kubernetes' } },
    },
  }
}

export function kubernetesEndpoints({ address, port, shared }: ServerEndpoint): WantedObject[] {
  const subsets = (addresses: readonly string[]) => [
    { addresses: addresses.map((ip) => ({ ip })), ports: [{ name: 'https', port, protocol: 'TCP' }] },
  ]
  const slice = (addresses: readonly string[]) =>
    addresses.map((ip) => ({ addresses: [ip], conditions: { ready: true } }))
  const slicePorts = [{ name: 'https', protocol: 'TCP', port }]
  return [
    {
      group: '',
      resource: 'endpoints',
      object: {
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: {
          name: 'kubernetes',
          namespace: 'default',
          labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' },
        },
        subsets: subsets([address]),
      },
      reconcile(existing) {
        const known = ((existing['subsets'] as JsonObject[] | undefined)?.[0]?.['addresses'] ?? []) as JsonObject[]
        const wanted = subsets(
          together(
            known.map(({ ip }) => String(ip)),
            address,
            shared,
          ),
        )
        return equalJson(existing['subsets'], wanted) ? undefined : { ...existing, subsets: wanted }
      },
    },
    {
      group: 'discovery.k8s.io',
      resource: 'endpointslices',
      object: {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: {
          name: 'kubernetes',
          namespace: 'default',
          labels: { 'kubernetes.io/service-name': 'kubernetes' },
        },
        addressType: familyOf(address),
        endpoints: slice([address]),
        ports: slicePorts,
      },
      mustReplace: (existing) => existing['addressType'] !== familyOf(address),
      reconcile(existing) {
        const known = ((existing['endpoints'] ?? []) as JsonObject[]).flatMap((each) => each['addresses'] as string[])
        const endpoints = slice(together(known, address, shared))
        if (equalJson(existing['endpoints'], endpoints) && equalJson(existing['ports'], slicePorts)) return undefined
        return { ...existing, endpoints, ports: slicePorts }
      },
    },
  ]
}

/** A server that is alone is the only endpoint; one of several is one of them. */
function together(known: readonly string[], own: string, shared: boolean): string[] {
  return shared ? [...new Set([...known, own])].sort() : [own]
}

function serviceIp({ serviceRanges }: ServerEndpoint): string {
  const range = parseCidr(serviceRanges[0] ?? '')
  const first = range === undefined || cidrSize(range) < 2n ? undefined : nextIp(firstIp(range))
  if (first === undefined) throw new Error(`the service range ${serviceRanges[0]} has no room for a service`)
  return formatIp(first)
}

const familyOf = (ip: string): string => parseIp(ip)?.family ?? 'IPv4'
