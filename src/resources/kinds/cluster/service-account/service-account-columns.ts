/**
 * The table of ServiceAccount.
 * Mirrors pkg/printers/internalversion: printServiceAccount.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { defineTable, kindAgeColumn, kindNameColumn, sizeAt } from '../../../columns/cells.ts'

export const serviceAccountTable: TableDefinition = defineTable('ServiceAccount', [
  kindNameColumn,
  { name: 'Secrets', cell: sizeAt('secrets') },
  kindAgeColumn,
])
