/**
 * Endpoint slices: addresses of one type, which never changes. A change of labels counts as a new generation, too.
 * Mirrors pkg/apis/discovery/validation: ValidateEndpointSlice, ValidateEndpointSliceCreate,
 * ValidateEndpointSliceUpdate.
 * Mirrors pkg/registry/discovery/endpointslice: endpointSliceStrategy.
 */

import { duplicate, type FieldError, invalid, ofNamedText, required, tooMany } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { parseIp } from '../../../../api/ip.ts'
import { checkIp, warningsForIp } from '../../../../api/ip-validation.ts'
import { equalSemantic } from '../../../../api/json.ts'
import { keysOf } from '../../../../api/key-lists.ts'
import {
  checkDns1123Label,
  checkLabelValue,
  checkSubdomainName,
  type Messages,
  validateFullyQualifiedDomainName,
} from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { eachItem } from '../../../../api/rules-in-steps.ts'
import type { Endpoint, EndpointHints, EndpointPort } from '../../../../catalog/types/discovery-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import { nextGeneration } from '../../../../registry/object-meta.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import {
  addMessages,
  checkLabels,
  checkOneOf,
  checkQualified,
  type Errors,
  immutableMessage,
  requireOneOf,
} from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { checkEndpointIp, checkOldIp } from '../addresses.ts'
import { protocols } from '../endpoints/endpoints.ts'

type EndpointSlice = KubeObject & { addressType?: string; endpoints?: Endpoint[] | null; ports?: EndpointPort[] | null }

/** Its topology is what today may only be kept. */
const olderVersion = 'discovery.k8s.io/v1beta1'
const addressTypes = ['FQDN', 'IPv4', 'IPv6']
const limits = { endpoints: 1000, addresses: 100, ports: 20_000, topology: 16, hints: 8 }
const root = FieldPath.root
const endpointsAt = root.child('endpoints')
const hostnameLabel = 'kubernetes.io/hostname'

