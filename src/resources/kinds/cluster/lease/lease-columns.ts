/**
 * The table of Lease.
 * Mirrors pkg/printers/internalversion: printLease.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, defineTable, nameColumn, textAt } from '../../../columns/cells.ts'

export const leaseTable: TableDefinition = defineTable('Lease', [
  nameColumn,
  { name: 'Holder', cell: textAt('spec.holderIdentity') },
  ageColumn,
])
