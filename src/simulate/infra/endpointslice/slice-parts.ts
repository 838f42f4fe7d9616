/**
 * Endpoints, ports and labels of slices as the service and its pods want them.
 * Mirrors k8s.io/endpointslice: podToEndpoint, getEndpointPorts, newEndpointSlice, setEndpointSliceLabels.
 */

import { parseIp } from '../../../api/ip.ts'
import { equalSemantic } from '../../../api/json.ts'
import { checkSubdomainName } from '../../../api/names.ts'
import type { Endpoint, EndpointPort } from '../../../catalog/types/discovery-v1.ts'
import type { EndpointSlice, Node, Pod, Service } from '../../objects.ts'
import { dumpPointer, dumpStruct, goSlice, sortedByHash } from '../common/go-dump.ts'
import {
  endpointHostname,
  findPort,
  hasClusterIp,
  headlessLabel,
  isPodReady,
  podAddresses,
} from '../endpoint/service-pods.ts'

export const serviceNameLabel = 'kubernetes.io/service-name'
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by'
export const controllerValue = 'endpointslice-controller.k8s.io'
const zoneLabel = 'topology.kubernetes.io/zone'
const reservedLabels = [serviceNameLabel, managedByLabel, headlessLabel]

export type AddressType = 'IPv4' | 'IPv6'

export function endpointOfPod(pod: Pod, node: Node | undefined, service: Service, addressType: AddressType): Endpoint {
  const serving = isPodReady(pod)
  const terminating = pod.metadata.deletionTimestamp !== undefined
  const hostname = endpointHostname(pod, service)
  const zone = node?.metadata.labels?.[zoneLabel]
  const { namespace, name, uid } = pod.metadata
  return {
    addresses: podAddresses(pod, addressType).sort(),
    conditions: {
      ready: service.spec?.publishNotReadyAddresses === true || (serving && !terminating),
      serving,
      terminating,
    },
    targetRef: { kind: 'Pod', namespace: namespace ?? '', name: name ?? '', uid: uid ?? '' },
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    ...(zone ? { zone } : {}),
    ...(hostname === undefined ? {} : { hostname }),
  }
}

/** In the reference's order, which is that of their hashes. */
export function endpointPorts(service: Service, pod: Pod): EndpointPort[] {
  const ports = (service.spec?.ports ?? []).flatMap((port) => {
    const number = findPort(pod, port)
    if (number === undefined) return []
    const { name = '', protocol = 'TCP', appProtocol } = port
    return [{ name, port: number, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }]
  })
  return sortedPorts(ports)
}

export const sortedPorts = (ports: readonly EndpointPort[]): EndpointPort[] => sortedByHash(ports, dumpPort)

const dumpPort = ({ name, protocol, port, appProtocol }: EndpointPort): string =>
  dumpStruct('v1.EndpointPort', [
    ['Name', dumpPointer('string', name)],
    ['Protocol', dumpPointer('v1.Protocol', protocol)],
    ['Port', dumpPointer('int32', port)],
    ['AppProtocol', dumpPointer('string', appProtocol)],
  ])

/** Slices of one service with the same ports are filled together. */
export const portsKey = (ports: readonly EndpointPort[] | null): string =>
  goSlice('v1.EndpointPort', sortedByHash(ports ?? [], dumpPort).map(dumpPort))

/** Names an endpoint: what differs beyond this is a change of it. Mirrors hashEndpoint. */
export const endpointKey = ({ addresses, hostname, targetRef }: Endpoint): string =>
  JSON.stringify([addresses?.toSorted(), hostname ?? '', targetRef?.namespace ?? '', targetRef?.name ?? ''])

export function sameEndpoint(a: Endpoint, b: Endpoint): boolean {
  const { resourceVersion: _a, ...aRef } = a.targetRef ?? {}
  const { resourceVersion: _b, ...bRef } = b.targetRef ?? {}
  return (
    a.nodeName === b.nodeName &&
    a.zone === b.zone &&
    equalSemantic(a.conditions, b.conditions) &&
    equalSemantic(aRef, bRef)
  )
}

export function addressTypes({ spec }: Service): AddressType[] {
  const families = (spec?.ipFamilies ?? []).filter((family) => family === 'IPv4' || family === 'IPv6')
  if (families.length > 0) return [...new Set(families)]
  const address = parseIp(spec?.clusterIP ?? '')
  return address === undefined ? ['IPv4', 'IPv6'] : [address.family]
}

export function newSlice(service: Service, addressType: AddressType, ports: EndpointPort[]): EndpointSlice {
  const { namespace = '', name = '', uid = '' } = service.metadata
  const prefix = `${name}-`
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: checkSubdomainName(prefix, true).length === 0 ? prefix : name,
      namespace,
      labels: sliceLabels(service),
      ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name, uid, controller: true, blockOwnerDeletion: true }],
    },
    addressType,
    endpoints: [],
    ports,
  }
}

export function sliceLabels(service: Service): Record<string, string> {
  return {
    ...withoutReserved(service.metadata.labels),
    ...(hasClusterIp(service) ? {} : { [headlessLabel]: '' }),
    [serviceNameLabel]: service.metadata.name ?? '',
    [managedByLabel]: controllerValue,
  }
}

/** Whether a slice has other labels than its service, the reserved ones apart. */
export const labelsDiffer = (slice: EndpointSlice, service: Service): boolean =>
  !equalSemantic(withoutReserved(slice.metadata.labels), withoutReserved(service.metadata.labels))

function withoutReserved(labels: Readonly<Record<string, string>> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(labels ?? {}).filter(([key]) => !reservedLabels.includes(key)))
}

export const isSliceOwnedBy = (slice: EndpointSlice, { metadata }: Service): boolean =>
  (slice.metadata.ownerReferences ?? []).some(
    ({ uid, kind, apiVersion }) => uid === metadata.uid && kind === 'Service' && apiVersion === 'v1',
  )
