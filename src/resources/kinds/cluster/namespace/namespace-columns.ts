/**
 * The table of Namespace.
 * Mirrors pkg/printers/internalversion: printNamespace.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { defineTable, kindAgeColumn, kindNameColumn, textAt } from '../../../columns/cells.ts'

export const namespaceTable: TableDefinition = defineTable('Namespace', [
  kindNameColumn,
  { name: 'Status', cell: textAt('status.phase') },
  kindAgeColumn,
])
