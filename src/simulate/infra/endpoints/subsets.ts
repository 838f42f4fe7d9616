/**
 * The subsets of a service's Endpoints: each set of ports with the addresses that serve all of them.
 * Mirrors pkg/controller/endpoint: Controller.syncService, truncateEndpoints and pkg/api/v1/endpoints: RepackSubsets.
 */
import { parseIp } from '../../../api/ip.ts'
import type { EndpointAddress, EndpointPort, EndpointSubset } from '../../../catalog/types/core-v1.ts'
import type { Pod, Service } from '../../objects.ts'
import { dumpPointer, dumpStruct, goScalar, goSlice, goStructPointer, sortedByHash } from '../common/go-dump.ts'
import { endpointHostname, findPort, isPodReady, podAddresses, shouldBeEndpoint } from '../endpoint/service-pods.ts'

export const maxAddresses = 1000

interface ReadyAddress {
  readonly address: EndpointAddress
  ready: boolean
}

/** Addresses of one port, by address and pod. */
type AddressSet = Map<string, ReadyAddress>

export function subsetsOf(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const publishAll = service.spec?.publishNotReadyAddresses === true
  const byPort = new Map<string, { readonly port: EndpointPort | undefined; readonly addresses: AddressSet }>()
  const add = (port: EndpointPort | undefined, address: EndpointAddress, ready: boolean) => {
    const key = port === undefined ? '' : `${port.port} ${port.protocol ?? ''} ${port.name ?? ''}`
    const entry = byPort.get(key) ?? { port, addresses: new Map<string, ReadyAddress>() }
    byPort.set(key, entry)
    const id = `${address.ip}/${address.targetRef?.uid ?? ''}`
    const known = entry.addresses.get(id)
    if (known === undefined) entry.addresses.set(id, { address, ready })
    else known.ready = known.ready && ready
  }
  for (const pod of pods) {
    if (!shouldBeEndpoint(pod, publishAll)) continue
    const address = endpointAddress(service, pod)
    if (address === undefined) continue
    for (const port of portsOf(service, pod)) add(port, address, publishAll || isPodReady(pod))
  }
  return repacked([...byPort.values()])
}

/** A headless service may have no ports: its addresses stand alone. */
function portsOf({ spec }: Service, pod: Pod): (EndpointPort | undefined)[] {
  if (!spec?.ports?.length) return spec?.clusterIP === 'None' ? [undefined] : []
  return spec.ports.flatMap((servicePort) => {
    const port = findPort(pod, servicePort)
    if (port === undefined) return []
    const { name, protocol, appProtocol } = servicePort
    return [
      {
        ...(name ? { name } : {}),
        port,
        ...(protocol === undefined ? {} : { protocol }),
        ...(appProtocol === undefined ? {} : { appProtocol }),
      },
    ]
  })
}

function endpointAddress(service: Service, pod: Pod): EndpointAddress | undefined {
  const [ip] = podAddresses(pod, primaryFamily(service, pod))
  if (ip === undefined) return undefined
  const hostname = endpointHostname(pod, service)
  const { namespace = '', name = '', uid = '' } = pod.metadata
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...(pod.spec?.nodeName === undefined ? {} : { nodeName: pod.spec.nodeName }),
    targetRef: { kind: 'Pod', namespace, name, uid },
  }
}

function primaryFamily({ spec }: Service, { status }: Pod): string {
  const [first] = spec?.ipFamilies ?? []
  return first ?? parseIp(spec?.clusterIP ?? '')?.family ?? parseIp(status?.podIP ?? '')?.family ?? 'IPv4'
}

function repacked(
  entries: readonly { readonly port: EndpointPort | undefined; readonly addresses: AddressSet }[],
): EndpointSubset[] {
  const groups = new Map<string, { readonly addresses: ReadyAddress[]; readonly ports: EndpointPort[] }>()
  for (const { port, addresses } of entries) {
    const sorted = [...addresses.values()].sort((a, b) => compareAddresses(a.address, b.address))
    const key = JSON.stringify(sorted.map(({ address, ready }) => [address.ip, address.targetRef?.uid, ready]))
    const group = groups.get(key) ?? { addresses: sorted, ports: [] }
    groups.set(key, group)
    if (port !== undefined) group.ports.push(port)
  }
  const subsets = [...groups.values()].map(({ addresses, ports }) => subset(addresses, sortedByHash(ports, dumpPort)))
  return subsets.length < 2 ? subsets : sortedByHash(subsets, dumpSubset)
}

