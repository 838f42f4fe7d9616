/**
 * The table of Namespace.
 * Mirrors pkg/printers/internalversion: printNamespace.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, defineTable, nameColumn, textAt } from '../../../columns/cells.ts'

export const namespaceTable: TableDefinition = defineTable('Namespace', [
  nameColumn,
  { name: 'Status', cell: textAt('status.phase') },
  ageColumn,
])
