/**
 * The table of Endpoints.
 * Mirrors pkg/printers/internalversion: printEndpoints.
 */
import type { JsonObject, JsonValue } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import {
  defineTable,
  kindAgeColumn,
  kindNameColumn,
  listed,
  number,
  objects,
  size,
  textValue,
} from '../../../columns/cells.ts'

const hostPort = (host: string, port: JsonValue | undefined): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`

function endpointsCell(endpoints: JsonObject): string {
  const subsets = objects(endpoints['subsets'])
  if (subsets.length === 0) return '<none>'
  const shown = subsets.flatMap(({ addresses, ports }) => {
    const hosts = objects(addresses).map((address) => textValue(address['ip']))
    if (size(ports) === 0) return hosts
    return objects(ports).flatMap(({ port }) => hosts.map((host) => hostPort(host, number(port))))
  })
  return listed(shown, 3)
}

export const endpointsTable: TableDefinition = defineTable('Endpoints', [
  kindNameColumn,
  { name: 'Endpoints', cell: endpointsCell },
  kindAgeColumn,
])
