/**
 * The table of Lease.
 * Mirrors pkg/printers/internalversion: printLease.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { defineTable, kindAgeColumn, kindNameColumn, textAt } from '../../../columns/cells.ts'

export const leaseTable: TableDefinition = defineTable('Lease', [
  kindNameColumn,
  { name: 'Holder', cell: textAt('spec.holderIdentity') },
  kindAgeColumn,
])
