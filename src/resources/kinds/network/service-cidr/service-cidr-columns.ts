/**
 * The table of ServiceCIDR.
 * Mirrors pkg/printers/internalversion: printServiceCIDR.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, at, defineTable, list, nameColumn } from '../../../columns/cells.ts'

export const serviceCidrTable: TableDefinition = defineTable('ServiceCIDR', [
  nameColumn,
  { name: 'CIDRs', cell: (object) => list(at(object, 'spec', 'cidrs')).join(',') },
  ageColumn,
])
