/**
 * The table of IPAddress.
 * Mirrors pkg/printers/internalversion: printIPAddress.
 */
import type { JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import { at, defineTable, kindAgeColumn, kindNameColumn, textValue } from '../../../columns/cells.ts'

function parentCell(address: JsonObject): string {
  const parent = at(address, 'spec', 'parentRef')
  if (parent === undefined || parent === null) return '<none>'
  const group = textValue(at(parent, 'group'))
  const resource = textValue(at(parent, 'resource'))
  const head = (group === '' ? resource : `${resource}.${group}`).toLowerCase()
  return [head, textValue(at(parent, 'namespace')), textValue(at(parent, 'name'))]
    .filter((part) => part !== '')
    .join('/')
}

/** The age has a cell and no column, as in the reference. */
export const ipAddressTable: TableDefinition = defineTable(
  'IPAddress',
  [kindNameColumn, { name: 'ParentRef', cell: parentCell }],
  { unnamed: kindAgeColumn.cell },
)
