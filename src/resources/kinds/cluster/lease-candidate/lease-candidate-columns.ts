/**
 * The table of LeaseCandidate.
 * Mirrors pkg/printers/internalversion: printLeaseCandidate.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { ageColumn, defineTable, nameColumn, textAt } from '../../../columns/cells.ts'

export const leaseCandidateTable: TableDefinition = defineTable('LeaseCandidate', [
  nameColumn,
  { name: 'LeaseName', cell: textAt('spec.leaseName') },
  { name: 'BinaryVersion', cell: textAt('spec.binaryVersion') },
  { name: 'EmulationVersion', cell: textAt('spec.emulationVersion') },
  ageColumn,
])
