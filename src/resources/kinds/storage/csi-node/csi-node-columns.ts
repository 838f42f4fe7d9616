/**
 * The table of CSINode.
 * Mirrors pkg/printers/internalversion: printCSINode.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, defineTable, nameColumn, sizeAt } from '../../../columns/cells.ts'

export const csiNodeTable: TableDefinition = defineTable('CSINode', [
  nameColumn,
  { name: 'Drivers', cell: sizeAt('spec.drivers'), type: 'integer' },
  ageColumn,
])