function subset(all: readonly ReadyAddress[], ports: EndpointPort[]): EndpointSubset {
  const addresses = all.filter(({ ready }) => ready).map(({ address }) => address)
  const notReadyAddresses = all.filter(({ ready }) => !ready).map(({ address }) => address)
  return {
    ...(addresses.length > 0 ? { addresses } : {}),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
    ...(ports.length > 0 ? { ports } : {}),
  }
}

function compareAddresses(a: EndpointAddress, b: EndpointAddress): number {
  const [left, right] = a.ip === b.ip ? [a.targetRef?.uid ?? '', b.targetRef?.uid ?? ''] : [a.ip, b.ip]
  return left < right ? -1 : left > right ? 1 : 0
}

const dumpPort = ({ name = '', port, protocol = '', appProtocol }: EndpointPort): string =>
  dumpStruct('v1.EndpointPort', [
    ['Name', goScalar('string', name)],
    ['Port', goScalar('int32', port)],
    ['Protocol', goScalar('v1.Protocol', protocol)],
    ['AppProtocol', dumpPointer('string', appProtocol)],
  ])

const dumpAddress = ({ ip, hostname = '', nodeName, targetRef }: EndpointAddress): string =>
  dumpStruct('v1.EndpointAddress', [
    ['IP', goScalar('string', ip)],
    ['Hostname', goScalar('string', hostname)],
    ['NodeName', dumpPointer('string', nodeName)],
    [
      'TargetRef',
      goStructPointer('v1.ObjectReference', [
        ['Kind', goScalar('string', targetRef?.kind ?? '')],
        ['Namespace', goScalar('string', targetRef?.namespace ?? '')],
        ['Name', goScalar('string', targetRef?.name ?? '')],
        ['UID', goScalar('types.UID', targetRef?.uid ?? '')],
        ['APIVersion', goScalar('string', '')],
        ['ResourceVersion', goScalar('string', '')],
        ['FieldPath', goScalar('string', '')],
      ]),
    ],
  ])

const dumpSubset = ({ addresses, notReadyAddresses, ports }: EndpointSubset): string =>
  dumpStruct('v1.EndpointSubset', [
    ['Addresses', goSlice('v1.EndpointAddress', addresses?.map(dumpAddress))],
    ['NotReadyAddresses', goSlice('v1.EndpointAddress', notReadyAddresses?.map(dumpAddress))],
    ['Ports', goSlice('v1.EndpointPort', ports?.map(dumpPort))],
  ])

/** As many as an object may hold, ready ones first, each subset in proportion. */
export function truncated(subsets: readonly EndpointSubset[]): { subsets: EndpointSubset[]; isTruncated: boolean } {
  const ready = subsets.reduce((sum, { addresses }) => sum + (addresses?.length ?? 0), 0)
  const unready = subsets.reduce((sum, { notReadyAddresses }) => sum + (notReadyAddresses?.length ?? 0), 0)
  if (ready + unready <= maxAddresses) return { subsets: [...subsets], isTruncated: false }
  const cutsReady = ready > maxAddresses
  const room = cutsReady ? maxAddresses : maxAddresses - ready
  const total = cutsReady ? ready : unready
  let left = room
  const cut = (addresses: EndpointAddress[] | undefined): EndpointAddress[] => {
    const all = addresses ?? []
    const kept = all.slice(0, Math.min(Math.ceil((all.length / total) * room), left))
    left -= kept.length
    return kept
  }
  const next = subsets.map(({ addresses, notReadyAddresses, ports }) =>
    packed(
      cutsReady ? cut(addresses) : (addresses ?? []),
      cutsReady ? [] : cut(notReadyAddresses),
      ports === undefined ? {} : { ports },
    ),
  )
  return { subsets: next, isTruncated: true }
}

const packed = (
  addresses: EndpointAddress[],
  notReadyAddresses: EndpointAddress[],
  rest: Pick<EndpointSubset, 'ports'>,
): EndpointSubset => ({
  ...(addresses.length > 0 ? { addresses } : {}),
  ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
  ...rest,
})
