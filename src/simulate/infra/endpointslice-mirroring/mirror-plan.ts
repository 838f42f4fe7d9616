/**
 * The slices that mirror an Endpoints object which is maintained by hand. Pure.
 * Mirrors pkg/controller/endpointslicemirroring: reconciler.reconcile, newEndpointSlice, addressToEndpoint.
 */

import { formatIp, parseIp } from '../../../api/ip.ts'
import { equalSemantic } from '../../../api/json.ts'
import { checkSubdomainName } from '../../../api/names.ts'
import type { EndpointAddress, EndpointSubset } from '../../../catalog/types/core-v1.ts'
import type { Endpoint, EndpointPort } from '../../../catalog/types/discovery-v1.ts'
import { pushAll } from '../../../lib/push-all.ts'
import type { EndpointSlice, Endpoints } from '../../objects.ts'
import { groupBy } from '../common/group-by.ts'
import { triggerTimeAnnotation } from '../endpoint/service-pods.ts'
import {
  endpointKey,
  managedByLabel,
  portsKey,
  sameEndpoint,
  serviceNameLabel,
  sortedPorts,
} from '../endpointslice/slice-parts.ts'
import type { SlicePlan } from '../endpointslice/slice-plan.ts'

export const mirroringValue = 'endpointslicemirroring-controller.k8s.io'
const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration'
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader'
const skipLabel = 'endpointslice.kubernetes.io/skip-mirror'
/** --mirroring-max-endpoints-per-subset */
export const maxPerSubset = 1000

export const isMirrored = ({ metadata }: Endpoints): boolean =>
  metadata.labels?.[skipLabel] !== 'true' && metadata.annotations?.[leaderAnnotation] === undefined

export interface MirrorPlan extends SlicePlan {
  readonly invalid: number
  readonly skipped: number
}

interface Wanted {
  readonly addressType: string
  readonly ports: EndpointPort[]
  readonly endpoints: Map<string, Endpoint>
}

export function planMirror(endpoints: Endpoints, existing: readonly EndpointSlice[]): MirrorPlan {
  const { wanted, invalid, skipped } = wantedSlices(endpoints.subsets ?? [])
  const byKey = groupBy(existing, (slice) => sliceKey(slice.addressType, slice.ports))
  const plan: SlicePlan = { create: [], update: [], delete: [] }
  for (const [key, group] of wanted) {
    const [first, ...others] = byKey.get(key) ?? []
    if (group.endpoints.size === 0) {
      pushAll(plan.delete, byKey.get(key) ?? [])
      continue
    }
    pushAll(plan.delete, others)
    if (first !== undefined && isCurrent(first, endpoints, group)) continue
    const slice = mirrorSlice(endpoints, group, first?.metadata.name)
    if (first === undefined) plan.create.push(slice)
    else plan.update.push(slice)
  }
  for (const [key, slices] of byKey) if (!wanted.has(key)) pushAll(plan.delete, slices)
  return { ...recycled(plan), invalid, skipped }
}

const sliceKey = (addressType: string, ports: readonly EndpointPort[] | null): string =>
  `${addressType} ${portsKey(ports)}`

function wantedSlices(subsets: readonly EndpointSubset[]) {
  const wanted = new Map<string, Wanted>()
  let invalid = 0
  let skipped = 0
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    const slicePorts = sortedPorts(
      ports.map(({ name = '', port, protocol = 'TCP', appProtocol }) => ({
        name,
        port,
        protocol,
        ...(appProtocol === undefined ? {} : { appProtocol }),
      })),
    )
    for (const addressType of ['IPv4', 'IPv6']) {
      const key = sliceKey(addressType, slicePorts)
      if (!wanted.has(key)) wanted.set(key, { addressType, ports: slicePorts, endpoints: new Map() })
    }
    let added = 0
    const add = (address: EndpointAddress, ready: boolean): void => {
      if (added >= maxPerSubset) return
      const made = endpointOf(address, ready)
      if (made === undefined) {
        invalid++
        return
      }
      added++
      wanted.get(sliceKey(made.addressType, slicePorts))?.endpoints.set(endpointKey(made.endpoint), made.endpoint)
    }
    for (const address of addresses) add(address, true)
    for (const address of notReadyAddresses) add(address, false)
    skipped += addresses.length + notReadyAddresses.length - added
  }
  return { wanted, invalid, skipped }
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean) {
  const address = parseIp(ip)
  if (address === undefined) return undefined
  const endpoint: Endpoint = {
    addresses: [formatIp(address)],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(targetRef === undefined ? {} : { targetRef }),
    ...(nodeName === undefined ? {} : { nodeName }),
  }
  return { endpoint, addressType: address.family }
}

const without = (
  map: Readonly<Record<string, string>> | undefined,
  ...keys: readonly string[]
): Record<string, string> => Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => !keys.includes(key)))

const mirroredAnnotations = ({ metadata }: Endpoints): Record<string, string> =>
  without(metadata.annotations, triggerTimeAnnotation, lastAppliedAnnotation)

function isCurrent(slice: EndpointSlice, endpoints: Endpoints, { endpoints: wanted }: Wanted): boolean {
  const { labels, annotations, ownerReferences } = slice.metadata
  const present = slice.endpoints ?? []
  const isOther = ownerReferences?.some(
    ({ kind, name, uid }) => kind === 'Endpoints' && name === endpoints.metadata.name && uid !== endpoints.metadata.uid,
  )
  return (
    isOther !== true &&
    present.length === wanted.size &&
    present.every((endpoint) => {
      const other = wanted.get(endpointKey(endpoint))
      return other !== undefined && sameEndpoint(other, endpoint)
    }) &&
    equalSemantic(without(labels, managedByLabel, serviceNameLabel), endpoints.metadata.labels ?? {}) &&
    equalSemantic(annotations ?? {}, mirroredAnnotations(endpoints))
  )
}

function mirrorSlice(
  endpoints: Endpoints,
  { addressType, ports, endpoints: wanted }: Wanted,
  sliceName?: string,
): EndpointSlice {
  const { namespace = '', name = '', uid = '', labels } = endpoints.metadata
  const prefix = checkSubdomainName(`${name}-`, true).length === 0 ? `${name}-` : name
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      ...(sliceName === undefined ? { generateName: prefix } : { name: sliceName }),
      namespace,
      labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: mirroringValue },
      annotations: mirroredAnnotations(endpoints),
      ownerReferences: [{ apiVersion: 'v1', kind: 'Endpoints', name, uid, controller: true, blockOwnerDeletion: true }],
    },
    addressType,
    endpoints: [...wanted.values()].slice(0, maxPerSubset),
    ports,
  }
}

/** A slice that goes lends its name to one that comes. */
function recycled({ create, update, delete: gone }: SlicePlan): SlicePlan {
  const left = [...gone]
  const plan: SlicePlan = { create: [], update: [...update], delete: left }
  for (const slice of create) {
    const at = left.findIndex(({ addressType }) => addressType === slice.addressType)
    const [old] = at < 0 ? [] : left.splice(at, 1)
    if (old === undefined) plan.create.push(slice)
    else plan.update.push({ ...slice, metadata: { ...slice.metadata, name: old.metadata.name ?? '' } })
  }
  return plan
}
