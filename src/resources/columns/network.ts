/**
 * Services and what carries traffic to them.
 * Mirrors pkg/printers/internalversion: printService, printIngress, printIngressClass, printEndpoints,
 * printEndpointSlice, printNetworkPolicy, printIPAddress, printServiceCIDR.
 */
import type { JsonObject, JsonValue } from '../../api/json.ts'
import type { TableDefinition } from '../../api/table.ts'
import {
  ageColumn,
  at,
  defineTable,
  labelsText,
  list,
  listed,
  nameColumn,
  number,
  objects,
  selectorCell,
  size,
  sortedUnique,
  text,
  textAt,
} from './cells.ts'

/** Addresses of a load balancer, each once. */
const ingressAddresses = (object: JsonObject): string[] =>
  sortedUnique(
    objects(at(object, 'status', 'loadBalancer', 'ingress')).map(
      (point) => text(point['ip']) || text(point['hostname']),
    ),
  )

function externalAddress(service: JsonObject): string {
  const own = list(at(service, 'spec', 'externalIPs')).map((ip) => text(ip))
  switch (at(service, 'spec', 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return own.join(',') || '<none>'
    case 'LoadBalancer':
      return [...ingressAddresses(service), ...own].join(',') || '<pending>'
    case 'ExternalName':
      return text(at(service, 'spec', 'externalName'))
    default:
      return '<unknown>'
  }
}

function portsCell(service: JsonObject): string {
  const ports = objects(at(service, 'spec', 'ports')).map(({ port, nodePort, protocol }) =>
    number(nodePort) > 0 ? `${port}:${nodePort}/${text(protocol)}` : `${port}/${text(protocol)}`,
  )
  return ports.join(',') || '<none>'
}

export const serviceTable: TableDefinition = defineTable('Service', [
  nameColumn,
  { name: 'Type', cell: textAt('spec.type') },
  { name: 'Cluster-IP', cell: (service) => text(list(at(service, 'spec', 'clusterIPs'))[0], '<none>') },
  { name: 'External-IP', cell: externalAddress },
  { name: 'Port(s)', cell: portsCell },
  ageColumn,
  { name: 'Selector', cell: (service) => labelsText(at(service, 'spec', 'selector')), wide: true },
])

/** Three hosts at most; rules after the third, with a host or without, are counted. */
function hostsCell(ingress: JsonObject): string {
  const rules = objects(at(ingress, 'spec', 'rules'))
  const hosts: string[] = []
  for (const rule of rules) {
    if (hosts.length === 3) return `${hosts.join(',')} + ${rules.length - 3} more...`
    if (text(rule['host']) !== '') hosts.push(text(rule['host']))
  }
  return hosts.join(',') || '*'
}

export const ingressTable: TableDefinition = defineTable('Ingress', [
  nameColumn,
  { name: 'Class', cell: textAt('spec.ingressClassName', '<none>') },
  { name: 'Hosts', cell: hostsCell },
  { name: 'Address', cell: (ingress) => ingressAddresses(ingress).join(',') },
  { name: 'Ports', cell: (ingress) => (size(at(ingress, 'spec', 'tls')) > 0 ? '80, 443' : '80') },
  ageColumn,
])

function parametersCell(ingressClass: JsonObject): string {
  const parameters = at(ingressClass, 'spec', 'parameters')
  if (parameters === undefined || parameters === null) return '<none>'
  const group = at(parameters, 'apiGroup')
  const kind = text(at(parameters, 'kind'))
  return `${typeof group === 'string' ? `${kind}.${group}` : kind}/${text(at(parameters, 'name'))}`
}

export const ingressClassTable: TableDefinition = defineTable('IngressClass', [
  nameColumn,
  { name: 'Controller', cell: textAt('spec.controller') },
  { name: 'Parameters', cell: parametersCell },
  ageColumn,
])

export const networkPolicyTable: TableDefinition = defineTable('NetworkPolicy', [
  nameColumn,
  { name: 'Pod-Selector', cell: (policy) => selectorCell(at(policy, 'spec', 'podSelector') ?? {}) },
  ageColumn,
])

const hostPort = (host: string, port: JsonValue | undefined): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`

function endpointsCell(endpoints: JsonObject): string {
  const subsets = objects(endpoints['subsets'])
  if (subsets.length === 0) return '<none>'
  const shown = subsets.flatMap(({ addresses, ports }) => {
    const hosts = objects(addresses).map((address) => text(address['ip']))
    if (size(ports) === 0) return hosts
    return objects(ports).flatMap(({ port }) => hosts.map((host) => hostPort(host, number(port))))
  })
  return listed(shown, 3)
}

export const endpointsTable: TableDefinition = defineTable('Endpoints', [
  nameColumn,
  { name: 'Endpoints', cell: endpointsCell },
  ageColumn,
])

export const endpointSliceTable: TableDefinition = defineTable('EndpointSlice', [
  nameColumn,
  { name: 'AddressType', cell: textAt('addressType') },
  {
    name: 'Ports',
    cell: ({ ports }) =>
      listed(
        objects(ports).map(({ port, name }) => text(port ?? name ?? '*')),
        3,
      ) || '<unset>',
  },
  {
    name: 'Endpoints',
    cell: ({ endpoints }) =>
      listed(
        objects(endpoints).flatMap(({ addresses }) => list(addresses).map((address) => text(address))),
        3,
      ) || '<unset>',
  },
  ageColumn,
])

export const serviceCidrTable: TableDefinition = defineTable('ServiceCIDR', [
  nameColumn,
  { name: 'CIDRs', cell: (object) => list(at(object, 'spec', 'cidrs')).join(',') },
  ageColumn,
])

function parentCell(address: JsonObject): string {
  const parent = at(address, 'spec', 'parentRef')
  if (parent === undefined || parent === null) return '<none>'
  const group = text(at(parent, 'group'))
  const resource = text(at(parent, 'resource'))
  const head = (group === '' ? resource : `${resource}.${group}`).toLowerCase()
  return [head, text(at(parent, 'namespace')), text(at(parent, 'name'))].filter((part) => part !== '').join('/')
}

/** The age has a cell and no column, as in the reference. */
export const ipAddressTable: TableDefinition = defineTable(
  'IPAddress',
  [nameColumn, { name: 'ParentRef', cell: parentCell }],
  { unnamed: ageColumn.cell },
)
