/**
 * The table of EndpointSlice.
 * Mirrors pkg/printers/internalversion: printEndpointSlice.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, defineTable, list, listed, nameColumn, objects, text, textAt } from '../../../columns/cells.ts'

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
