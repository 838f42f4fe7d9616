/**
 * The table of DaemonSet.
 * Mirrors pkg/printers/internalversion: printDaemonSet.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import {
  at,
  containerColumns,
  defineTable,
  kindAgeColumn,
  kindNameColumn,
  labelsText,
  numberAt,
} from '../../../columns/cells.ts'
import { selectorColumn } from '../workload-cells.ts'

export const daemonSetTable: TableDefinition = defineTable('DaemonSet', [
  kindNameColumn,
  { name: 'Desired', cell: numberAt('status.desiredNumberScheduled'), type: 'integer' },
  { name: 'Current', cell: numberAt('status.currentNumberScheduled'), type: 'integer' },
  { name: 'Ready', cell: numberAt('status.numberReady'), type: 'integer' },
  { name: 'Up-to-date', cell: numberAt('status.updatedNumberScheduled'), type: 'integer' },
  { name: 'Available', cell: numberAt('status.numberAvailable'), type: 'integer' },
  { name: 'Node Selector', cell: (object) => labelsText(at(object, 'spec', 'template', 'spec', 'nodeSelector')) },
  kindAgeColumn,
  ...containerColumns('spec.template'),
  selectorColumn,
])
