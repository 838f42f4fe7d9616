/**
 * The table of StatefulSet.
 * Mirrors pkg/printers/internalversion: printStatefulSet.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { containerColumns, defineTable, kindAgeColumn, kindNameColumn } from '../../../columns/cells.ts'
import { readyOfDesired } from '../workload-cells.ts'

export const statefulSetTable: TableDefinition = defineTable('StatefulSet', [
  kindNameColumn,
  { name: 'Ready', cell: readyOfDesired },
  kindAgeColumn,
  ...containerColumns('spec.template'),
])
