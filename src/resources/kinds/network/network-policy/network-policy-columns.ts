/**
 * The table of NetworkPolicy.
 * Mirrors pkg/printers/internalversion: printNetworkPolicy.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, at, defineTable, nameColumn, selectorCell } from '../../../columns/cells.ts'

export const networkPolicyTable: TableDefinition = defineTable('NetworkPolicy', [
  nameColumn,
  { name: 'Pod-Selector', cell: (policy) => selectorCell(at(policy, 'spec', 'podSelector') ?? {}) },
  ageColumn,
])
