/**
 * The table of ClusterTrustBundle.
 * Mirrors pkg/printers/internalversion: printClusterTrustBundle.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { defineTable, kindNameColumn, textAt } from '../../../columns/cells.ts'

export const clusterTrustBundleTable: TableDefinition = defineTable('ClusterTrustBundle', [
  kindNameColumn,
  { name: 'SignerName', cell: textAt('spec.signerName', '<none>') },
])
