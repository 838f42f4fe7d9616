/**
 * The table of StorageVersion.
 * Mirrors pkg/printers/internalversion: printStorageVersion.
 */
import type { JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import {
  at,
  defineTable,
  kindAgeColumn,
  kindNameColumn,
  listed,
  objects,
  textAt,
  textValue,
} from '../../../columns/cells.ts'

function storedVersions(object: JsonObject): string {
  const versions = objects(at(object, 'status', 'storageVersions')).map(
    ({ apiServerID, encodingVersion }) => `${textValue(apiServerID)}=${textValue(encodingVersion)}`,
  )
  return listed(versions, 3) || '<unset>'
}

export const storageVersionTable: TableDefinition = defineTable('StorageVersion', [
  kindNameColumn,
  { name: 'CommonEncodingVersion', cell: textAt('status.commonEncodingVersion', '<unset>') },
  { name: 'StorageVersions', cell: storedVersions },
  kindAgeColumn,
])
