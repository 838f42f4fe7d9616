/**
 * The table of Service.
 * Mirrors pkg/printers/internalversion: printService.
 */
import type { JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import {
  at,
  defineTable,
  kindAgeColumn,
  kindNameColumn,
  labelsText,
  listValue,
  number,
  objects,
  textAt,
  textValue,
} from '../../../columns/cells.ts'
import { ingressAddresses } from '../load-balancer-cells.ts'

function externalAddress(service: JsonObject): string {
  const own = listValue(at(service, 'spec', 'externalIPs')).map((ip) => textValue(ip))
  switch (at(service, 'spec', 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return own.join(',') || '<none>'
    case 'LoadBalancer':
      return [...ingressAddresses(service), ...own].join(',') || '<pending>'
    case 'ExternalName':
      return textValue(at(service, 'spec', 'externalName'))
    default:
      return '<unknown>'
  }
}

function portsCell(service: JsonObject): string {
  const ports = objects(at(service, 'spec', 'ports')).map(({ port, nodePort, protocol }) =>
    number(nodePort) > 0 ? `${port}:${nodePort}/${textValue(protocol)}` : `${port}/${textValue(protocol)}`,
  )
  return ports.join(',') || '<none>'
}

export const serviceTable: TableDefinition = defineTable('Service', [
  kindNameColumn,
  { name: 'Type', cell: textAt('spec.type') },
  { name: 'Cluster-IP', cell: (service) => textValue(listValue(at(service, 'spec', 'clusterIPs'))[0], '<none>') },
  { name: 'External-IP', cell: externalAddress },
  { name: 'Port(s)', cell: portsCell },
  kindAgeColumn,
  { name: 'Selector', cell: (service) => labelsText(at(service, 'spec', 'selector')), wide: true },
])
