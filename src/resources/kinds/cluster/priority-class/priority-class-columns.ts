/**
 * The table of PriorityClass.
 * Mirrors pkg/printers/internalversion: printPriorityClass.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { defineTable, kindAgeColumn, kindNameColumn, numberAt, textAt } from '../../../columns/cells.ts'

export const priorityClassTable: TableDefinition = defineTable('PriorityClass', [
  kindNameColumn,
  { name: 'Value', cell: numberAt('value'), type: 'integer' },
  { name: 'Global-Default', cell: ({ globalDefault }) => globalDefault === true, type: 'boolean' },
  kindAgeColumn,
  { name: 'PreemptionPolicy', cell: textAt('preemptionPolicy') },
])
