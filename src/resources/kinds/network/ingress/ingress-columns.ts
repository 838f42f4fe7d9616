/**
 * The table of Ingress.
 * Mirrors pkg/printers/internalversion: printIngress.
 */
import type { JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import {
  at,
  defineTable,
  kindAgeColumn,
  kindNameColumn,
  objects,
  size,
  textAt,
  textValue,
} from '../../../columns/cells.ts'
import { ingressAddresses } from '../load-balancer-cells.ts'

/** Three hosts at most; rules after the third, with a host or without, are counted. */
function hostsCell(ingress: JsonObject): string {
  const rules = objects(at(ingress, 'spec', 'rules'))
  const hosts: string[] = []
  for (const rule of rules) {
    if (hosts.length === 3) return `${hosts.join(',')} + ${rules.length - 3} more...`
    if (textValue(rule['host']) !== '') hosts.push(textValue(rule['host']))
  }
  return hosts.join(',') || '*'
}

export const ingressTable: TableDefinition = defineTable('Ingress', [
  kindNameColumn,
  { name: 'Class', cell: textAt('spec.ingressClassName', '<none>') },
  { name: 'Hosts', cell: hostsCell },
  { name: 'Address', cell: (ingress) => ingressAddresses(ingress).join(',') },
  { name: 'Ports', cell: (ingress) => (size(at(ingress, 'spec', 'tls')) > 0 ? '80, 443' : '80') },
  kindAgeColumn,
])
