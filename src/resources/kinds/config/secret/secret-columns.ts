/**
 * The table of Secret.
 * Mirrors pkg/printers/internalversion: printSecret.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { defineTable, kindAgeColumn, kindNameColumn, sizeAt, textAt } from '../../../columns/cells.ts'

export const secretTable: TableDefinition = defineTable('Secret', [
  kindNameColumn,
  { name: 'Type', cell: textAt('type') },
  { name: 'Data', cell: sizeAt('data') },
  kindAgeColumn,
])
