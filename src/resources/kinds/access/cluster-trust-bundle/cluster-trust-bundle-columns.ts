/**
 * The table of ClusterTrustBundle.
 * Mirrors pkg/printers/internalversion: printClusterTrustBundle.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { defineTable, nameColumn, textAt } from '../../../columns/cells.ts'

export const clusterTrustBundleTable: TableDefinition = defineTable('ClusterTrustBundle', [
  nameColumn,
  { name: 'SignerName', cell: textAt('spec.signerName', '<none>') },
])
