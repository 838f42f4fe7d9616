/**
 * The table of PersistentVolume.
 * Mirrors pkg/printers/internalversion: printPersistentVolume.
 */
import type { JsonObject } from '../../../../api/json.ts'
import type { TableDefinition } from '../../../../api/table.ts'
import { at, defineTable, kindAgeColumn, kindNameColumn, textAt, textValue } from '../../../columns/cells.ts'
import { modesText, phase, storageClass, unsetAt } from '../storage-cells.ts'

function claimCell(volume: JsonObject): string {
  const claim = at(volume, 'spec', 'claimRef')
  return claim === undefined || claim === null
    ? ''
    : `${textValue(at(claim, 'namespace'))}/${textValue(at(claim, 'name'))}`
}

export const persistentVolumeTable: TableDefinition = defineTable('PersistentVolume', [
  kindNameColumn,
  { name: 'Capacity', cell: textAt('spec.capacity.storage', '0') },
  { name: 'Access Modes', cell: (volume) => modesText(at(volume, 'spec', 'accessModes')) },
  { name: 'Reclaim Policy', cell: textAt('spec.persistentVolumeReclaimPolicy') },
  { name: 'Status', cell: phase },
  { name: 'Claim', cell: claimCell },
  { name: 'StorageClass', cell: storageClass },
  { name: 'VolumeAttributesClass', cell: unsetAt('spec', 'volumeAttributesClassName') },
  { name: 'Reason', cell: textAt('status.reason') },
  kindAgeColumn,
  { name: 'VolumeMode', cell: unsetAt('spec', 'volumeMode'), wide: true },
])
