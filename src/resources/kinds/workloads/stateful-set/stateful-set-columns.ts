/**
 * The table of StatefulSet.
 * Mirrors pkg/printers/internalversion: printStatefulSet.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, containerColumns, defineTable, nameColumn } from '../../../columns/cells.ts'
import { readyOfDesired } from '../workload-cells.ts'

export const statefulSetTable: TableDefinition = defineTable('StatefulSet', [
  nameColumn,
  { name: 'Ready', cell: readyOfDesired },
  ageColumn,
  ...containerColumns('spec.template'),
])
