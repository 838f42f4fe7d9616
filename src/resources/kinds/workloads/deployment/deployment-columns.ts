/**
 * The table of Deployment.
 * Mirrors pkg/printers/internalversion: printDeployment.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import {
  at,
  containerColumns,
  defineTable,
  kindAgeColumn,
  kindNameColumn,
  numberAt,
  selectorDisplay,
} from '../../../columns/cells.ts'
import { readyOfDesired } from '../workload-cells.ts'

export const deploymentTable: TableDefinition = defineTable('Deployment', [
  kindNameColumn,
  { name: 'Ready', cell: readyOfDesired },
  { name: 'Up-to-date', cell: numberAt('status.updatedReplicas') },
  { name: 'Available', cell: numberAt('status.availableReplicas') },
  kindAgeColumn,
  ...containerColumns('spec.template'),
  { name: 'Selector', cell: (object) => selectorDisplay(at(object, 'spec', 'selector')) ?? '<invalid>', wide: true },
])
