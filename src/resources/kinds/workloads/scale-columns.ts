/**
 * The table of Scale.
 * Mirrors pkg/printers/internalversion: printScale.
 */
import type { TableDefinition } from '../../../api/table.ts'
import { ageColumn, defineTable, nameColumn, numberAt } from '../../columns/cells.ts'

export const scaleTable: TableDefinition = defineTable('Scale', [
  { ...nameColumn, format: '' },
  { name: 'Desired', cell: numberAt('spec.replicas'), type: 'integer' },
  { name: 'Available', cell: numberAt('status.replicas'), type: 'integer' },
  ageColumn,
])
