/**
 * The table of PriorityClass.
 * Mirrors pkg/printers/internalversion: printPriorityClass.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, defineTable, nameColumn, numberAt, textAt } from '../../../columns/cells.ts'

export const priorityClassTable: TableDefinition = defineTable('PriorityClass', [
  nameColumn,
  { name: 'Value', cell: numberAt('value'), type: 'integer' },
  { name: 'Global-Default', cell: ({ globalDefault }) => globalDefault === true, type: 'boolean' },
  ageColumn,
  { name: 'PreemptionPolicy', cell: textAt('preemptionPolicy') },
])
