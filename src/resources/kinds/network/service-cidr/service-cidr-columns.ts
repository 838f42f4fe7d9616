/**
 * The table of ServiceCIDR.
 * Mirrors pkg/printers/internalversion: printServiceCIDR.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { at, defineTable, kindAgeColumn, kindNameColumn, listValue } from '../../../columns/cells.ts'

export const serviceCidrTable: TableDefinition = defineTable('ServiceCIDR', [
  kindNameColumn,
  { name: 'CIDRs', cell: (object) => listValue(at(object, 'spec', 'cidrs')).join(',') },
  kindAgeColumn,
])
