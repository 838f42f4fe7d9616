/**
 * The table of ValidatingAdmissionPolicy.
 * Mirrors pkg/printers/internalversion: printValidatingAdmissionPolicy.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { defineTable } from '../../../columns/cells.ts'
import { policyColumns } from '../policy-cells.ts'

export const validatingAdmissionPolicyTable: TableDefinition = defineTable(
  'ValidatingAdmissionPolicy',
  policyColumns('Validations', 'spec.validations'),
)
