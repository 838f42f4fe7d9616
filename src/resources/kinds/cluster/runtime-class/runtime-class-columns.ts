/**
 * The table of RuntimeClass.
 * Mirrors pkg/printers/internalversion: printRuntimeClass.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, defineTable, nameColumn, textAt } from '../../../columns/cells.ts'

export const runtimeClassTable: TableDefinition = defineTable('RuntimeClass', [
  nameColumn,
  { name: 'Handler', cell: textAt('handler') },
  ageColumn,
])
