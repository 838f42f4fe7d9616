/**
 * The table of StorageVersionMigration.
 * Mirrors pkg/printers/internalversion: printStorageVersionMigration.
 */
import type { JsonValue } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import { at, defineTable, nameColumn, text } from '../../../columns/cells.ts'

const resourceName = (resource: JsonValue | undefined): string =>
  ['resource', 'version', 'group'].map((key) => text(at(resource, key))).join('.')

export const storageVersionMigrationTable: TableDefinition = defineTable('StorageVersionMigration', [
  { ...nameColumn, format: '' },
  { name: 'Resource', cell: (object) => resourceName(at(object, 'spec', 'resource')) },
])
