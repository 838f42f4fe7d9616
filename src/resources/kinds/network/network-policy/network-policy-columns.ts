/**
 * The table of NetworkPolicy.
 * Mirrors pkg/printers/internalversion: printNetworkPolicy.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { at, defineTable, kindAgeColumn, kindNameColumn, selectorCell } from '../../../columns/cells.ts'

export const networkPolicyTable: TableDefinition = defineTable('NetworkPolicy', [
  kindNameColumn,
  { name: 'Pod-Selector', cell: (policy) => selectorCell(at(policy, 'spec', 'podSelector') ?? {}) },
  kindAgeColumn,
])
