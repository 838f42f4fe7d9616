/**
 * The table of ReplicaSet.
 * Mirrors pkg/printers/internalversion: printReplicaSet.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { defineTable } from '../../../columns/cells.ts'
import { replicaColumns, selectorColumn } from '../workload-cells.ts'

export const replicaSetTable: TableDefinition = defineTable('ReplicaSet', [...replicaColumns, selectorColumn])
