/**
 * The table of LeaseCandidate.
 * Mirrors pkg/printers/internalversion: printLeaseCandidate.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { defineTable, kindAgeColumn, kindNameColumn, textAt } from '../../../columns/cells.ts'

export const leaseCandidateTable: TableDefinition = defineTable('LeaseCandidate', [
  kindNameColumn,
  { name: 'LeaseName', cell: textAt('spec.leaseName') },
  { name: 'BinaryVersion', cell: textAt('spec.binaryVersion') },
  { name: 'EmulationVersion', cell: textAt('spec.emulationVersion') },
  kindAgeColumn,
])
