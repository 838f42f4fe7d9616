/**
 * The table of Deployment.
 * Mirrors pkg/printers/internalversion: printDeployment.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import {
  ageColumn,
  at,
  containerColumns,
  defineTable,
  nameColumn,
  numberAt,
  selectorText,
} from '../../../columns/cells.ts'
import { readyOfDesired } from '../workload-cells.ts'

export const deploymentTable: TableDefinition = defineTable('Deployment', [
  nameColumn,
  { name: 'Ready', cell: readyOfDesired },
  { name: 'Up-to-date', cell: numberAt('status.updatedReplicas') },
  { name: 'Available', cell: numberAt('status.availableReplicas') },
  ageColumn,
  ...containerColumns('spec.template'),
  { name: 'Selector', cell: (object) => selectorText(at(object, 'spec', 'selector')) ?? '<invalid>', wide: true },
])
