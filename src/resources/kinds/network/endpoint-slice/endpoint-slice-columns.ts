/**
 * The table of EndpointSlice.
 * Mirrors pkg/printers/internalversion: printEndpointSlice.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import {
  defineTable,
  kindAgeColumn,
  kindNameColumn,
  listed,
  listValue,
  objects,
  textAt,
  textValue,
} from '../../../columns/cells.ts'

export const endpointSliceTable: TableDefinition = defineTable('EndpointSlice', [
  kindNameColumn,
  { name: 'AddressType', cell: textAt('addressType') },
  {
    name: 'Ports',
    cell: ({ ports }) =>
      listed(
        objects(ports).map(({ port, name }) => textValue(port ?? name ?? '*')),
        3,
      ) || '<unset>',
  },
  {
    name: 'Endpoints',
    cell: ({ endpoints }) =>
      listed(
        objects(endpoints).flatMap(({ addresses }) => listValue(addresses).map((address) => textValue(address))),
        3,
      ) || '<unset>',
  },
  kindAgeColumn,
])
