/**
 * The table of Secret.
 * Mirrors pkg/printers/internalversion: printSecret.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, defineTable, nameColumn, sizeAt, textAt } from '../../../columns/cells.ts'

export const secretTable: TableDefinition = defineTable('Secret', [
  nameColumn,
  { name: 'Type', cell: textAt('type') },
  { name: 'Data', cell: sizeAt('data') },
  ageColumn,
])
