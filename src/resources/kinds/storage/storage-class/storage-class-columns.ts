/**
 * The table of StorageClass.
 * Mirrors pkg/printers/internalversion: printStorageClass.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import { defineTable, kindAgeColumn, markedNameColumn, textAt } from '../../../columns/cells.ts'

export const storageClassTable: TableDefinition = defineTable('StorageClass', [
  markedNameColumn('storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'),
  { name: 'Provisioner', cell: textAt('provisioner') },
  { name: 'ReclaimPolicy', cell: textAt('reclaimPolicy', 'Delete') },
  { name: 'VolumeBindingMode', cell: textAt('volumeBindingMode', 'Immediate') },
  { name: 'AllowVolumeExpansion', cell: ({ allowVolumeExpansion }) => allowVolumeExpansion === true },
  kindAgeColumn,
])
