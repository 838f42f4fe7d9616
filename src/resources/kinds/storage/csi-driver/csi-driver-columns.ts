/**
 * The table of CSIDriver.
 * Mirrors pkg/printers/internalversion: printCSIDriver.
 */
import type { JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import {
  at,
  type Column,
  defineTable,
  kindAgeColumn,
  kindNameColumn,
  listValue,
  objects,
  textValue,
} from '../../../columns/cells.ts'

const flagColumn = (name: string, key: string, otherwise = false): Column => ({
  name,
  cell: (driver) => (at(driver, 'spec', key) ?? otherwise) === true,
  type: 'boolean',
})

function tokenRequests(driver: JsonObject): string {
  const requests = at(driver, 'spec', 'tokenRequests')
  if (!Array.isArray(requests)) return '<unset>'
  return objects(requests)
    .map((request) => textValue(request['audience']))
    .join(',')
}

export const csiDriverTable: TableDefinition = defineTable('CSIDriver', [
  kindNameColumn,
  flagColumn('AttachRequired', 'attachRequired', true),
  flagColumn('PodInfoOnMount', 'podInfoOnMount'),
  flagColumn('StorageCapacity', 'storageCapacity'),
  { name: 'TokenRequests', cell: tokenRequests },
  flagColumn('RequiresRepublish', 'requiresRepublish'),
  { name: 'Modes', cell: (driver) => listValue(at(driver, 'spec', 'volumeLifecycleModes')).join(',') || '<none>' },
  kindAgeColumn,
])
