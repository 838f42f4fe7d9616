/**
 * The table of CSIDriver.
 * Mirrors pkg/printers/internalversion: printCSIDriver.
 */
import type { JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, at, type Column, defineTable, list, nameColumn, objects, text } from '../../../columns/cells.ts'

const flagColumn = (name: string, key: string, otherwise = false): Column => ({
  name,
  cell: (driver) => (at(driver, 'spec', key) ?? otherwise) === true,
  type: 'boolean',
})

function tokenRequests(driver: JsonObject): string {
  const requests = at(driver, 'spec', 'tokenRequests')
  if (!Array.isArray(requests)) return '<unset>'
  return objects(requests)
    .map((request) => text(request['audience']))
    .join(',')
}

export const csiDriverTable: TableDefinition = defineTable('CSIDriver', [
  nameColumn,
  flagColumn('AttachRequired', 'attachRequired', true),
  flagColumn('PodInfoOnMount', 'podInfoOnMount'),
  flagColumn('StorageCapacity', 'storageCapacity'),
  { name: 'TokenRequests', cell: tokenRequests },
  flagColumn('RequiresRepublish', 'requiresRepublish'),
  { name: 'Modes', cell: (driver) => list(at(driver, 'spec', 'volumeLifecycleModes')).join(',') || '<none>' },
  ageColumn,
])
