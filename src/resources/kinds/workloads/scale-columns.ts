/**
 * The table of Scale.
 * Mirrors pkg/printers/internalversion: printScale.
 */
import type { TableDefinition } from '../../../api/table.ts'
import { defineTable, kindAgeColumn, kindNameColumn, numberAt } from '../../columns/cells.ts'

export const scaleTable: TableDefinition = defineTable('Scale', [
  { ...kindNameColumn, format: '' },
  { name: 'Desired', cell: numberAt('spec.replicas'), type: 'integer' },
  { name: 'Available', cell: numberAt('status.replicas'), type: 'integer' },
  kindAgeColumn,
])
