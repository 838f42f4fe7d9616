/**
 * The table of StorageVersion.
 * Mirrors pkg/printers/internalversion: printStorageVersion.
 */
import type { JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, at, defineTable, listed, nameColumn, objects, text, textAt } from '../../../columns/cells.ts'

function storedVersions(object: JsonObject): string {
  const versions = objects(at(object, 'status', 'storageVersions')).map(
    ({ apiServerID, encodingVersion }) => `${text(apiServerID)}=${text(encodingVersion)}`,
  )
  return listed(versions, 3) || '<unset>'
}

export const storageVersionTable: TableDefinition = defineTable('StorageVersion', [
  nameColumn,
  { name: 'CommonEncodingVersion', cell: textAt('status.commonEncodingVersion', '<unset>') },
  { name: 'StorageVersions', cell: storedVersions },
  ageColumn,
])
