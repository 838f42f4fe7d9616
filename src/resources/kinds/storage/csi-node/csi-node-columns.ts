/**
 * The table of CSINode.
 * Mirrors pkg/printers/internalversion: printCSINode.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { defineTable, kindAgeColumn, kindNameColumn, sizeAt } from '../../../columns/cells.ts'

export const csiNodeTable: TableDefinition = defineTable('CSINode', [
  kindNameColumn,
  { name: 'Drivers', cell: sizeAt('spec.drivers'), type: 'integer' },
  kindAgeColumn,
])
