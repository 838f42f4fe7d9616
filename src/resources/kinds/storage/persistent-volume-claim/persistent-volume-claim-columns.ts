/**
 * The table of PersistentVolumeClaim.
 * Mirrors pkg/printers/internalversion: printPersistentVolumeClaim.
 */
import type { TableDefinition } from '../../../../api/table.ts'
import {
  at,
  defineTable,
  kindAgeColumn,
  kindNameColumn,
  type MakeCell,
  textAt,
  textValue,
} from '../../../columns/cells.ts'
import { modesText, phase, storageClass, unsetAt } from '../storage-cells.ts'

/** What a claim got is known once it has a volume. */
const whenBound =
  (cell: MakeCell): MakeCell =>
  (claim, now) =>
    textValue(at(claim, 'spec', 'volumeName')) === '' ? '' : cell(claim, now)

export const persistentVolumeClaimTable: TableDefinition = defineTable('PersistentVolumeClaim', [
  kindNameColumn,
  { name: 'Status', cell: phase },
  { name: 'Volume', cell: textAt('spec.volumeName') },
  { name: 'Capacity', cell: whenBound(textAt('status.capacity.storage', '0')) },
  { name: 'Access Modes', cell: whenBound((claim) => modesText(at(claim, 'status', 'accessModes'))) },
  { name: 'StorageClass', cell: storageClass },
  { name: 'VolumeAttributesClass', cell: unsetAt('spec', 'volumeAttributesClassName') },
  kindAgeColumn,
  { name: 'VolumeMode', cell: unsetAt('spec', 'volumeMode'), wide: true },
])
