/**
 * The table of PodDisruptionBudget.
 * Mirrors pkg/printers/internalversion: printPodDisruptionBudget.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, defineTable, nameColumn, numberAt, textAt } from '../../../columns/cells.ts'

export const podDisruptionBudgetTable: TableDefinition = defineTable('PodDisruptionBudget', [
  nameColumn,
  { name: 'Min Available', cell: textAt('spec.minAvailable', 'N/A') },
  { name: 'Max Unavailable', cell: textAt('spec.maxUnavailable', 'N/A') },
  { name: 'Allowed Disruptions', cell: numberAt('status.disruptionsAllowed'), type: 'integer' },
  ageColumn,
])