export const endpointSliceRules = (): KindRules<EndpointSlice> => ({
  strategy: {
    validateMetadataUpdate: (metadata) => metadata.validate(),
    prepareForCreate(draft, context) {
      draft.metadata.generation = 1
      dropDisabledHints(draft, undefined, context)
      if (context.apiVersion !== olderVersion) dropTopology(draft, undefined)
    },
    prepareForUpdate(draft, old, context) {
      if (isNewGeneration(draft, old)) draft.metadata.generation = nextGeneration(old.metadata)
      dropDisabledHints(draft, old, context)
      if (context.apiVersion !== olderVersion) dropTopology(draft, old)
    },
    validate: (slice, context) => [...validateShape(slice), ...validateEndpoints(slice, context)],
    validateUpdate(slice, old, context) {
      const endpoints = validateEndpoints(slice, context)
      const kept = endpoints.length > 0 && equalSemantic(slice.endpoints, old.endpoints)
      const errors = [...validateShape(slice), ...(kept ? [] : endpoints)]
      if (slice.addressType !== old.addressType) {
        errors.push(invalid(root.child('addressType'), slice.addressType ?? '', immutableMessage))
      }
      return errors
    },
    warningsOnCreate: (slice) => [
      ...(slice.addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
      ...addressWarnings(slice),
    ],
    warningsOnUpdate: addressWarnings,
  },
})

const isNewGeneration = (draft: EndpointSlice, old: EndpointSlice): boolean =>
  !equalSemantic({ ...draft, metadata: undefined }, { ...old, metadata: undefined }) ||
  !equalSemantic(draft.metadata.labels, old.metadata.labels)

function dropDisabledHints(draft: EndpointSlice, old: EndpointSlice | undefined, { gate }: WriteContext): void {
  const known = (old?.endpoints ?? []).flatMap(({ hints }) => (hints === undefined ? [] : [hints]))
  const dropAll = !gate('TopologyAwareHints') && known.length === 0
  const dropNodes = !gate('PreferSameTrafficDistribution') && !known.some(({ forNodes }) => forNodes !== undefined)
  if (!dropAll && !dropNodes) return
  changeEndpoints(draft, (endpoint) => {
    if (endpoint.hints === undefined) return endpoint
    const { hints, ...rest } = endpoint
    if (dropAll) return rest
    const { forNodes: _, ...others } = hints
    return { ...endpoint, hints: others }
  })
}

/** Topology is a field of an older version; a node's name that it held moves to its own field. */
function dropTopology(draft: EndpointSlice, old: EndpointSlice | undefined): void {
  if (old !== undefined && equalSemantic(old.endpoints, draft.endpoints)) return
  const known = new Set((old?.endpoints ?? []).map(({ deprecatedTopology }) => deprecatedTopology?.[hostnameLabel]))
  changeEndpoints(draft, (endpoint) => {
    const { deprecatedTopology, ...rest } = endpoint
    if (deprecatedTopology === undefined) return endpoint
    const node = deprecatedTopology[hostnameLabel] ?? ''
    const moves = rest.nodeName === undefined && node !== '' && known.has(node) && checkSubdomainName(node).length === 0
    return moves ? { ...rest, nodeName: node } : rest
  })
}

function changeEndpoints(draft: EndpointSlice, change: (endpoint: Endpoint) => Endpoint): void {
  if (draft.endpoints) draft.endpoints = draft.endpoints.map(change)
}

function validateShape({ addressType = '', ports }: EndpointSlice): FieldError[] {
  const errors: Errors = []
  requireOneOf(errors, addressType, addressTypes, root, 'addressType')
  validatePorts(errors, ports ?? [])
  return errors
}

function validatePorts(errors: Errors, ports: readonly EndpointPort[]): void {
  const at = root.child('ports')
  if (ports.length > limits.ports) {
    errors.push(tooMany(at, ports.length, limits.ports))
    return
  }
  const names = new Set<string>()
  eachItem(errors, ports, (errors, { name = '', protocol, appProtocol }, i) => {
    const portAt = at.index(i)
    if (name !== '') addMessages(errors, portAt.child('name'), name, checkDns1123Label(name))
    if (names.has(name)) errors.push(ofNamedText(duplicate(portAt.child('name'), name)))
    names.add(name)
    if (protocol === undefined) errors.push(required(portAt.child('protocol')))
    else checkOneOf(errors, protocol, protocols, portAt, 'protocol')
    if (appProtocol !== undefined) checkQualified(errors, appProtocol, portAt.child('appProtocol'))
  })
}

function validateEndpoints({ addressType = '', endpoints }: EndpointSlice, { gate }: WriteContext): FieldError[] {
  const list = endpoints ?? []
  if (list.length > limits.endpoints) return [tooMany(endpointsAt, list.length, limits.endpoints)]
  const errors: Errors = []
  const strict = gate('StrictIPCIDRValidation')
  eachItem(errors, list, (errors, endpoint, i) => {
    const at = endpointsAt.index(i)
    validateAddresses(errors, endpoint.addresses ?? [], at.child('addresses'), { addressType, strict })
    const { nodeName, deprecatedTopology, hostname, hints } = endpoint
    if (nodeName !== undefined) addMessages(errors, at.child('nodeName'), nodeName, checkSubdomainName(nodeName))
    if (deprecatedTopology !== undefined) {
      const topologyAt = at.child('deprecatedTopology')
      const count = keysOf(deprecatedTopology).length
      if (count > limits.topology) errors.push(tooMany(topologyAt, count, limits.topology))
      checkLabels(errors, deprecatedTopology, topologyAt)
    }
    if (hostname !== undefined) addMessages(errors, at.child('hostname'), hostname, checkDns1123Label(hostname))
    if (hints !== undefined) validateHints(errors, hints, at.child('hints'))
  })
  return errors
}

interface AddressRules {
  readonly addressType: string
  readonly strict: boolean
}

function validateAddresses(errors: Errors, addresses: readonly string[], at: FieldPath, rules: AddressRules): void {
  if (addresses.length === 0) errors.push(required(at, 'must contain at least 1 address'))
  else if (addresses.length > limits.addresses) errors.push(tooMany(at, addresses.length, limits.addresses))
  const { addressType, strict } = rules
  eachItem(errors, addresses, (errors, address, i) => {
    const itemAt = at.index(i)
    if (addressType === 'FQDN') pushAll(errors, validateFullyQualifiedDomainName(itemAt, address))
    if (addressType !== 'IPv4' && addressType !== 'IPv6') return
    if (!isReadable(errors, address, itemAt, { addressType, strict })) return
    // The reference reports the wrong family at the list.
    if (parseIp(address)?.family !== addressType) errors.push(invalid(at, address, `must be an ${addressType} address`))
    checkEndpointIp(errors, address, itemAt)
  })
}

function isReadable(errors: Errors, address: string, at: FieldPath, { addressType, strict }: AddressRules): boolean {
  if (addressType === 'IPv4') return checkOldIp(errors, address, at, { strict })
  const messages = checkIp(address)
  addMessages(errors, at, address, messages)
  return messages.length === 0
}

function validateHints(errors: Errors, { forZones = [], forNodes = [] }: EndpointHints, at: FieldPath): void {
  const lists: [string, readonly { name: string }[], (name: string) => Messages][] = [
    ['forZones', forZones, checkLabelValue],
    ['forNodes', forNodes, checkSubdomainName],
  ]
  for (const [field, hints, check] of lists) {
    const listAt = at.child(field)
    if (hints.length > limits.hints) {
      errors.push(tooMany(listAt, hints.length, limits.hints))
      return
    }
    const seen = new Set<string>()
    eachItem(errors, hints, (errors, { name }, i) => {
      const nameAt = listAt.index(i).child('name')
      if (seen.has(name)) errors.push(duplicate(nameAt, name))
      seen.add(name)
      addMessages(errors, nameAt, name, check(name))
    })
  }
}

const goodWriters: ReadonlySet<string | undefined> = new Set([
  'endpointslice-controller.k8s.io',
  'endpointslicemirroring-controller.k8s.io',
])

/** The controllers that write most of them write good addresses. A name may be an address, too. */
function addressWarnings({ metadata, endpoints }: EndpointSlice): string[] {
  if (goodWriters.has(metadata.labels?.['endpointslice.kubernetes.io/managed-by'])) return []
  return (endpoints ?? []).flatMap(({ addresses }, i) =>
    (addresses ?? []).flatMap((address, j) => warningsForIp(endpointsAt.index(i).child('addresses').index(j), address)),
  )
}
