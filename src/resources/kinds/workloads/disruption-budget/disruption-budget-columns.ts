/**
 * The table of PodDisruptionBudget.
 * Mirrors pkg/printers/internalversion: printPodDisruptionBudget.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { defineTable, kindAgeColumn, kindNameColumn, numberAt, textAt } from '../../../columns/cells.ts'

export const podDisruptionBudgetTable: TableDefinition = defineTable('PodDisruptionBudget', [
  kindNameColumn,
  { name: 'Min Available', cell: textAt('spec.minAvailable', 'N/A') },
  { name: 'Max Unavailable', cell: textAt('spec.maxUnavailable', 'N/A') },
  { name: 'Allowed Disruptions', cell: numberAt('status.disruptionsAllowed'), type: 'integer' },
  kindAgeColumn,
])
