/**
 * The table of Status.
 * Mirrors pkg/printers/internalversion: printStatus.
 */
import type { TableDefinition } from '../../api/table.ts'
import { defineTable, textAt } from './cells.ts'

export const statusTable: TableDefinition = defineTable('Status', [
  { name: 'Status', cell: textAt('status') },
  { name: 'Reason', cell: textAt('reason') },
  { name: 'Message', cell: textAt('message') },
])
