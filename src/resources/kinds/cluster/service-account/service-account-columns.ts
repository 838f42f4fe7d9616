/**
 * The table of ServiceAccount.
 * Mirrors pkg/printers/internalversion: printServiceAccount.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, defineTable, nameColumn, sizeAt } from '../../../columns/cells.ts'

export const serviceAccountTable: TableDefinition = defineTable('ServiceAccount', [
  nameColumn,
  { name: 'Secrets', cell: sizeAt('secrets') },
  ageColumn,
])
