/**
 * The table of IPAddress.
 * Mirrors pkg/printers/internalversion: printIPAddress.
 */
import type { JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, at, defineTable, nameColumn, text } from '../../../columns/cells.ts'

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
