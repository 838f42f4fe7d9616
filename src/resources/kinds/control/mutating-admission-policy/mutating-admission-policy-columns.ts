/**
 * The table of MutatingAdmissionPolicy.
 * Mirrors pkg/printers/internalversion: printMutatingAdmissionPolicy.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { defineTable } from '../../../columns/cells.ts'
import { policyColumns } from '../policy-cells.ts'

export const mutatingAdmissionPolicyTable: TableDefinition = defineTable(
  'MutatingAdmissionPolicy',
  policyColumns('Mutations', 'spec.mutations'),
)
