/**
 * The table of ReplicationController.
 * Mirrors pkg/printers/internalversion: printReplicationController.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { at, defineTable, labelsText } from '../../../columns/cells.ts'
import { replicaColumns } from '../workload-cells.ts'

export const replicationControllerTable: TableDefinition = defineTable('ReplicationController', [
  ...replicaColumns,
  { name: 'Selector', cell: (object) => labelsText(at(object, 'spec', 'selector')), wide: true },
])
