/** The service `kubernetes` in `default`, by which pods reach this server, with what is behind it. */
import { cidrSize, firstIp, formatIp, nextIp, parseCidr, parseIp } from '../../api/ip.ts'
import { equalJson, type JsonObject, type JsonValue } from '../../api/json.ts'
import type { WantedObject } from './ensure-objects.ts'

export interface ServerEndpoint {
  /** The service address ranges, the first for the service itself. */
  readonly serviceRanges: readonly string[]
  readonly port: number
}

/** The default ServiceCIDR: what the service's address comes from. */
export function defaultServiceCidr({ serviceRanges }: ServerEndpoint, now: string): WantedObject {
  const ready = {
    type: 'Ready',
    status: 'True',
    lastTransitionTime: now,
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
    status: { fieldManager: 'kubernetes-service-cidr-controller', value: { conditions: [ready] } },
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

/** The address of the service, marked as taken. The allocator of addresses makes it, too: the first one wins. */
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

export interface EndpointsWanted {
  /** The address of this server: the only one when the objects are made. */
  readonly address: string
  readonly port: number
  /** The addresses that there should be, from those that there are. */
  addresses(known: readonly string[]): readonly string[]
  /** Leave the ports of objects that are there already. */
  readonly keepPorts: boolean
}

export function kubernetesEndpoints({ address, port, addresses, keepPorts }: EndpointsWanted): WantedObject[] {
  const ownPorts = [{ name: 'https', port, protocol: 'TCP' }]
  const subsets = (all: readonly string[], ports: JsonValue = ownPorts) => [
    { addresses: all.map((ip) => ({ ip })), ports },
  ]
  const slice = (all: readonly string[]) => all.map((ip) => ({ addresses: [ip], conditions: { ready: true } }))
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
        subsets: subsets(addresses([address])),
      },
      reconcile(existing) {
        const [first] = (existing['subsets'] ?? []) as JsonObject[]
        const known = ((first?.['addresses'] ?? []) as JsonObject[]).map(({ ip }) => String(ip))
        const wanted = subsets(addresses(known), keepPorts ? first?.['ports'] : undefined)
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
        endpoints: slice(addresses([address])),
        ports: slicePorts,
      },
      mustReplace: (existing) => existing['addressType'] !== familyOf(address),
      reconcile(existing) {
        const known = ((existing['endpoints'] ?? []) as JsonObject[]).flatMap((each) => each['addresses'] as string[])
        const endpoints = slice(addresses(known))
        const ports = keepPorts ? (existing['ports'] ?? slicePorts) : slicePorts
        if (equalJson(existing['endpoints'], endpoints) && equalJson(existing['ports'], ports)) return undefined
        return { ...existing, endpoints, ports }
      },
    },
  ]
}

function serviceIp({ serviceRanges }: ServerEndpoint): string {
  const range = parseCidr(serviceRanges[0] ?? '')
  const first = range === undefined || cidrSize(range) < 2n ? undefined : nextIp(firstIp(range))
  if (first === undefined) throw new Error(`the service range ${serviceRanges[0]} has no room for a service`)
  return formatIp(first)
}

const familyOf = (ip: string): string => parseIp(ip)?.family ?? 'IPv4'
