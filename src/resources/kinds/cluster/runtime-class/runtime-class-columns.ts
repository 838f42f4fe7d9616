/**
 * The table of RuntimeClass.
 * Mirrors pkg/printers/internalversion: printRuntimeClass.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { defineTable, kindAgeColumn, kindNameColumn, textAt } from '../../../columns/cells.ts'

export const runtimeClassTable: TableDefinition = defineTable('RuntimeClass', [
  kindNameColumn,
  { name: 'Handler', cell: textAt('handler') },
  kindAgeColumn,
])
