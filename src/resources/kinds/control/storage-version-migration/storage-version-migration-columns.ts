/**
 * The table of StorageVersionMigration.
 * Mirrors pkg/printers/internalversion: printStorageVersionMigration.
 */
import type { JsonValue } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import { at, defineTable, kindNameColumn, textValue } from '../../../columns/cells.ts'

const resourceName = (resource: JsonValue | undefined): string =>
  ['resource', 'version', 'group'].map((key) => textValue(at(resource, key))).join('.')

export const storageVersionMigrationTable: TableDefinition = defineTable('StorageVersionMigration', [
  { ...kindNameColumn, format: '' },
  { name: 'Resource', cell: (object) => resourceName(at(object, 'spec', 'resource')) },
])
